// SPDX-License-Identifier: GPL-3.0-or-later

internal import Input
internal import LinuxIO
public import Media
internal import Synchronization

/// All buttons of the kiosk: one thread, "buttons", that sleeps until a contact changes and tells at
/// once what a person did.
///
/// A button whose hardware is missing is a state, not an error: it is looked for every two seconds and
/// at ``rescan()``, and the others work meanwhile.
public final class ButtonBoard: Sendable {
    static let retryInterval: Int64 = 2_000_000_000

    let configurations: [ButtonConfiguration]
    let hardware: any ControlHardware
    let repertoire: GestureRepertoire
    let handler: @Sendable (ControlEvent) -> Void
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
    }

    /// - Parameters:
    ///   - repertoire: Which gestures mean something.
    ///   - handler: Called on the thread "buttons" for each edge that may become a press, each press,
    ///     each release and what turned out to be noise, as soon as the kernel reports it, so that the frame of the shutter moment
    ///     can still be leased. Must not block.
    ///   - recognized: Called on the same thread, after the handler, when it is certain what a press
    ///     belongs to: once for each gesture, of however many presses, and once more when a hold ends.
    ///     Must not block.
    /// - Throws: ``ControlsError`` when two buttons bear one name or a key's name is unknown;
    ///   `SystemCallError` when the process is out of descriptors.
    public init(
        _ buttons: [ButtonConfiguration], hardware: any ControlHardware = LinuxControlHardware(),
        repertoire: GestureRepertoire = GestureRepertoire(),
        handler: @escaping @Sendable (ControlEvent) -> Void,
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
                        // Nothing is wrong with what nobody has looked for.
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

    /// Starts the thread, which looks for the hardware first. Once per board; runs until ``stop()``.
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

    /// Ends the thread and gives all hardware back; returns when that is done. For good.
    public func stop() async {
        let thread = shared.withLock { shared in
            shared.isRunning = false
            shared.orders.stop = true
            return shared.thread
        }
        wake.signal()
        await thread?.join()
    }

    /// Looks for missing hardware now, and whether the present one is still there. Returns at once.
    public func rescan() {
        shared.withLock { $0.orders.rescan = true }
        wake.signal()
    }

    /// Makes a gesture on a button of any kind as a person would, without bounces and without the wait:
    /// the handlers are called on the thread "buttons", soon. A hold is let go at once.
    ///
    /// - Parameter name: A button, or for a press a chord of the repertoire.
    /// - Returns: The gesture as the handler gets it; its moment is now.
    @discardableResult
    public func press(
        name: String, gesture: Gesture = .press
    ) throws(ControlsError) -> GestureEvent {
        let isChord = gesture == .press && repertoire.chords[name] != nil
        guard isChord || configurations.contains(where: { $0.name == name }) else {
            let names = configurations.map(\.name).joined(separator: ", ")
            throw ControlsError(
                code: .unknownButton,
                message: "there is no button \"\(name)\", "
                    + (names.isEmpty ? "there is none at all" : "there are \(names)"))
        }
        let event = GestureEvent(name: name, gesture: gesture, moment: Clock.monotonic)
        let isAccepted = shared.withLock { shared in
            if shared.isRunning { shared.orders.gestures.append(event) }
            return shared.isRunning
        }
        guard isAccepted else {
            throw ControlsError(code: .notRunning, message: "the buttons are not running")
        }
        wake.signal()
        return event
    }

    /// How each button is doing, in the order of the configuration.
    public var statistics: [ButtonStatistics] {
        shared.withLock { $0.statistics }
    }

    /// What was ordered since it was last asked; an order to stop stays.
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
