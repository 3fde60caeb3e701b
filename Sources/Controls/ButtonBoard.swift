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
    let handler: @Sendable (ControlEvent) -> Void
    let poller: Poller
    private let wake: WakeSignal
    private let shared: Mutex<Shared>

    struct Orders {
        var presses: [ControlEvent] = []
        var rescan = false
        var stop = false
    }

    private struct Shared {
        var orders = Orders()
        var statistics: [ButtonStatistics]
        var thread: NamedThread?
        var isRunning = false
    }

    /// - Parameter handler: Called on the thread "buttons" for each press and release as soon as the
    ///   kernel reports it, so that the frame of the shutter moment can still be leased. Must not
    ///   block.
    /// - Throws: ``ControlsError`` when two buttons bear one name or a key's name is unknown;
    ///   `SystemCallError` when the process is out of descriptors.
    public init(
        _ buttons: [ButtonConfiguration], hardware: any ControlHardware = LinuxControlHardware(),
        handler: @escaping @Sendable (ControlEvent) -> Void
    ) throws {
        try ButtonBoard.check(buttons)
        configurations = buttons
        self.hardware = hardware
        self.handler = handler
        poller = try Poller()
        wake = try WakeSignal()
        try poller.add(wake, tag: ButtonLoop.wakeTag)
        shared = Mutex(
            Shared(
                statistics: buttons.map {
                    ButtonStatistics(
                        name: $0.name, presses: 0, bounces: 0,
                        state: $0.source == .virtual ? .ready : .missing,
                        problem: $0.source == .virtual ? "" : "not started")
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
            shared.thread = NamedThread("buttons") { [self] in
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

    /// Presses and releases a button of any kind as a person would, but without bounces: the handler
    /// is called on the thread "buttons", soon.
    ///
    /// - Returns: The press as the handler gets it; its time is now.
    @discardableResult
    public func press(name: String) throws(ControlsError) -> ControlEvent {
        guard configurations.contains(where: { $0.name == name }) else {
            let names = configurations.map(\.name).joined(separator: ", ")
            throw ControlsError(
                code: .unknownButton,
                message: "there is no button \"\(name)\", "
                    + (names.isEmpty ? "there is none at all" : "there are \(names)"))
        }
        let event = ControlEvent(name: name, phase: .press, timestamp: Clock.monotonic)
        let isAccepted = shared.withLock { shared in
            if shared.isRunning { shared.orders.presses.append(event) }
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
