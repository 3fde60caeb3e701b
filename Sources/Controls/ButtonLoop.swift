// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Input
internal import LinuxIO
internal import Media

/// The loop of the thread "buttons". It owns every open source and every button's debouncer.
struct ButtonLoop: ~Copyable {
    static let wakeTag: UInt64 = 0

    struct OpenSource {
        let tag: UInt64
        let source: any ButtonSource
        /// An input device's file; `nil` for a line.
        let path: String?
        var buttons: [Int]
    }

    let board: ButtonBoard
    var buttons: [WatchedButton]
    private var recognizer: GestureRecognizer
    var sources: [OpenSource] = []
    var lastTag = ButtonLoop.wakeTag
    var nextRetry: Int64?

    init(_ board: ButtonBoard) {
        self.board = board
        buttons = board.configurations.map { configuration in
            var contact = Contact.only
            if case .key(let name, _) = configuration.source, let key = KeyCode(name: name) {
                contact = Contact(number: key.number)
            }
            let stuckAfter = Int64(configuration.stuckSeconds) * 1_000_000_000
            return WatchedButton(
                configuration: configuration, contact: contact,
                health: ContactHealth(stuckAfter: stuckAfter > 0 ? stuckAfter : nil))
        }
        recognizer = GestureRecognizer(board.repertoire)
    }

    mutating func run() {
        openMissing()
        while true {
            let event = board.poller.wait(milliseconds: milliseconds(until: nextDeadline))
            if let event, event.tag != ButtonLoop.wakeTag {
                read(event)
            }
            let orders = board.takeOrders()
            if orders.stop { return }
            for gesture in orders.gestures { inject(gesture) }
            if orders.rescan {
                checkPresent()
                openMissing()
            }
            settle()
            examine()
            recognizeDue()
            if let nextRetry, Clock.monotonic >= nextRetry { openMissing() }
        }
    }

    private var nextDeadline: Int64? {
        let deadlines = buttons.flatMap {
            [$0.debouncer?.nextDeadline, $0.debouncer == nil ? nil : $0.health.nextDeadline]
        }
        // An edge that a gesture waits for may have happened but not been reported yet: the
        // contact's deadline then comes first.
        let gesture = recognizer.nextDeadline.flatMap { deadline in
            undecidedSince.map { deadline < $0 } ?? true ? deadline : nil
        }
        return (deadlines + [nextRetry, gesture]).compactMap(\.self).min()
    }

    private var undecidedSince: Int64? {
        buttons.compactMap { $0.health.isMuted ? nil : $0.debouncer?.undecidedSince }.min()
    }

    /// Recognises the gestures that are certain now, after reading all edges that came before.
    private mutating func recognizeDue() {
        let now = Clock.monotonic
        guard let deadline = recognizer.nextDeadline, deadline <= now else { return }
        for source in sources {
            do throws(SystemCallError) { try drain(source) } catch { drop(source.tag, error) }
        }
        let limit = undecidedSince.map { min(now, $0 - 1) } ?? now
        recognize { $0.advance(to: limit) }
    }

    /// Returns the time until a deadline, rounded up so that the deadline has come after the sleep.
    private func milliseconds(until deadline: Int64?) -> Int32 {
        guard let deadline else { return -1 }
        let left = (deadline - Clock.monotonic + 999_999) / 1_000_000
        return Int32(clamping: max(0, left))
    }

    // MARK: Edges

    private mutating func read(_ event: Poller.Event) {
        guard let source = sources.first(where: { $0.tag == event.tag }) else { return }
        do throws(SystemCallError) {
            try drain(source)
            // Older kernels report the loss of a chip only by these flags; reading then finds
            // nothing.
            if !event.readiness.isDisjoint(with: [.error, .hangup]) {
                throw SystemCallError(call: "poll", code: ENODEV, path: source.source.name)
            }
        } catch {
            drop(event.tag, error)
        }
    }

    mutating func drain(_ source: OpenSource) throws(SystemCallError) {
        var edges: [ContactEdge] = []
        defer { for edge in edges { handle(edge, from: source) } }
        try source.source.readEdges { edges.append($0) }
    }

    private mutating func handle(_ edge: ContactEdge, from source: OpenSource) {
        // A timestamp in the future comes from another clock (kernels before 5.7). The button would
        // ignore edges until then.
        let time = min(edge.timestamp, Clock.monotonic)
        for index in source.buttons where buttons[index].contact == edge.contact {
            guard let outcome = buttons[index].debouncer?.edge(edge.isActive, at: time) else {
                continue
            }
            tell(outcome, of: index)
            watch(index) { $0.edge(at: time) }
        }
    }

    private mutating func settle() {
        for index in buttons.indices {
            guard let deadline = buttons[index].debouncer?.nextDeadline else { continue }
            let now = Clock.monotonic
            guard now >= deadline else { continue }
            // The level is read between two readings of edges. An edge that comes after the level
            // moves the deadline, and the debouncer then ignores the level.
            var isActive = false
            for source in sources where source.buttons.contains(index) {
                do throws(SystemCallError) {
                    try drain(source)
                    if try source.source.isActive(buttons[index].contact) { isActive = true }
                    try drain(source)
                } catch {
                    drop(source.tag, error)
                }
            }
            guard let outcome = buttons[index].debouncer?.settle(level: isActive, at: now) else {
                continue
            }
            tell(outcome, of: index)
        }
    }

    /// Performs a gesture that a command asked for. It needs no hardware and is never muted.
    private mutating func inject(_ gesture: GestureEvent) {
        let members = board.repertoire.chords[gesture.name] ?? [gesture.name]
        for index in buttons.indices where members.contains(buttons[index].configuration.name) {
            buttons[index].presses += 1
            board.publish(buttons[index].statistics, at: index)
        }
        func tell(_ phase: ControlEvent.Phase) -> FrameReservation? {
            board.handler(
                ControlEvent(name: gesture.name, phase: phase, timestamp: gesture.moment))
        }
        var gesture = gesture
        gesture.presses[0].reservation = tell(.edge)
        _ = tell(.press)
        board.recognized(gesture)
        gesture.presses[0].reservation = nil
        if gesture.gesture == .hold {
            var end = gesture
            end.phase = .ended
            board.recognized(end)
        }
        _ = tell(.release)
    }

    mutating func tell(_ outcome: Debouncer.Outcome, of index: Int) {
        // The outcome that mutes a button is still reported, so that every edge is followed by its
        // press or noise.
        if !buttons[index].health.isMuted {
            if let time = outcome.released { send(.release, time, of: index) }
            if let time = outcome.rejected { send(.noise, time, of: index) }
            if let time = outcome.touched { send(.edge, time, of: index) }
            if let time = outcome.pressed {
                buttons[index].presses += 1
                send(.press, time, of: index)
            }
        }
        let isPressed = buttons[index].debouncer?.isPressed ?? false
        watch(index) { health in
            if outcome.pressed != nil { health.countPress() }
            health.contact(isPressed: isPressed, at: Clock.monotonic)
        }
        board.publish(buttons[index].statistics, at: index)
    }

    private mutating func send(_ phase: ControlEvent.Phase, _ time: Int64, of index: Int) {
        var event = ControlEvent(
            name: buttons[index].configuration.name, phase: phase, timestamp: time)
        let reservation = board.handler(event)
        switch phase {
        case .edge: buttons[index].reservation = reservation
        case .press: event.reservation = buttons[index].reservation.take()
        case .noise: buttons[index].reservation = nil
        case .release: break
        }
        recognize { $0.handle(event) }
    }

    private mutating func recognize(_ body: (inout GestureRecognizer) -> [GestureEvent]) {
        for gesture in body(&recognizer) { board.recognized(gesture) }
    }

    // MARK: Stuck and noisy buttons

    private mutating func examine() {
        for index in buttons.indices {
            guard let deadline = buttons[index].health.nextDeadline else { continue }
            let now = Clock.monotonic
            if now >= deadline { watch(index) { $0.advance(to: now) } }
        }
    }

    /// Updates the button's health. If that mutes the button, its current gesture ends.
    private mutating func watch(_ index: Int, _ body: (inout ContactHealth) -> Void) {
        let wasMuted = buttons[index].health.isMuted
        body(&buttons[index].health)
        let isMuted = buttons[index].health.isMuted
        if wasMuted == isMuted { return }
        if isMuted { endGesture(of: index) }
        board.publish(buttons[index].statistics, at: index)
    }

    /// Ends the current gesture of a button that is muted or lost. Undecided presses become noise.
    mutating func endGesture(of index: Int) {
        guard let debouncer = buttons[index].debouncer else { return }
        let name = buttons[index].configuration.name
        func tell(_ phase: ControlEvent.Phase, _ time: Int64) {
            _ = board.handler(ControlEvent(name: name, phase: phase, timestamp: time))
        }
        buttons[index].reservation = nil
        let (gestures, presses) = recognizer.cancel(name)
        for gesture in gestures { board.recognized(gesture) }
        for press in presses { tell(.noise, press.timestamp) }
        if let touched = debouncer.touched {
            tell(.noise, touched)
        } else if debouncer.isPressed && !debouncer.isSilent {
            tell(.release, Clock.monotonic)
        }
    }
}
