// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Library

/// The options that select assets. An asset must match all of them.
struct AssetSelection: ParsableArguments {
    private static let types = Asset.MediaType.allCases.map(\.rawValue)
    private static let subtypes = MediaSubtypes.names

    @Option(
        help: "Only this type: photo, video or audio. May be given several times.",
        completion: .list(types), transform: word(types, Asset.MediaType.init))
    var type: [Asset.MediaType] = []

    @Option(
        help:
            "Only this subtype: burst, timelapse, liveClip, screenshot, hdr, panorama or loop.",
        completion: .list(subtypes), transform: word(subtypes, MediaSubtypes.init(name:)))
    var subtype: [MediaSubtypes] = []

    @Option(
        help: """
            Only photos taken then or later: 2026-11-21, 2026-11-21T12:30, or how long ago as 7d, \
            12h or 30m.
            """)
    var since: Moment?

    @Option(help: "Only photos taken before then, in the same forms.")
    var until: Moment?

    @Option(help: "Only photos of the session with this id.")
    var session: String?

    @Option(help: "All photos of the burst with this id.")
    var burst: String?

    @Option(
        help: ArgumentHelp(
            "Only photos of this album, in its order: title or id. Smart albums, moments and "
                + "sessions count as albums; see vitrine album list.", valueName: "album"))
    var `in`: String?

    @Option(help: "Only photos with this keyword. May be given several times.")
    var keyword: [String] = []

    @Option(help: "Only photos with this text in the caption.")
    var caption: String?

    @Option(help: "Only photos with this text in the caption, a keyword or the file name.")
    var text: String?

    @Option(help: "Only photos from the camera with this id.")
    var camera: String?

    @Flag(help: "Only favourites.")
    var favorite = false

    @Flag(help: "Include hidden photos.")
    var hidden = false

    @Flag(help: "Only photos in \"recently deleted\".")
    var deleted = false

    @Flag(help: "Include all photos of each burst.")
    var allOfBursts = false

    /// Returns the collection that ``in`` names; `nil` for the whole library.
    func collection(
        of library: any AssetSource
    ) async throws -> AssetCollection.Identifier? {
        guard let name = `in` else { return nil }
        return try await library.collection(named: name).id
    }

    var options: FetchOptions {
        var filters: [AssetFilter] = []
        if !type.isEmpty { filters.append(AssetFilter.mediaType.isIn(type)) }
        for subtype in subtype { filters.append(.subtypes(subtype)) }
        if let since { filters.append(AssetFilter.createdAt >= since.time) }
        if let until { filters.append(AssetFilter.createdAt < until.time) }
        if let session { filters.append(AssetFilter.sessionID == session) }
        if let burst { filters.append(AssetFilter.burstID == burst) }
        for keyword in keyword { filters.append(.keyword(keyword)) }
        if let caption { filters.append(AssetFilter.caption.contains(caption)) }
        if let text { filters.append(.text(text)) }
        if let camera { filters.append(AssetFilter.deviceName == camera) }
        if favorite { filters.append(AssetFilter.isFavorite == true) }
        if deleted { filters.append(AssetFilter.deletedAt != nil) }
        return FetchOptions(
            filter: filters.isEmpty ? nil : .all(filters), includesHidden: hidden || deleted,
            includesAllBurstMembers: allOfBursts || burst != nil || deleted,
            includesDeleted: deleted)
    }
}

/// Returns a parser that accepts the words of a list; its error names them.
private func word<Value>(_ words: [String], _ value: @escaping @Sendable (String) -> Value?)
    -> @Sendable (String) throws -> Value
{
    { text in
        guard let value = value(text) else {
            throw ValidationError("\"\(text)\" is none of \(words.joined(separator: ", "))")
        }
        return value
    }
}
