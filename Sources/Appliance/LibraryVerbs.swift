// SPDX-License-Identifier: GPL-3.0-or-later

public import CommandProtocol
internal import FoundationEssentials
public import Library

/// The library's verbs: the same whether the appliance answers them or a command that owns the
/// library itself.
public struct LibraryVerbs: Sendable {
    private static let pageSize = 500
    private let library: AssetLibrary

    public init(library: AssetLibrary) { self.library = library }

    /// Assets in order of sequence; `after` and `limit` page through them.
    public func list(_ arguments: [String: JSONValue]) async throws -> JSONValue {
        let limit = arguments["limit"]?.integerValue ?? Int.max
        let newestFirst = arguments["newestFirst"]?.boolValue ?? false
        var after = arguments["after"]?.integerValue.map(Int64.init)
        var assets: [JSONValue] = []
        while assets.count < limit {
            let page = try await named { () async throws(LibraryError) in
                try await library.assets(
                    after: after, limit: min(Self.pageSize, limit - assets.count),
                    newestFirst: newestFirst)
            }
            for asset in page { assets.append(try JSONValue(encoding: asset)) }
            guard let last = page.last, page.count == Self.pageSize else { break }
            after = last.sequence
        }
        return .array(assets)
    }

    /// One asset, with where its file lies.
    public func show(_ arguments: [String: JSONValue]) async throws -> JSONValue {
        let identifier = arguments["id"]?.stringValue ?? ""
        let asset = try await named { () async throws(LibraryError) in
            try await library.asset(id: identifier)
        }
        let path = try await named { () async throws(LibraryError) in
            try await library.originalPath(of: asset)
        }
        guard case .object(var object) = try JSONValue(encoding: asset) else { return .null }
        object["path"] = .string(path)
        return .object(object)
    }

    /// Copies originals into a directory.
    public func export(
        _ arguments: [String: JSONValue], _ progress: @escaping @Sendable (JSONValue) -> Void
    ) async throws -> JSONValue {
        let directory = arguments["directory"]?.stringValue ?? ""
        let identifiers = arguments["ids"]?.arrayValue?.compactMap(\.stringValue)
        let report = try await named { () async throws(LibraryError) in
            try await library.export(identifiers, to: directory) { step in
                progress(
                    .object([
                        "done": .integer(Int64(step.done)), "total": .integer(Int64(step.total)),
                        "bytes": .integer(step.bytes),
                    ]))
            }
        }
        return .object([
            "directory": .string(directory),
            "exported": .integer(Int64(report.exported.count)),
            "skipped": .integer(Int64(report.skipped.count)), "bytes": .integer(report.bytes),
            "failures": .array(
                report.failures.map {
                    .object(["name": .string($0.name), "message": .string($0.error.message)])
                }),
        ])
    }

    private func named<Value>(
        _ body: () async throws(LibraryError) -> Value
    ) async throws(CommandError) -> Value {
        do {
            return try await body()
        } catch {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// A library's refusal with its next step and exit status.
    public init(_ error: LibraryError) {
        let (next, exit): (String, ExitStatus) =
            switch error.code {
            case .notFound: ("See: vitrine library list", .noInput)
            case .ambiguous: ("Give more characters of the id.", .noInput)
            case .busy: ("", .temporary)
            case .full: ("Make room on the file system, or lower [library] reserve_mb.", .temporary)
            case .readOnly: ("See: vitrine status", .temporary)
            case .closed: ("See: vitrine status", .temporary)
            case .permission: ("Use sudo, or run as user vitrine.", .notPermitted)
            default: ("", .io)
            }
        self.init("library.\(error.code.rawValue)", error.message, next: next, exit: exit)
    }
}
