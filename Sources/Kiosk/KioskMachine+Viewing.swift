// SPDX-License-Identifier: GPL-3.0-or-later

/// The identifier of a view, from its beginning to its end.
public struct ViewIdentifier: Hashable, Sendable, CustomStringConvertible {
    /// The number, counted from 1 since the machine was created.
    public let number: Int64

    /// An identifier. A machine does not know numbers that it has not assigned.
    public init(number: Int64) { self.number = number }

    /// A text for logs, such as "view 3".
    public var description: String { "view \(number)" }
}

/// The subject of a view, which is shown instead of the live picture.
public enum ViewSubject: Sendable, Equatable {
    /// A clip that was just recorded. It is played to its end.
    case clip(SavedPhoto)
    /// The photos and clips of a guest's visit, one by one, beginning with the last one.
    case visit(SessionNumber)
    /// Media that somebody ordered, by the owner's number of the order.
    case order(Int)
}

/// The end of a view, for the guest.
public enum ViewEnd: Sendable, Equatable {
    /// It was played, or somebody has ended it.
    case over
    /// There is nothing to see.
    case empty
    /// It cannot be shown; `reason` is for the log.
    case failed(reason: String)
}

/// A view in progress.
///
///     (press, order, clip) ──▶ waiting ──shows──▶ shown ──press, its end, time──▶ (nothing)
struct Viewing: Sendable {
    let id: ViewIdentifier
    let subject: ViewSubject
    /// The face of the view; `nil` until the owner has something to show.
    var face: Scene.Viewing?
    /// When the owner last reported something.
    var answered: Int64

    var isVisit: Bool { if case .visit = subject { true } else { false } }
}

extension KioskMachine {
    /// Ends the view for a press that does nothing else; returns whether it did.
    mutating func leaveView(for press: KioskPress) -> Bool {
        guard let viewing else { return false }
        switch press.action {
        case .none: return false
        case .next, .previous:
            if viewing.isVisit { return false }
            endView()
            return true
        case .cancel, .primary, .secondary, .browse:
            endView()
            return true
        case .endSession:
            endView()
            return false
        default:
            endView()
            // As in the review of a photo, the next one can be taken at once. Otherwise nobody
            // should be photographed who does not see the picture.
            if case .clip = viewing.subject { return false }
            return press.origin == .button
        }
    }

    /// Shows the last photo or clip of the visit.
    mutating func browse() -> PressVerdict {
        if let refusal = refusalOfView() { return refusal }
        guard let visit = session.current else {
            showNotice(.progress, configuration.texts.nothingToSee)
            return .ignored
        }
        begin(.visit(visit))
        return .performed
    }

    /// Shows what somebody ordered instead of anything that is shown.
    mutating func show(order: Int) -> PressVerdict {
        if let refusal = refusalOfView() { return refusal }
        endView()
        begin(.order(order))
        return .performed
    }

    mutating func turnView(by step: Int) -> PressVerdict {
        guard let viewing, viewing.isVisit else { return .ignored }
        self.viewing?.answered = now
        commands.append(.turnView(viewing.id, by: step))
        return .performed
    }

    private mutating func refusalOfView() -> PressVerdict? {
        if let refusal = refusal() { return refusal }
        guard recording == nil else {
            counts.busy += 1
            return .busy(reason: "A clip is being recorded.")
        }
        return nil
    }

    /// Plays a clip that is saved, unless something else is going on.
    mutating func review(clip: SavedPhoto) {
        let isFree = fault == nil && countdown == nil && viewing == nil && !isStopping
        guard configuration.review > 0, isFree, shots.isEmpty, recording == nil else { return }
        begin(.clip(clip))
    }

    private mutating func begin(_ subject: ViewSubject) {
        lastView += 1
        let id = ViewIdentifier(number: lastView)
        review = nil
        if case .clip = subject {} else { notice = nil }
        viewing = Viewing(id: id, subject: subject, answered: now)
        commands.append(.view(id, subject))
    }

    mutating func endView() {
        guard let viewing = viewing.take() else { return }
        commands.append(.endView(viewing.id))
    }

    mutating func viewShows(_ id: ViewIdentifier, _ face: Scene.Viewing) {
        guard viewing?.id == id else { return }
        viewing?.face = face
        viewing?.answered = now
    }

    mutating func viewEnded(_ id: ViewIdentifier, _ end: ViewEnd) {
        guard viewing?.id == id else { return }
        endView()
        switch end {
        case .over: break
        case .empty: showNotice(.progress, configuration.texts.nothingToSee)
        case .failed: showNotice(.failure, configuration.texts.viewFailed)
        }
        // The person who watched may want a photo now.
        lastTouch = now
    }

    mutating func advanceView() {
        guard let viewing else { return }
        if viewing.isVisit, session.current == nil { return endView() }
        guard let deadline = viewDeadline, now >= deadline else { return }
        let wasShown = viewing.face != nil
        endView()
        if !wasShown { showNotice(.failure, configuration.texts.viewFailed) }
    }

    /// When the view ends by itself: what moves ends when its owner is silent, and a picture when
    /// nobody presses anything.
    var viewDeadline: Int64? {
        guard let viewing else { return nil }
        let silence = viewing.answered + nanoseconds(configuration.viewLimitSeconds)
        guard viewing.isVisit, let face = viewing.face else { return silence }
        let idle = lastTouch + nanoseconds(configuration.viewIdleSeconds)
        return face.isMoving ? max(idle, silence) : idle
    }
}
