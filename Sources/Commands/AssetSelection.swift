// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Library

/// Which assets a command is about, as a person says it. All that is given must fit.
struct AssetSelection: ParsableArguments {
    private static let types = Asset.MediaType.allCases.map(\.rawValue)
    private static let subtypes = MediaSubtypes.names

    @Option(
        help: "Only photo, video or audio. May be given several times.",
        completion: .list(types), transform: word(types, Asset.MediaType.init))
    var type: [Asset.MediaType] = []

    @Option(
        help: "Only burst, timelapse, liveClip, screenshot, hdr, panorama or loop.",
        completion: .list(subtypes), transform: word(subtypes, MediaSubtypes.init(name:)))
    var subtype: [MediaSubtypes] = []

    @Option(
        help: "Only what was taken then or later: a date, a date and time, or \"7d\", \"12h\" ago.")
    var since: Moment?

    @Option(help: "Only what was taken before that.")
    var until: Moment?

    @Option(help: "Only of this session.")
    var session: String?

    @Option(help: "Only of this burst, all its photos.")
    var burst: String?

    @Option(
        help: ArgumentHelp(
            "Only of this album, in its order: its title or id, also of a smart album, moment or "
                + "session: see vitrine album list.", valueName: "album"))
    var `in`: String?

    @Option(help: "Only with this keyword. May be given several times.")
    var keyword: [String] = []

    @Option(help: "Only with this text in the caption.")
    var caption: String?

    @Option(help: "Only with this text in the caption, a keyword or the file name.")
    var text: String?

    @Option(help: "Only from this camera.")
    var camera: String?

    @Flag(help: "Only favourites.")
    var favorite = false

    @Flag(help: "Also what is hidden.")
    var hidden = false

    @Flag(help: "Only what is in \"recently deleted\".")
    var deleted = false

    @Flag(help: "All photos of each burst.")
    var allOfBursts = false

    /// What ``in`` names; `nil` for the whole library.
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

/// A word of a list; says which when it is another.
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
