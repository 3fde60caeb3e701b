// SPDX-License-Identifier: GPL-3.0-or-later

internal import ALSA
public import LinuxIO
public import Media
internal import Synchronization

/// What listens at a sound device, on a thread of its own: open only while somebody wants its sound, and opened again
/// after whatever happens to it. A session has it as a ``CaptureDevice/init(microphone:)``.
public final class Microphone: Sendable {
    /// Which device is meant.
    public enum Choice: Sendable, Hashable {
        /// The first that there is.
        case automatic
        /// By the card's id and the device's number, for example `Loopback,1`.
        case named(String)

        /// As the configuration has it: `auto`, or an id; empty for none, which is `nil`.
        public init?(setting: String) {
            if setting.isEmpty { return nil }
            self = setting == "auto" ? .automatic : .named(setting)
        }

        /// What is asked for, for a message; empty for the first that there is.
        var name: String { if case .named(let id) = self { id } else { "" } }

        /// Which of these ids it is; `nil` when it is not there.
        public func device(among ids: [String]) -> String? {
            switch self {
            case .automatic: ids.first
            case .named(let id): ids.contains(id) ? id : nil
            }
        }
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

    /// Which was asked for.
    public let choice: Choice
    /// What it delivers.
    public let format: AudioFormat
    private let mailbox: MicrophoneMailbox
    private let thread: NamedThread

    /// Starts the thread; nothing is opened before it is wanted. Throws when the process is out of descriptors.
    ///
    /// - Parameter format: what ALSA makes of what the device has; 48 kHz of one channel, as most have it.
    public init(
        _ choice: Choice, _ format: AudioFormat = AudioFormat(sampleRate: 48_000, channels: 1)
    ) throws(SystemCallError) {
        (self.choice, self.format) = (choice, format)
        let mailbox = try MicrophoneMailbox()
        self.mailbox = mailbox
        thread = NamedThread("microphone") {
            MicrophoneLoop(choice, format, mailbox).run()
        }
    }

    deinit { mailbox.end() }

    /// How it is doing now.
    public var status: Status { mailbox.status.withLock { $0 } }

    /// Who hears it, from when he says that he wants to until he does not, or is gone.
    public final class Listener: Sendable {
        /// What he hears.
        public let format: AudioFormat
        private let mailbox: MicrophoneMailbox
        private let number: Int

        fileprivate init(
            _ mailbox: MicrophoneMailbox, _ format: AudioFormat,
            _ receive: @escaping @Sendable (AudioChunk) -> Void
        ) {
            self.mailbox = mailbox
            self.format = format
            number = mailbox.add(receive)
        }

        deinit { mailbox.remove(number) }

        /// The device is open while anybody wants it. Any thread; returns at once.
        public func setWanted(_ isWanted: Bool) { mailbox.setWanted(isWanted, number) }
    }

    /// Another one to hear it, when he wants to.
    ///
    /// - Parameter receive: called on the microphone's thread, which it must not hold up.
    public func listen(_ receive: @escaping @Sendable (AudioChunk) -> Void) -> Listener {
        Listener(mailbox, format, receive)
    }

    /// Closes the device and ends the thread.
    public func close() async {
        mailbox.end()
        await thread.join()
    }
}

/// What the microphone's thread is told, and what others may see of it.
final class MicrophoneMailbox: Sendable {
    private struct Ear {
        let receive: @Sendable (AudioChunk) -> Void
        var isOpen = false
        /// It has heard what was before what comes next.
        var isFollowing = false
    }
    private struct Audience {
        var ears: [Int: Ear] = [:]
        var next = 0
    }

    let wake: WakeSignal
    /// Wakes up with ``wake``.
    let idle: Poller
    let status = Mutex(Microphone.Status())
    private let audience = Mutex(Audience())
    private let ended = Atomic<Bool>(false)

    init() throws(SystemCallError) {
        wake = try WakeSignal()
        idle = try Poller.watching(wake)
    }

    var isWanted: Bool {
        !hasEnded && audience.withLock { $0.ears.values.contains(where: \.isOpen) }
    }
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    func add(_ receive: @escaping @Sendable (AudioChunk) -> Void) -> Int {
        audience.withLock { audience in
            audience.next += 1
            audience.ears[audience.next] = Ear(receive: receive)
            return audience.next
        }
    }

    func remove(_ number: Int) {
        let ear = audience.withLock { $0.ears.removeValue(forKey: number) }
        if ear?.isOpen == true { wake.signal() }
    }

    func setWanted(_ isWanted: Bool, _ number: Int) {
        let isNew = audience.withLock { audience in
            let wasOpen = audience.ears[number]?.isOpen
            audience.ears[number]?.isOpen = isWanted
            if !isWanted { audience.ears[number]?.isFollowing = false }
            return wasOpen == !isWanted
        }
        if isNew { wake.signal() }
    }

    /// To everybody who wants it; of who did not a moment ago it follows nothing.
    func deliver(_ chunk: AudioChunk) {
        let ears = audience.withLock { audience in
            let open = audience.ears.filter(\.value.isOpen)
            for (number, ear) in open where !ear.isFollowing {
                audience.ears[number]?.isFollowing = true
            }
            return open.values
        }
        for ear in ears {
            var chunk = chunk
            if !ear.isFollowing { chunk.isFirst = true }
            ear.receive(chunk)
        }
    }

    func end() {
        ended.store(true, ordering: .releasing)
        wake.signal()
    }
}
