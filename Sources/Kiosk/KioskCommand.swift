// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A command that the kiosk's owner performs.
public enum KioskCommand: Sendable, Equatable {
    /// Take the frames of a shot. Answer with `captured` or `captureFailed`, and after `captured`
    /// with `saved` or `saveFailed`. Sent once per shot. A burst counts as saved when every photo
    /// that could be saved is.
    case capture(CaptureOrder)
    /// Give up the shot's frame and do not begin to save it: its answers will be ignored. If the
    /// saving has begun, the photo may still be stored. Sent before the shot's `finished`.
    case abandon(ShotIdentifier)
    /// The shot is over. Sent exactly once per accepted press.
    case finished(ShotIdentifier, ShotResult)
    /// Record a movie from `moment`, in nanoseconds of `CLOCK_MONOTONIC` and not in the future.
    /// Answer with `recordingEnded` once, whenever and for whatever reason the movie ends.
    case startRecording(RecordingIdentifier, moment: Int64, session: SessionNumber)
    /// Stop the movie and keep it.
    case stopRecording(RecordingIdentifier)
    /// The recording is over, or its countdown was cancelled. Sent exactly once per recording.
    case recorded(RecordingIdentifier, RecordingResult)
    /// Show this instead of the live picture, with `viewShows`, until `endView` or its end.
    case view(ViewIdentifier, ViewSubject)
    /// Show the photo or clip that is so many places behind the present one.
    case turnView(ViewIdentifier, by: Int)
    /// Show the live picture again, at once. Sent exactly once per view.
    case endView(ViewIdentifier)
    /// Switch to the next camera.
    case switchCamera
    /// Start a timelapse or stop the running one. Answer with `timelapse`.
    case toggleTimelapse(session: SessionNumber)
    /// Switch the lamp that is lit while a movie is recorded.
    case recordingLamp(Bool)
    /// Switch the flash; precedes the captures that need the light, in the same outcome.
    case flash(Bool)
    /// Switch the lamp that is lit while the kiosk is ready for a press.
    case readyLamp(Bool)
    /// Switch the screen on or off.
    case screen(Bool)
    /// Draw this scene, which differs from the last one.
    case show(Scene)
}

/// A shot whose frames are to be taken now.
public struct CaptureOrder: Sendable, Equatable {
    /// The shot.
    public var shot: ShotIdentifier
    /// Which frames to take.
    public var kind: ShotKind
    /// The shutter moment in nanoseconds of `CLOCK_MONOTONIC`: past, or up to
    /// `KioskConfiguration.captureLeadMilliseconds` ahead. The shot takes the frame nearest to it.
    public var moment: Int64
    /// The guest's session.
    public var session: SessionNumber
    /// The settings of the photos.
    public var photo: CapturePhotoSettings
    /// The frame reserved at `moment`, if there is one.
    public var reservation: FrameReservation?

    /// Creates an order.
    public init(
        _ shot: ShotIdentifier, _ kind: ShotKind, moment: Int64, session: SessionNumber,
        photo: CapturePhotoSettings = CapturePhotoSettings(), reservation: FrameReservation? = nil
    ) {
        self.shot = shot
        self.kind = kind
        self.moment = moment
        self.session = session
        self.photo = photo
        self.reservation = reservation
    }
}

/// The kind of a shot: which frames a capture takes.
public enum ShotKind: Sendable, Equatable {
    /// One photo.
    case photo
    /// One photo of each of this many frames.
    case burst(Int)
    /// A movie of the frames of this many seconds, played forward and backward.
    case loop(seconds: Double)

    /// How long the frames after the first may take with the slowest cameras, in nanoseconds.
    var patience: Int64 {
        switch self {
        case .photo: 0
        case .burst(let count): nanoseconds(Double(count - 1))
        case .loop(let seconds): nanoseconds(seconds + 1)
        }
    }
}

/// The result of an accepted press.
public enum ShotResult: Sendable, Equatable {
    /// The photo is durable.
    case saved(SavedPhoto)
    /// There is no photo, for this reason.
    case failed(reason: String)
    /// The countdown was cancelled.
    case cancelled
}

/// The kiosk's answer to a press.
public enum PressVerdict: Sendable, Equatable {
    /// A photo is being taken; `KioskCommand.finished` reports its end.
    case accepted(ShotIdentifier)
    /// A movie begins, after its countdown if there is one, or ends; `KioskCommand.recorded`
    /// reports its end.
    case recording(RecordingIdentifier, begins: Bool)
    /// The press is refused for now: a countdown is running, or too many photos are being saved.
    case busy(reason: String)
    /// The press is refused until a problem is gone, or because the kiosk is stopping.
    case impossible(reason: String)
    /// The action was not a shot or movie, and is done.
    case performed
    /// There was nothing to do.
    case ignored
}

/// The result of one event.
public struct KioskOutcome: Sendable, Equatable {
    /// The commands, in the order in which to perform them.
    public var commands: [KioskCommand]
    /// The answer to a press; `nil` for other events.
    public var verdict: PressVerdict?

    /// Creates an outcome.
    public init(commands: [KioskCommand] = [], verdict: PressVerdict? = nil) {
        self.commands = commands
        self.verdict = verdict
    }
}

/// The kiosk's state in one word, for `status` and logs.
public enum KioskState: String, Sendable, CaseIterable {
    /// Waiting for the camera's first frame.
    case starting
    /// Preview, ready for a press.
    case live
    /// A countdown is running.
    case countdown
    /// A frame is being taken.
    case capturing
    /// The photo is on the screen.
    case review
    /// Photos, clips or other media are on the screen.
    case viewing
    /// A movie is being recorded, and nothing else happens.
    case recording
    /// A problem is on the screen.
    case fault
    /// The screen is off; a press only switches it on.
    case asleep
}

/// Counts since the machine was created. At every moment
/// `accepted == saved + failed + cancelled + photos in flight`.
public struct KioskCounts: Sendable, Equatable {
    /// Presses that became a shot.
    public var accepted = 0
    /// Presses refused because of a countdown, other work or too many photos in flight.
    public var busy = 0
    /// Presses refused because of a problem, or while the camera started or the kiosk stopped.
    public var impossible = 0
    /// Frames taken.
    public var captured = 0
    /// Photos saved.
    public var saved = 0
    /// Shots that failed, for whatever reason.
    public var failed = 0
    /// Failed shots and movies whose answer never came.
    public var unanswered = 0
    /// Countdowns cancelled by a person or by the kiosk's stop.
    public var cancelled = 0
    /// Movies saved.
    public var moviesSaved = 0
    /// Recordings that gave no movie.
    public var moviesFailed = 0
    /// Cancelled countdowns to a movie.
    public var moviesCancelled = 0
    /// Answers to shots that were already over, and repeated answers.
    public var repeatedAnswers = 0
    /// Answers to shots that never existed.
    public var unknownAnswers = 0

    /// All counts zero.
    public init() {}
}
