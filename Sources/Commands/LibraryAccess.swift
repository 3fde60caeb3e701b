// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import FoundationEssentials
internal import Library
internal import LinuxIO
internal import Settings

/// The library, through the running appliance or opened directly.
struct LibraryAccess: ParsableArguments {
    @OptionGroup var client: ClientOptions
    @OptionGroup var configuration: ConfigurationOptions

    /// Writes data to the caller's file, and reports it with `--json`.
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

    /// Returns a video.
    /// - Parameter next: The next step for a person who has named something else.
    func video(_ id: String, next: String) async throws -> AssetResource {
        let resource = try await use { try await $0.resource(id: id) }
        guard resource.asset.mediaType == .video else {
            throw CommandError(
                "library.unsupported",
                "asset \(resource.asset.id.uuidString.lowercased()) is not a video", next: next,
                exit: .usage)
        }
        return resource
    }

    /// Returns the running appliance's library; `nil` if this process may open the library itself.
    func running() throws -> RemoteLibrary? {
        do {
            return RemoteLibrary(try client.connect())
        } catch {
            guard client.socket == nil, error.code == "appliance.notRunning" else { throw error }
            return nil
        }
    }

    /// Opens the configured library for `body`. Does not create one.
    func opened<Value>(_ body: (AssetLibrary) async throws -> Value) async throws -> Value {
        try await opened { library, _ in try await body(library) }
    }

    /// Opens the configured library for `body`, and creates a missing one if `creating`. Passes the
    /// identity of the folder's owner if root has taken that on.
    func opened<Value>(
        creating: Bool = false, _ body: (AssetLibrary, OwnerIdentity?) async throws -> Value
    ) async throws -> Value {
        let path = try configuration.load().library.path
        guard try creating || AssetLibrary.exists(at: path) else {
            throw CommandError(
                "library.missing", "there is no library at \(path)",
                next: "Create one by a first photo: vitrine capture photo; or name another "
                    + "configuration: --config FILE",
                exit: .noInput)
        }
        return try await asOwner(of: path) { owner in
            try await readAlone(path) { try await body($0, owner) }
        }
    }

    /// Replaces a damaged database with the best copy, like ``AssetLibrary/salvage(at:)``.
    func salvage() async throws -> SalvageReport? {
        if let running = try running() { return try await running.salvage() }
        let path = try configuration.load().library.path
        return try await asOwner(of: path) { _ in try await AssetLibrary.salvage(at: path) }
    }

    private func readAlone<Value>(
        _ path: String, _ body: (AssetLibrary) async throws -> Value
    ) async throws -> Value {
        let library = try await AssetLibrary.open(at: path)
        do {
            // Waits for the recovery: all assets are there even after a loss of the database.
            _ = await library.recovered()
            let value = try await body(library)
            await library.close()
            return value
        } catch {
            await library.close()
            throw error
        }
    }

    /// Makes all the changes that `request` collects or none, and prints how many assets and
    /// collections changed.
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

    func use<Value>(_ body: (any AssetEditor) async throws -> Value) async throws -> Value {
        if let running = try running() { return try await body(running) }
        return try await opened { try await body($0) }
    }
}

/// Runs `body` as the owner of the folder if this process is root, so that the service can use
/// every file that it creates.
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
