// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
package import LinuxIO
internal import Synchronization

/// Loads what a ``ResourceLoader`` asks for, often of a process that has no network. A request that
/// the other end gives up is cancelled. Any thread.
package final class ResourceServer: Sendable {
    private let configure: @Sendable () throws -> HTTPClient.Configuration
    private let silence: Int

    /// - Parameters:
    ///   - silence: How long a server may send nothing before it is asked again, in seconds.
    ///   - configure: Returns the configuration for the next request.
    package init(
        silence: Int = 10, configure: @escaping @Sendable () throws -> HTTPClient.Configuration
    ) {
        (self.silence, self.configure) = (silence, configure)
    }

    /// The most requests at a time.
    private static let mostRequests = 32
    private static let busy = ResourceFailure(
        "resource.busy", "\(mostRequests) resources are open already",
        next: "Try again once fewer media are played.")

    /// Answers the requests of one loader, on a thread of its own, until the loader ends or the
    /// task is cancelled.
    package func serve(_ door: PacketSocket) async {
        let thread = NamedThread("resources") { [self] in
            // Without descriptors, the loader finds that nobody is there.
            try? answerAll(door)
            door.shutdown()
        }
        await withTaskCancellationHandler {
            await thread.join()
        } onCancel: {
            door.shutdown()
        }
    }

    private func answerAll(_ door: PacketSocket) throws(SystemCallError) {
        let poller = try Poller()
        try poller.add(door, tag: 0, for: .readable)
        var running: [UInt64: (socket: PacketSocket, task: Task<Void, Never>)] = [:]
        var last: UInt64 = 0
        defer { for one in running.values { one.task.cancel() } }
        while let event = poller.wait() {
            if event.tag > 0 {
                // The other end has all it wants.
                running.removeValue(forKey: event.tag)?.task.cancel()
                continue
            }
            guard let (request, socket) = Self.receive(door) else { return }
            guard running.count < Self.mostRequests else {
                // A loader that has gone needs no answer.
                try? ResourcePacket.send(.failure, json: Self.busy, to: socket)
                continue
            }
            last += 1
            try poller.add(socket, tag: last, for: [])
            running[last] = (socket, Task { await answer(request, socket) })
        }
    }

    private static func receive(_ door: PacketSocket) -> (ResourceRequest, PacketSocket)? {
        var packet = [UInt8](repeating: 0, count: ResourcePacket.mostBytes)
        var file: PassedFile?
        let count = unsafe packet.withUnsafeMutableBytes { buffer in
            try? unsafe door.receive(into: buffer, file: &file)
        }
        guard let count, count > 0, let file, let socket = try? PacketSocket(file),
            let request = try? JSONDecoder().decode(
                ResourceRequest.self, from: Data(packet[..<count]))
        else { return nil }
        return (request, socket)
    }

    private func answer(_ request: ResourceRequest, _ socket: PacketSocket) async {
        var configuration: HTTPClient.Configuration
        do {
            configuration = try configure()
            (configuration.stallSeconds, configuration.leastBytesPerSecond) = (silence, 1)
            configuration.transfers = 1
        } catch {
            let failure = ResourceFailure(
                "resource.configuration", "the configuration cannot be read: \(error)",
                next: "Check it: vitrine config check")
            try? ResourcePacket.send(.failure, json: failure, to: socket)
            return
        }
        await ResourceTransfer(request, socket).run(configuration)
    }
}
