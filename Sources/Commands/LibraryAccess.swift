// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Library
internal import LinuxIO
internal import Settings

/// The library, through the running appliance or alone.
struct LibraryAccess: ParsableArguments {
    @OptionGroup var client: ClientOptions
    @OptionGroup var configuration: ConfigurationOptions

    /// Writes what was made to a caller's file, and says so with `--json`.
    func deliver(_ bytes: Data, to file: String) throws {
        do {
            try bytes.write(to: URL(filePath: file))
        } catch {
            throw CommandError(cannotWrite: file, error)
        }
        guard client.json else { return }
        print(
            try jsonLine([
                "file": JSONValue.string(file), "bytes": .integer(Int64(bytes.count)),
            ]))
    }

    /// The running appliance's library; `nil` when none runs and the library may be opened.
    func running() throws -> RemoteLibrary? {
        do {
            return RemoteLibrary(try client.connect())
        } catch {
            guard client.socket == nil, error.code == "appliance.notRunning" else { throw error }
            return nil
        }
    }

    /// Opens the configuration's library for `body` alone. Where there is none, none is made.
    func opened<Value>(_ body: (AssetLibrary) async throws -> Value) async throws -> Value {
        try await opened { library, _ in try await body(library) }
    }

    /// As ``opened(_:)``; tells `body` whose rights root has taken on for it.
    ///
    /// - Parameter creating: Makes the library where there is none.
    func opened<Value>(
        creating: Bool = false, _ body: (AssetLibrary, OwnerIdentity?) async throws -> Value
    ) async throws -> Value {
        let path = try configuration.load().library.path
        guard try creating || AssetLibrary.exists(at: path) else {
            throw CommandError(
                "library.missing", "there is no library at \(path)",
                next: "The first photo makes one: vitrine capture photo; or name the "
                    + "configuration of another: --config FILE",
                exit: .noInput)
        }
        return try await asOwner(of: path) { owner in
            try await readAlone(path) { try await body($0, owner) }
        }
    }

    /// Puts the best that can be had in the place of a damaged database, as ``AssetLibrary/salvage(at:)``.
    func salvage() async throws -> SalvageReport? {
        if let running = try running() { return try await running.salvage() }
        let path = try configuration.load().library.path
        return try await asOwner(of: path) { _ in try await AssetLibrary.salvage(at: path) }
    }

    /// Root makes nothing in the library's folder that the service could not use.
    func asOwner<Value>(
        of path: String, _ body: (OwnerIdentity?) async throws -> Value
    ) async throws -> Value {
        let owner = try OwnerIdentity(ofFolder: path)
        do {
            let value = try await body(owner)
            try owner?.end()
            return value
        } catch {
            try owner?.end()
            throw error
        }
    }

    private func readAlone<Value>(
        _ path: String, _ body: (AssetLibrary) async throws -> Value
    ) async throws -> Value {
        let library = try await AssetLibrary.open(at: path)
        do {
            // All that is there, also after the database was lost.
            _ = await library.recovered()
            let value = try await body(library)
            await library.close()
            return value
        } catch {
            await library.close()
            throw error
        }
    }

    /// Makes the changes that `request` puts together, all or none, and says how many assets and collections
    /// are not as they were.
    func change(
        _ request: (any AssetEditor, inout LibraryChanges) async throws -> Void
    ) async throws {
        let count = try await use { library in
            var changes = LibraryChanges()
            try await request(library, &changes)
            return try await library.perform(changes)
        }
        print(client.json ? try jsonLine(["changed": count]) : "\(count) changed")
    }

    /// Uses whichever it is.
    func use<Value>(_ body: (any AssetEditor) async throws -> Value) async throws -> Value {
        if let running = try running() { return try await body(running) }
        return try await opened { try await body($0) }
    }
}
