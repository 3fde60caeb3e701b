// SPDX-License-Identifier: GPL-3.0-or-later

package import Library
internal import LinuxIO

/// The originals that only a remote has, by way of the sync service.
package struct SyncedOriginals: RemoteOriginals {
    private let library: AssetLibrary
    private let desk: SyncDesk

    package init(_ library: AssetLibrary, _ desk: SyncDesk) {
        self.library = library
        self.desk = desk
    }

    package func holds(_ asset: Asset) async -> Bool { asset.isRemoteOnly }

    /// A minute, and what 16 KiB a second take.
    package static func limit(bytes: Int64) -> Duration { .seconds(60 + bytes >> 14) }

    package func fetch(
        _ asset: Asset, progress: @Sendable (Double) -> Void
    ) async throws(LibraryError) -> [UInt8] {
        let id = asset.id.text
        do throws(SyncFailure) {
            try await desk.bringBack(id, within: Self.limit(bytes: asset.bytes))
        } catch {
            throw LibraryError(.remoteOnly, "asset \(id): \(error.message)", underlying: error)
        }
        progress(1)
        return try await library.resource(id: id).bytes(in: 0..<Int.max)
    }
}
