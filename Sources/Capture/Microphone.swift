// SPDX-License-Identifier: GPL-3.0-or-later

internal import ALSA
public import LinuxIO
public import Media
internal import Synchronization

/// Records from a sound device on its own thread. The device is open only while a listener wants
/// sound, and is opened again after any failure. Pass it to a session as a
/// ``CaptureDevice/init(microphone:)``.
public final class Microphone: Sendable {
    /// The requested sound device.
    public enum Choice: Sendable, Hashable {
        /// The first available device.
        case automatic
        /// The device with this card id and device number, for example `Loopback,1`.
        case named(String)

        /// Parses a configuration value: `auto`, or an id. An empty one gives `nil`: no microphone.
        public init?(setting: String) {
            if setting.isEmpty { return nil }
            self = setting == "auto" ? .automatic : .named(setting)
        }

        /// The requested id, for messages; empty for the first available device.
        var name: String { if case .named(let id) = self { id } else { "" } }

        /// Returns the id among these that is meant; `nil` if the device is missing.
        public func device(among ids: [String]) -> String? {
            switch self {
            case .automatic: ids.first
            case .named(let id): ids.contains(id) ? id : nil
            }
        }
    }

    /// A sound device that is plugged in.
    public struct Device: Sendable {
        /// The id for ``Choice/named(_:)``.
        public let id: String
        /// The name that the card reports.
        public let name: String
    }

    /// The recording devices, in the kernel's order.
    public static var devices: [Device] {
        SoundCard.all.map { Device(id: $0.id, name: $0.name) }
    }

    /// The state of a microphone.
    public struct Status: Sendable {
        /// The open device; empty if none is open.
        public internal(set) var device = ""
        /// The reason why no device can be opened although one is wanted.
        public internal(set) var problem: String?
        /// The recent peak level, from 0 to 1; it halves in a third of a second.
        public internal(set) var level = 0.0
        /// How often samples were lost.
        public internal(set) var overruns = 0
    }

    /// The requested device.
    public let choice: Choice
    /// The format of the sound.
    public let format: AudioFormat
    private let mailbox: MicrophoneMailbox
    private let thread: NamedThread

    /// Starts the thread; the device is opened once a listener wants sound. ALSA converts to
    /// `format`; most devices have the default, 48 kHz mono. Throws only for lack of descriptors.
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

    /// The present state.
    public var status: Status { mailbox.status.withLock { $0 } }

    /// A subscription to a microphone's sound, which ends when the listener is released.
    public final class Listener: Sendable {
        /// The format of the sound.
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

        /// Sets whether this listener wants sound: the device is open while any does. Any thread;
        /// returns at once.
        public func setWanted(_ isWanted: Bool) { mailbox.setWanted(isWanted, number) }
    }

    /// Adds a listener, which does not want sound yet. `receive` is called on the microphone's
    /// thread, which it must not block.
    public func listen(_ receive: @escaping @Sendable (AudioChunk) -> Void) -> Listener {
        Listener(mailbox, format, receive)
    }

    /// Closes the device and ends the thread.
    public func close() async {
        mailbox.end()
        await thread.join()
    }
}

final class MicrophoneMailbox: Sendable {
    private struct Subscriber {
        let receive: @Sendable (AudioChunk) -> Void
        var isOpen = false
        /// Whether the listener received the previous chunk.
        var isFollowing = false
    }
    private struct Subscriptions {
        var subscribers: [Int: Subscriber] = [:]
        var next = 0
    }

    let wake: WakeSignal
    let idle: Poller
    let status = Mutex(Microphone.Status())
    private let subscriptions = Mutex(Subscriptions())
    private let ended = Atomic<Bool>(false)

    init() throws(SystemCallError) {
        wake = try WakeSignal()
        idle = try Poller.watching(wake)
    }

    var isWanted: Bool {
        !hasEnded && subscriptions.withLock { $0.subscribers.values.contains(where: \.isOpen) }
    }
    var hasEnded: Bool { ended.load(ordering: .acquiring) }

    func add(_ receive: @escaping @Sendable (AudioChunk) -> Void) -> Int {
        subscriptions.withLock { subscriptions in
            subscriptions.next += 1
            subscriptions.subscribers[subscriptions.next] = Subscriber(receive: receive)
            return subscriptions.next
        }
    }

    func remove(_ number: Int) {
        let subscriber = subscriptions.withLock { $0.subscribers.removeValue(forKey: number) }
        if subscriber?.isOpen == true { wake.signal() }
    }

    func setWanted(_ isWanted: Bool, _ number: Int) {
        let isNew = subscriptions.withLock { subscriptions in
            let wasOpen = subscriptions.subscribers[number]?.isOpen
            subscriptions.subscribers[number]?.isOpen = isWanted
            if !isWanted { subscriptions.subscribers[number]?.isFollowing = false }
            return wasOpen == !isWanted
        }
        if isNew { wake.signal() }
    }

    /// Delivers a chunk to every listener that wants sound; each one's first chunk is `isFirst`.
    func deliver(_ chunk: AudioChunk) {
        let subscribers = subscriptions.withLock { subscriptions in
            let open = subscriptions.subscribers.filter(\.value.isOpen)
            for (number, subscriber) in open where !subscriber.isFollowing {
                subscriptions.subscribers[number]?.isFollowing = true
            }
            return open.values
        }
        for subscriber in subscribers {
            var chunk = chunk
            if !subscriber.isFollowing { chunk.isFirst = true }
            subscriber.receive(chunk)
        }
    }

    func end() {
        ended.store(true, ordering: .releasing)
        wake.signal()
    }
}
