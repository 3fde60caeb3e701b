// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
internal import Synchronization

extension CaptureDevice {
    /// A device that is plugged in.
    public struct Attached: Sendable, Hashable {
        /// The kind of media that the device delivers.
        public let mediaType: MediaType
        /// The name that the device reports.
        public let name: String
        /// A camera's device node, or a microphone's id for ``Microphone/Choice/named(_:)``.
        public let id: String

        /// Returns the devices attached now, and cameras of `before` whose node fails to answer.
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

    /// A change of the attached devices, whether they are in use or not.
    public enum Notification: Sendable, Hashable {
        case wasConnected(Attached)
        case wasDisconnected(Attached)
    }

    /// Returns a sequence of devices plugged in and out from now on (AVCaptureDeviceWasConnected
    /// and AVCaptureDeviceWasDisconnected). Dropping the sequence ends it. Throws when libudev
    /// cannot monitor devices, or the process is out of descriptors.
    public static func notifications() throws(SystemCallError) -> AsyncStream<Notification> {
        let (stream, continuation) = AsyncStream.makeStream(of: Notification.self)
        let roll = Roll()
        let monitor = try DeviceMonitor(subsystems: ["video4linux", "sound"]) { _ in
            for change in roll.call() { continuation.yield(change) }
        }
        // List the devices once the monitor listens, so that no change is missed in between.
        _ = roll.call()
        continuation.onTermination = { _ in Task { await monitor.stop() } }
        return stream
    }

    private final class Roll: Sendable {
        private let known = Mutex<Set<Attached>?>(nil)

        /// - Returns: the changes since the last call; none the first time.
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
