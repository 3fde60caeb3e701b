// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A recogniser of gestures from presses and releases. Times are nanoseconds of `CLOCK_MONOTONIC`;
/// the type reads no clock itself.
///
///              nothing else it could become: press
///              second press in time: double_press
///     press ──▶ undecided ──────────────────────────────────▶ over ──release──▶ (gone)
///                   │      held long enough: long_press         ▲
///                   │      the chord's last button: press       │ release
///                   └──────────────────────────────────────▶ holding
///                          held long enough: hold
///
/// Each press belongs to exactly one gesture, and each hold ends. The owner calls ``advance(to:)``
/// at ``nextDeadline``.
public struct GestureRecognizer: Sendable {
    private enum Stage {
        case undecided, holding, over
    }

    /// A gesture that may be in progress, begun by a press of one button.
    private struct Attempt {
        let button: String
        var presses: [ControlEvent]
        var isDown = true
        var stage = Stage.undecided

        var moment: Int64 { presses[0].timestamp }

        /// Returns the presses. Their reservations stay with the caller only, because a button may
        /// be held much longer than a frame.
        mutating func takePresses() -> [ControlEvent] {
            let taken = presses
            for index in presses.indices { presses[index].reservation = nil }
            return taken
        }
    }

    private let repertoire: GestureRepertoire
    /// The chords, sorted so that their order is always the same.
    private let chords: [(name: String, members: Set<String>)]
    /// The attempts in the order of their first presses, at most one per button.
    private var attempts: [Attempt] = []
    private var now: Int64 = .min
    private var recognized: [GestureEvent] = []

    /// Creates a recogniser: no button is down, and nothing is undecided.
    public init(_ repertoire: GestureRepertoire) {
        self.repertoire = repertoire
        chords = repertoire.chords.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// The time at which to call ``advance(to:)``; `nil` while nothing depends on time.
    public var nextDeadline: Int64? { attempts.flatMap(limits).min() }

    /// Handles a press or release. A time before that of an earlier event counts as that time.
    /// Edges and noise are ignored.
    public mutating func handle(_ event: ControlEvent) -> [GestureEvent] {
        // Deadlines before the event come first.
        proceed(to: event.timestamp)
        switch event.phase {
        case .press: press(event)
        case .release: release(event.name)
        case .edge, .noise: break
        }
        decideAll()
        return drain()
    }

    /// Cancels the gesture of one button: a hold ends, and an undecided press is discarded. Returns
    /// the end of a hold, and the presses that no longer belong to a gesture.
    public mutating func cancel(
        _ button: String
    ) -> (gestures: [GestureEvent], presses: [ControlEvent]) {
        guard let index = attempts.firstIndex(where: { $0.button == button }) else {
            return ([], [])
        }
        let presses = attempts[index].stage == .undecided ? attempts[index].presses : []
        if attempts[index].stage == .holding { end(index) }
        attempts.remove(at: index)
        return (drain(), presses)
    }

    /// Decides everything that is certain by `now`.
    public mutating func advance(to now: Int64) -> [GestureEvent] {
        proceed(to: now)
        return drain()
    }

    private mutating func drain() -> [GestureEvent] {
        defer { recognized = [] }
        return recognized
    }

    private mutating func proceed(to time: Int64) {
        // Deadlines are handled one by one, so that a late caller gets the same events in the same
        // order.
        while let deadline = nextDeadline, deadline <= time {
            now = max(now, deadline)
            decideAll()
        }
        now = max(now, time)
    }

    private mutating func press(_ event: ControlEvent) {
        let button = event.name
        // The release of the last press never came.
        if attempts.contains(where: { $0.button == button && $0.isDown }) { release(button) }
        // An attempt that is not down but still exists waits for this press.
        if let index = attempts.firstIndex(where: { $0.button == button }) {
            attempts[index].presses.append(event)
            attempts[index].isDown = true
            return recognize(.doublePress, index)
        }
        attempts.append(Attempt(button: button, presses: [event]))
        completeChord(with: button)
    }

    private mutating func release(_ button: String) {
        guard let index = attempts.firstIndex(where: { $0.button == button }) else { return }
        attempts[index].isDown = false
        switch attempts[index].stage {
        case .undecided:
            decide(index)
            if attempts[index].stage == .undecided { return }
        case .holding: end(index)
        case .over: break
        }
        attempts.remove(at: index)
    }

    /// Recognises the chord whose last button this is.
    private mutating func completeChord(with button: String) {
        for (name, members) in chords where members.contains(button) {
            let fingers = attempts.indices.filter { index in
                let attempt = attempts[index]
                return members.contains(attempt.button) && attempt.stage == .undecided
                    && attempt.isDown && now <= attempt.moment + repertoire.chord
            }
            guard fingers.count == members.count else { continue }
            let presses = fingers.flatMap { attempts[$0].takePresses() }
            for index in fingers { attempts[index].stage = .over }
            recognized.append(GestureEvent(name: name, gesture: .press, presses: presses))
            return
        }
    }

    private mutating func decideAll() {
        for index in attempts.indices where attempts[index].stage == .undecided { decide(index) }
        attempts.removeAll { $0.stage == .over && !$0.isDown }
    }

    private mutating func decide(_ index: Int) {
        let attempt = attempts[index]
        if canBeLong(attempt), now >= attempt.moment + repertoire.longPress {
            let isHold = repertoire.has(.hold, attempt.button)
            return recognize(isHold ? .hold : .longPress, index)
        }
        if !canBeLong(attempt) && !canBeDouble(attempt) && !canBeChord(attempt) {
            recognize(.press, index)
        }
    }

    private mutating func recognize(_ gesture: Gesture, _ index: Int) {
        attempts[index].stage = gesture == .hold ? .holding : .over
        let (button, presses) = (attempts[index].button, attempts[index].takePresses())
        recognized.append(GestureEvent(name: button, gesture: gesture, presses: presses))
    }

    private mutating func end(_ index: Int) {
        let attempt = attempts[index]
        attempts[index].stage = .over
        recognized.append(
            GestureEvent(
                name: attempt.button, gesture: .hold, phase: .ended, presses: attempt.presses))
    }

    // MARK: What an undecided press may still become

    private func canBeDouble(_ attempt: Attempt) -> Bool {
        repertoire.has(.doublePress, attempt.button)
            && now < attempt.moment + repertoire.doublePress
    }

    private func canBeLong(_ attempt: Attempt) -> Bool {
        attempt.isDown
            && (repertoire.has(.longPress, attempt.button) || repertoire.has(.hold, attempt.button))
    }

    private func canBeChord(_ attempt: Attempt) -> Bool {
        attempt.isDown && repertoire.isInChord(attempt.button)
            && now < attempt.moment + repertoire.chord
    }

    /// Returns the times at which an attempt's possibilities change without an event.
    private func limits(_ attempt: Attempt) -> [Int64] {
        guard attempt.stage == .undecided else { return [] }
        var limits: [Int64] = []
        if canBeLong(attempt) { limits.append(attempt.moment + repertoire.longPress) }
        if canBeDouble(attempt) { limits.append(attempt.moment + repertoire.doublePress) }
        if canBeChord(attempt) { limits.append(attempt.moment + repertoire.chord) }
        return limits
    }
}
