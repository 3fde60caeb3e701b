// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
internal import Synchronization

extension CaptureDevice {
    /// A device that is plugged in.
    public struct Attached: Sendable, Hashable {
        /// What it delivers.
        public let mediaType: MediaType
        /// What it calls itself.
        public let name: String
        /// Of a camera its device node; of a microphone what a ``Microphone/Choice/named(_:)`` takes.
        public let id: String

        /// Those that there are now, in the place of those that there were: a camera that cannot be asked has not gone.
        static func all(after before: Set<Attached>) -> Set<Attached> {
            let found = V4L2Camera.discover()
            let refused = Set(found.refusals.map(\.path))
            let cameras = found.cameras.map {
                Attached(mediaType: .video, name: $0.identity.name, id: $0.identity.path)
            }
            let microphones = Microphone.devices.map {
                Attached(mediaType: .audio, name: $0.name, id: $0.id)
            }
            return Set(cameras + microphones).union(
                before.filter { $0.mediaType == .video && refused.contains($0.id) })
        }
    }

    /// What happens to devices, whether anybody uses them or not.
    public enum Notification: Sendable, Hashable {
        case wasConnected(Attached)
        case wasDisconnected(Attached)
    }

    /// What is plugged in and out from now on (AVCaptureDeviceWasConnected and AVCaptureDeviceWasDisconnected). Dropping
    /// the sequence ends it.
    ///
    /// - Throws: when libudev refuses to listen, or the process is out of descriptors.
    public static func notifications() throws(SystemCallError) -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(of: Notification.self)
        let roll = Roll()
        let monitor = try DeviceMonitor(subsystems: ["video4linux", "sound"]) { _ in
            for change in roll.call() { continuation.yield(change) }
        }
        // Once it listens, so that nothing is missed in between.
        _ = roll.call()
        continuation.onTermination = { _ in Task { await monitor.stop() } }
        return stream
    }

    /// Who was there when it was called last.
    private final class Roll: Sendable {
        private let known = Mutex<Set<Attached>?>(nil)

        /// - Returns: what has changed since; nothing the first time.
        func call() -> [Notification] {
            known.withLock { known in
                let now = Attached.all(after: known ?? [])
                defer { known = now }
                guard let before = known else { return [] }
                return before.subtracting(now).map { .wasDisconnected($0) }
                    + now.subtracting(before).map { .wasConnected($0) }
            }
        }
    }
}
