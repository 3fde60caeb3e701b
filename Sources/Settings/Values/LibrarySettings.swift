// SPDX-License-Identifier: GPL-3.0-or-later

/// The library of photos. One MB is 1,048,576 bytes.
public struct LibrarySettings: Sendable, Equatable {
    /// The library's folder; absolute after `Settings.load(file:)`.
    public var path: String
    /// Free space, in MB, that photos never use.
    public var reserveMegabytes: Int
    /// How many days deleted assets can be restored; 0 to keep them until they are purged.
    public var deletedDays: Int
    /// How many days photos and videos are kept; 0 for ever.
    public var retentionDays: Int
    /// How many photos and videos are kept; 0 for all.
    public var retentionAssets: Int
    /// The free space, in MB, that is kept by removing the oldest photos and videos; 0 for none.
    public var retentionFreeMegabytes: Int
    /// Whether the rules for age, number and space remove only assets that a remote has.
    public var requiresSync: Bool
    /// The memory, in MB, of the cache of decoded pictures.
    public var imageMemoryMegabytes: Int
    /// The memory, in MB, that decoding one picture may take.
    public var pictureMemoryMegabytes: Int
    /// The disk space, in MB, for pictures that can be rebuilt.
    public var derivedMegabytes: Int

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, LibraryKeys.table)
        path = decoder.value(LibraryKeys.path, in: table)
        reserveMegabytes = decoder.value(LibraryKeys.reserve, in: table)
        deletedDays = decoder.value(LibraryKeys.deletedDays, in: table)
        retentionDays = decoder.value(LibraryKeys.retentionDays, in: table)
        retentionAssets = decoder.value(LibraryKeys.retentionAssets, in: table)
        retentionFreeMegabytes = decoder.value(LibraryKeys.retentionFree, in: table)
        requiresSync = decoder.value(LibraryKeys.requiresSync, in: table)
        imageMemoryMegabytes = decoder.value(LibraryKeys.imageMemory, in: table)
        pictureMemoryMegabytes = decoder.value(LibraryKeys.pictureMemory, in: table)
        derivedMegabytes = decoder.value(LibraryKeys.derived, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(LibraryKeys.table)
        writer.write(LibraryKeys.path, path)
        writer.write(LibraryKeys.reserve, reserveMegabytes)
        writer.write(LibraryKeys.deletedDays, deletedDays)
        writer.write(LibraryKeys.retentionDays, retentionDays)
        writer.write(LibraryKeys.retentionAssets, retentionAssets)
        writer.write(LibraryKeys.retentionFree, retentionFreeMegabytes)
        writer.write(LibraryKeys.requiresSync, requiresSync)
        writer.write(LibraryKeys.imageMemory, imageMemoryMegabytes)
        writer.write(LibraryKeys.pictureMemory, pictureMemoryMegabytes)
        writer.write(LibraryKeys.derived, derivedMegabytes)
    }
}
