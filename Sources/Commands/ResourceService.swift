// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import LinuxIO
internal import Network

/// Opens URLs for the appliance, which has no network of its own. It goes on while the appliance
/// restarts. Its requests block, so it has a thread of its own.
actor ResourceService {
    private let executor = ThreadExecutor("resource-offer")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private let server: ResourceServer
    private let paths: [String]

    /// - Parameter paths: The paths where the appliance's socket may be.
    init(_ server: ResourceServer, paths: [String]) { (self.server, self.paths) = (server, paths) }

    /// The pause before the next attempt to reach the appliance.
    private static let reconnection = Duration.seconds(5)

    /// Runs until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            if let door = try? offer() { await server.serve(door) }
            try? await Task.sleep(for: Self.reconnection)
        }
    }

    /// Gives the appliance one end of a connection, and returns the other one.
    private func offer() throws -> PacketSocket {
        let (here, there) = try PacketSocket.pair()
        let _: JSONValue = try ControlClient(paths: paths).request(
            "sync.resources", passing: [there.passed])
        return here
    }
}
