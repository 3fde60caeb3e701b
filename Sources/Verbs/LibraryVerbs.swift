// SPDX-License-Identifier: GPL-3.0-or-later

package import CommandProtocol
internal import FoundationEssentials
package import Library
package import LinuxIO
package import Media

/// Answers the library's verbs of the control socket. The command copies and prints, because it has
/// its caller's rights.
package struct LibraryVerbs {
    /// The largest number of assets in an answer; the command asks page by page.
    static let pageSize = 500
    let library: AssetLibrary
    let images: ImageManager
    /// The screen's size, for pictures of it; `nil` without a screen.
    let screen: Dimensions?
    let retention: RetentionPolicy
    /// The filter for what the caller may see; `nil` for everything.
    let limit: AssetFilter?
    let file: PassedFile?

    package init(
        library: AssetLibrary, images: ImageManager, screen: Dimensions? = nil,
        retention: RetentionPolicy, limit: AssetFilter?, file: PassedFile? = nil
    ) {
        self.library = library
        self.images = images
        self.screen = screen
        self.retention = retention
        self.limit = limit
        self.file = file
    }

    /// Answers a verb; returns `nil` for an unknown one.
    package func answer(
        _ verb: String, _ arguments: [String: JSONValue],
        _ progress: @escaping @Sendable (JSONValue) -> Void
    ) async throws -> (any Encodable & Sendable)? {
        switch verb {
        case "library.attach": try await attach(arguments)
        case "library.changes": try await changes(arguments)
        case "library.collections": try await collections(arguments)
        case "library.count": try await count(arguments)
        case "library.folder": library.stagingFolder()
        case "library.hasAlternate": try await hasAlternate(arguments)
        case "library.holder": try await holder(arguments)
        case "library.list": try await list(arguments)
        case "library.page": try await page(arguments)
        case "library.perform": try await perform(arguments)
        case "library.picture": try await picture(arguments)
        case "library.repair": try await library.repair(arguments["findings"]?.decoded() ?? [])
        case "library.retention": try await retention(arguments)
        case "library.show": try await show(arguments)
        case "library.snapshot": try await library.takeSnapshot()
        case "library.snapshots": try await library.snapshots()
        case "library.statistics": try await library.statistics()
        case "library.take": try await take(arguments)
        case "library.verify": try await verify(arguments, progress)
        default: nil
        }
    }

    private func list(_ arguments: [String: JSONValue]) async throws -> [AssetResource] {
        let limit = min(arguments["limit"]?.integerValue ?? Self.pageSize, Self.pageSize)
        guard limit > 0 else { return [] }
        return try await library.resources(
            options(arguments), after: try arguments["after"]?.decoded(), limit: limit)
    }

    /// Returns a page of the assets that `options` finds, in `collection` if given, and the cursor
    /// of the next page.
    private func page(_ arguments: [String: JSONValue]) async throws -> AssetPage {
        let limit = min(arguments["limit"]?.integerValue ?? Self.pageSize, Self.pageSize)
        return try await library.page(
            in: try collection(arguments), options(arguments),
            after: try arguments["after"]?.decoded(), limit: max(limit, 1))
    }

    /// Counts the assets that `options` finds, in `collection` if given.
    private func count(_ arguments: [String: JSONValue]) async throws -> Int {
        try await library.countOfAssets(
            in: try collection(arguments), options(arguments))
    }

    private func collection(
        _ arguments: [String: JSONValue]
    ) throws -> AssetCollection.Identifier? {
        guard let collection = arguments["collection"] else { return nil }
        guard limit == nil else {
            throw LibraryError(.permission, "albums are not for a guest")
        }
        return try collection.decoded()
    }

    private func options(_ arguments: [String: JSONValue]) throws -> FetchOptions {
        var options: FetchOptions = try arguments["options"]?.decoded() ?? FetchOptions()
        if let limit {
            options.filter = .all([limit] + [options.filter].compactMap(\.self))
            options.includesHidden = false
            options.includesDeleted = false
        }
        return options
    }

    /// Returns the albums, smart albums, moments or sessions that `options` finds.
    private func collections(_ arguments: [String: JSONValue]) async throws -> [AssetCollection] {
        try await library.collections(
            try arguments["options"]?.decoded() ?? CollectionFetchOptions(.albums))
    }

    private func show(_ arguments: [String: JSONValue]) async throws -> AssetResource {
        let text = arguments["id"]?.stringValue ?? ""
        let resource = try await library.resource(id: text)
        let seen = FetchOptions(filter: limit, includesAllBurstMembers: true)
        guard limit == nil || seen.matches(resource.asset) else {
            throw LibraryError(.notFound, "asset \(text): none of this visit's")
        }
        return resource
    }

    /// Returns a JPEG of the asset `id` in Base64: its `representation`, or a picture within
    /// `size`, which `fill` fills.
    private func picture(_ arguments: [String: JSONValue]) async throws -> String {
        let resource = try await show(arguments)
        let kind = try arguments["representation"]?.decoded() as AssetRepresentation.Kind?
        let size = try arguments["size"]?.stringValue.map { text throws(LibraryError) in
            guard let bounds = Dimensions(bounds: text) else {
                throw LibraryError(
                    .invalid, "\"\(text)\" is no size; for example 1920x1080, or 640x0")
            }
            return bounds
        }
        let jpeg = try await images.jpeg(
            of: resource, as: kind, size: size ?? (kind == .fullScreen ? screen : nil),
            contentMode: arguments["fill"]?.boolValue ?? false ? .aspectFill : .aspectFit)
        return Data(jpeg).base64EncodedString()
    }

    /// Performs `changes`, all or none.
    private func perform(_ arguments: [String: JSONValue]) async throws -> Int {
        try await library.perform(try arguments["changes"]?.decoded() ?? LibraryChanges())
    }

    /// Returns the asset with the content `sha256`; null if there is none.
    private func holder(_ arguments: [String: JSONValue]) async throws -> any Encodable & Sendable {
        try await library.holder(ofContent: arguments["sha256"]?.stringValue ?? "")
    }

    /// Returns the file that came with the request, if `handedOver` says so.
    private func handedOver(_ arguments: [String: JSONValue]) throws(LibraryError) -> PassedFile? {
        guard arguments["handedOver"]?.boolValue ?? false else { return nil }
        guard let file else {
            throw LibraryError(
                .exhausted, "the file did not arrive: the appliance has no descriptors left")
        }
        return file
    }

    /// Makes an asset of `file`, which is in the staging folder or `handedOver`.
    private func take(_ arguments: [String: JSONValue]) async throws -> ImportOutcome {
        guard let file = arguments["file"] else {
            throw LibraryError(.invalidValue, "library.take without a file")
        }
        if let passed = try handedOver(arguments) {
            return try await library.importFile(try file.decoded(), from: passed)
        }
        return try await library.importFile(try file.decoded())
    }

    private func hasAlternate(_ arguments: [String: JSONValue]) async throws -> Bool {
        try await library.hasAlternate(
            arguments["sha256"]?.stringValue ?? "", of: try id(arguments, "asset"))
    }

    /// Attaches `file`, which is in the staging folder or `handedOver`, to the photo `asset`.
    private func attach(_ arguments: [String: JSONValue]) async throws -> Bool {
        guard let file = arguments["file"] else {
            throw LibraryError(.invalidValue, "library.attach without a file")
        }
        let asset = try id(arguments, "asset")
        if let passed = try handedOver(arguments) {
            return try await library.attach(try file.decoded(), from: passed, to: asset)
        }
        return try await library.attach(try file.decoded(), to: asset)
    }

    private func id(_ arguments: [String: JSONValue], _ name: String) throws(LibraryError) -> UUID {
        let text = arguments[name]?.stringValue ?? ""
        guard let id = UUID(uuidString: text) else {
            throw LibraryError(.invalidValue, "\(name): \"\(text)\" is no id")
        }
        return id
    }

    /// Returns the changes since the token `since`, of `origins` if given. A request with `wait` is
    /// answered once there is a change, or after 20 seconds.
    private func changes(_ arguments: [String: JSONValue]) async throws -> ChangeHistory {
        try await library.changes(
            since: try arguments["since"]?.decoded(), from: try arguments["origins"]?.decoded(),
            waits: arguments["wait"]?.boolValue ?? false)
    }

    /// Returns what the configured rules would purge, or purges it with `apply`.
    private func retention(_ arguments: [String: JSONValue]) async throws -> RetentionReport {
        arguments["apply"]?.boolValue ?? false
            ? try await library.applyRetention(retention)
            : try await library.retention(retention)
    }

    /// Verifies the library; reports `done` and `total`.
    private func verify(
        _ arguments: [String: JSONValue], _ progress: @escaping @Sendable (JSONValue) -> Void
    ) async throws -> LibraryVerification {
        try await library.verify(deep: arguments["deep"]?.boolValue ?? false) { done, total in
            progress(.object(["done": .integer(Int64(done)), "total": .integer(Int64(total))]))
        }
    }
}
