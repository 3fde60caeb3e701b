// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import FoundationEssentials
internal import Library
internal import LibraryService
internal import LinuxIO

/// Answers the verbs of the sync, which its service and the command `vitrine sync` ask.
struct SyncVerbs {
    let library: AssetLibrary
    let desk: SyncDesk
    /// The appliance's own remote; `nil` without one.
    let configured: SyncRemote?
    /// The process that asks; 0 if unknown.
    let process: Int32
    /// The file that the process has handed over.
    let file: PassedFile?

    /// Answers a verb; returns `nil` for an unknown one.
    func answer(
        _ verb: String, _ arguments: [String: JSONValue]
    ) async throws -> (any Encodable & Sendable)? {
        switch verb {
        case "sync.begin":
            try await desk.begin(process)
            try await library.beginSync(
                with: try remote(arguments),
                renditions: arguments["renditions"]?.boolValue ?? false)
            return JSONValue.null
        case "sync.end":
            await desk.end(process)
            return JSONValue.null
        case "sync.entries":
            return try await library.syncEntries(
                of: try remote(arguments), after: arguments["after"]?.stringValue ?? "",
                limit: min(arguments["limit"]?.integerValue ?? 1, LibraryVerbs.pageSize))
        case "sync.exchange":
            // The pause survives a restart.
            await desk.setPaused(try await library.syncBacklog(of: configured).isPaused)
            return await desk.exchange(
                try arguments["report"]?.decoded() ?? SyncServiceReport(.idle),
                knowing: arguments["revision"]?.integerValue.map(Int64.init) ?? 0)
        case "sync.fetch":
            let id = arguments["id"]?.stringValue ?? ""
            let asset = try await library.asset(id: id)
            guard asset.isRemoteOnly else { return 0 }
            let bytes = asset.bytes + (asset.alternatePhoto?.bytes ?? 0)
            do throws(SyncFailure) {
                try await desk.bringBack(
                    asset.id.text, within: SyncedOriginals.limit(bytes: bytes))
            } catch {
                throw CommandError(error.code, error.message, next: error.next, exit: .io)
            }
            return bytes
        case "sync.next":
            return try await library.nextObjects(
                for: try remote(arguments), limit: arguments["limit"]?.integerValue ?? 1)
        case "sync.pause":
            let isPaused = arguments["paused"]?.boolValue ?? true
            try await library.setSyncPaused(isPaused, of: try remote(arguments))
            await desk.setPaused(isPaused)
            return JSONValue.null
        case "sync.progress":
            return try await library.syncProgress(of: try remote(arguments))
        case "sync.putBack":
            guard let file, let id = UUID(uuidString: arguments["asset"]?.stringValue ?? "") else {
                throw LibraryError(.invalidValue, "a request without a file or asset")
            }
            try await library.putBack(
                file, sha256: arguments["sha256"]?.stringValue ?? "", of: id)
            return JSONValue.null
        case "sync.record":
            try await library.record(
                try arguments["reports"]?.decoded() ?? [], for: try remote(arguments))
            return JSONValue.null
        case "sync.retry":
            try await library.retryFailed(for: try remote(arguments))
            return JSONValue.null
        case "sync.returned":
            await desk.returned(
                arguments["asset"]?.stringValue ?? "", try arguments["failure"]?.decoded())
            return JSONValue.null
        case "sync.returning":
            return try await library.returningObjects(
                of: arguments["id"]?.stringValue ?? "", at: try remote(arguments))
        case "sync.run": return await desk.requestRun()
        case "sync.service": return await desk.report
        default: return nil
        }
    }

    private func remote(_ arguments: [String: JSONValue]) throws -> SyncRemote {
        guard let remote = arguments["remote"] else {
            throw LibraryError(.invalidValue, "a request without a remote")
        }
        return try remote.decoded()
    }
}
