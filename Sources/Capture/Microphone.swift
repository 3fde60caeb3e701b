// SPDX-License-Identifier: GPL-3.0-or-later

internal import ALSA
public import LinuxIO
public import Media
internal import Synchronization

/// A sound device on a thread of its own: open only while somebody wants its sound, and opened again after whatever
/// happens to it.
public final class Microphone: Sendable {
    /// Which device is meant.
    public enum Choice: Sendable, Hashable {
        /// The first that there is.
        case automatic
        /// By the card's id and the device's number, for example `Loopback,1`.
        case named(String)
    }

    /// A sound device that there is now.
    public struct Device: Sendable {
        /// What a ``Choice/named(_:)`` takes.
        public let id: String
        /// What its card calls itself.
        public let name: String
    }

    /// Those that record, in the kernel's order.
    public static var devices: [Device] {
        SoundCard.all.map { Device(id: $0.id, name: $0.name) }
    }

    /// How it is doing.
    public struct Status: Sendable {
        /// The device that is open; empty when none is.
        public internal(set) var device = ""
        /// Why none can be had, though it is wanted.
        public internal(set) var problem: String?
        /// The largest sample of late, from 0 to 1; it falls by half in a third of a second.
        public internal(set) var level = 0.0
        /// How often samples were lost.
        public internal(set) var overruns = 0
    }

    /// What it delivers.
    public let format: AudioFormat
    private let mailbox: MicrophoneMailbox
    private let thread: NamedThread

    /// Starts the thread; nothing is opened before it is wanted.
    ///
    /// - Parameter receive: called on the microphone's thread, which it must not hold up.
    public init(
        _ choice: Choice, _ format: AudioFormat, receive: @escaping @Sendable (AudioChunk) -> Void
    ) throws(SystemCallError) {
        self.format = format
        let mailbox = try MicrophoneMailbox()
        self.mailbox = mailbox
        thread = NamedThread("microphone") {
            let loop = MicrophoneLoop(choice, format, mailbox, receive)
            do {
                try loop.run()
            } catch {
                preconditionFailure("microphone thread: \(error)")
            }
        }
    }

    deinit { mailbox.end() }

    /// How it is doing now.
    public var status: Status { mailbox.status.withLock { $0 } }

    /// Opens the device, or closes it. Any thread; returns at once.
    public func setWanted(_ isWanted: Bool) { mailbox.setWanted(isWanted) }

    /// Closes the device and ends the thread.
    public func close() async {
        mailbox.end()
        await thread.join()
    }
}

/// What the microphone's thread is told, and what others may see of it.
final class MicrophoneMailbox: Sendable {
    let wake: WakeSignal
    let status = Mutex(Microphone.Status())
    private let wanted = Atomic<Bool>(false)
    private let ended = Atomic<Bool>(false)

    init() throws(SystemCallError) { wake = try WakeSignal() }

    var isWanted: Bool { wanted.load(ordering: .acquiring) && !hasEnded }
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    func setWanted(_ isWanted: Bool) {
        if wanted.exchange(isWanted, ordering: .acquiringAndReleasing) != isWanted {
            wake.signal()
        }
    }

    func end() {
        ended.store(true, ordering: .releasing)
        wake.signal()
    }
}
