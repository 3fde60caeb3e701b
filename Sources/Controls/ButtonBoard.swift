// SPDX-License-Identifier: GPL-3.0-or-later

internal import Input
internal import LinuxIO
public import Media
internal import Synchronization

/// All buttons of the kiosk. One thread, "buttons", sleeps until a contact changes and reports at
/// once what a person did.
///
/// Missing hardware is a state, not an error: the board looks for it every two seconds and at
/// ``rescan()``, while the other buttons work.
public final class ButtonBoard: Sendable {
    static let retryInterval: Int64 = 2_000_000_000

    let configurations: [ButtonConfiguration]
    let hardware: any ControlHardware
    let repertoire: GestureRepertoire
    let handler: @Sendable (ControlEvent) -> FrameReservation?
    let recognized: @Sendable (GestureEvent) -> Void
    let poller: Poller
    private let wake: WakeSignal
    private let shared: Mutex<Shared>

    struct Orders {
        var gestures: [GestureEvent] = []
        var rescan = false
        var stop = false
    }

    private struct Shared {
        var orders = Orders()
        var statistics: [ButtonStatistics]
        var thread: NamedThread?
        var isRunning = false
        var lastCommand = 0
    }

    /// Creates a board; ``start()`` starts its thread. Neither handler may block.
    /// - Parameters:
    ///   - repertoire: The gestures that have a meaning.
    ///   - handler: Called on the thread "buttons" for each edge that may become a press, each
    ///     press, each release and each edge that proves to be noise, as soon as the kernel reports
    ///     the edge, so that the frame of the shutter moment can still be leased. The reservation
    ///     that it returns for an edge travels with the press; others are ignored.
    ///   - recognized: Called on the same thread, after the handler, when it is certain which
    ///     gesture a press belongs to: once per gesture, and once more when a hold ends.
    /// - Throws: ``ControlsError`` if two buttons have the same name or a key's name is unknown;
    ///   `SystemCallError` if the process is out of descriptors.
    public init(
        _ buttons: [ButtonConfiguration], hardware: any ControlHardware = LinuxControlHardware(),
        repertoire: GestureRepertoire = GestureRepertoire(),
        handler: @escaping @Sendable (ControlEvent) -> FrameReservation?,
        recognized: @escaping @Sendable (GestureEvent) -> Void = { _ in }
    ) throws {
        try ButtonBoard.check(buttons)
        configurations = buttons
        self.hardware = hardware
        self.repertoire = repertoire
        self.handler = handler
        self.recognized = recognized
        poller = try Poller()
        wake = try WakeSignal()
        try poller.add(wake, tag: ButtonLoop.wakeTag)
        shared = Mutex(
            Shared(
                statistics: buttons.map {
                    ButtonStatistics(
                        name: $0.name, presses: 0, bounces: 0,
                        // Until the board has looked for hardware, no problem is known.
                        state: $0.source == .virtual ? .ready : .missing, problem: "")
                }))
    }

    private static func check(_ buttons: [ButtonConfiguration]) throws(ControlsError) {
        var names: Set<String> = []
        for button in buttons {
            if !names.insert(button.name).inserted {
                throw ControlsError(
                    code: .duplicateName, message: "two buttons are named \"\(button.name)\"")
            }
            if case .key(let key, _) = button.source, KeyCode(name: key) == nil {
                throw ControlsError(
                    code: .unknownKey,
                    message: "button \"\(button.name)\": there is no key \"\(key)\"; names are "
                        + "those of linux/input-event-codes.h, such as KEY_ENTER")
            }
        }
    }

    /// Starts the thread, once. It first looks for the hardware, and runs until ``stop()``.
    public func start() {
        shared.withLock { shared in
            guard shared.thread == nil, !shared.orders.stop else { return }
            shared.isRunning = true
            shared.thread = NamedThread("buttons", isUrgent: true) { [self] in
                var loop = ButtonLoop(self)
                loop.run()
            }
        }
    }

    /// Stops the thread for good and returns when it has released all hardware.
    public func stop() async {
        let thread = shared.withLock { shared in
            shared.isRunning = false
            shared.orders.stop = true
            return shared.thread
        }
        wake.signal()
        await thread?.join()
    }

    /// Makes the thread look for missing hardware, and check the present hardware. Returns at once.
    public func rescan() {
        shared.withLock { $0.orders.rescan = true }
        wake.signal()
    }

    /// Makes a gesture on a button of any kind as a person would, but without bounces and without
    /// waiting. The handlers are called soon, on the thread "buttons". A hold ends at once.
    /// - Parameter name: A button, or for a press a chord of the repertoire.
    /// - Returns: the gesture's ``GestureEvent/command``.
    @discardableResult
    public func press(
        name: String, gesture: Gesture = .press
    ) throws(ControlsError) -> Int {
        let isChord = gesture == .press && repertoire.chords[name] != nil
        guard isChord || configurations.contains(where: { $0.name == name }) else {
            let names = configurations.map(\.name).joined(separator: ", ")
            throw ControlsError(
                code: .unknownButton,
                message: "there is no button \"\(name)\", "
                    + (names.isEmpty ? "there are no buttons" : "there are \(names)"))
        }
        let press = ControlEvent(name: name, phase: .press, timestamp: Clock.monotonic)
        let command = shared.withLock { shared -> Int? in
            guard shared.isRunning else { return nil }
            shared.lastCommand += 1
            shared.orders.gestures.append(
                GestureEvent(
                    name: name, gesture: gesture, presses: [press], command: shared.lastCommand))
            return shared.lastCommand
        }
        guard let command else {
            throw ControlsError(code: .notRunning, message: "the buttons are not running")
        }
        wake.signal()
        return command
    }

    /// The statistics of each button, in the order of the configuration.
    public var statistics: [ButtonStatistics] {
        shared.withLock { $0.statistics }
    }

    /// Returns and clears the waiting orders. An order to stop stays set.
    func takeOrders() -> Orders {
        shared.withLock { shared in
            defer { shared.orders = Orders(stop: shared.orders.stop) }
            return shared.orders
        }
    }

    func publish(_ statistics: ButtonStatistics, at index: Int) {
        shared.withLock { $0.statistics[index] = statistics }
    }
}
