// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What the kiosk's owner has to do.
public enum KioskCommand: Sendable, Equatable {
    /// Take the frame nearest to `moment` (nanoseconds of `CLOCK_MONOTONIC`), which may be past or
    /// up to `KioskConfiguration.captureLeadMilliseconds` ahead. Answer with `captured` or
    /// `captureFailed`, and after `captured` with `saved` or `saveFailed`. Once per shot. A burst is saved when all its
    /// photos are that could be.
    case capture(
        ShotIdentifier, ShotKind, moment: Int64, session: SessionNumber,
        photo: CapturePhotoSettings = CapturePhotoSettings())
    /// Nobody waits any more for the shot's answers, which will be ignored: give its frame up, and do not
    /// begin to save it. A photo whose saving is under way may still come. Before the shot's `finished`.
    case abandon(ShotIdentifier)
    /// The shot is over. Exactly once for each accepted press.
    case finished(ShotIdentifier, ShotResult)
    /// Record a movie from `moment` on (nanoseconds of `CLOCK_MONOTONIC`, not in the future). Answer with
    /// `recordingEnded`, once, whenever and for whatever reason it ends.
    case startRecording(RecordingIdentifier, moment: Int64, session: SessionNumber)
    /// End the movie, and keep it.
    case stopRecording(RecordingIdentifier)
    /// The recording is over, or its countdown was taken back. Exactly once for each.
    case recorded(RecordingIdentifier, RecordingResult)
    /// Go over to the next camera.
    case switchCamera
    /// Begin a timelapse, or end the one that runs; answer with `timelapse`.
    case toggleTimelapse(session: SessionNumber)
    /// Switch the lamp that says that a movie is being recorded.
    case recordingLamp(Bool)
    /// Switch the flash: on before the captures that need it, in the same outcome.
    case flash(Bool)
    /// Switch the lamp that says that a press is welcome.
    case readyLamp(Bool)
    /// Switch the screen: off while nobody has been there for long, where that is configured.
    case screen(Bool)
    /// Draw this; it differs from the last one shown.
    case show(Scene)
}

/// What is taken of the frame that a capture is about, and of those after it.
public enum ShotKind: Sendable, Equatable {
    /// One photo.
    case photo
    /// A photo of each of so many frames.
    case burst(Int)
    /// A movie of the frames of so many seconds, forward and backward.
    case loop(seconds: Double)

    /// How long its frames take to come, with the slowest cameras, beyond the first one.
    var patience: Int64 {
        switch self {
        case .photo: 0
        case .burst(let count): nanoseconds(Double(count - 1))
        case .loop(let seconds): nanoseconds(seconds + 1)
        }
    }
}

/// How an accepted press ended.
public enum ShotResult: Sendable, Equatable {
    /// As a durable photo.
    case saved(SavedPhoto)
    /// Without a photo, and why.
    case failed(reason: String)
    /// Taken back during its countdown.
    case cancelled
}

/// What a press came to.
public enum PressVerdict: Sendable, Equatable {
    /// A photo is being taken; ends with `KioskCommand.finished`.
    case accepted(ShotIdentifier)
    /// A movie is being recorded, after its countdown, or is about to end; ends with `KioskCommand.recorded`.
    case recording(RecordingIdentifier, begins: Bool)
    /// Not now, but soon: a countdown runs, or too many photos are being saved.
    case busy(reason: String)
    /// Not until a problem is gone, or not any more; the reason in plain words.
    case impossible(reason: String)
    /// The button is mapped to something other than a photo, and that is done.
    case performed
    /// There was nothing to do.
    case ignored
}

/// What came of one event.
public struct KioskOutcome: Sendable, Equatable {
    /// In the order in which to do them.
    public var commands: [KioskCommand]
    /// What the press came to; `nil` for other events.
    public var verdict: PressVerdict?

    /// An outcome.
    public init(commands: [KioskCommand] = [], verdict: PressVerdict? = nil) {
        self.commands = commands
        self.verdict = verdict
    }
}

/// Where the kiosk is, in one word, for `status` and logs.
public enum KioskState: String, Sendable, CaseIterable {
    /// Waiting for the camera's first frame.
    case starting
    /// Preview, ready for a press.
    case live
    /// Digits are running.
    case countdown
    /// A frame is being taken.
    case capturing
    /// The photo is on the screen.
    case review
    /// A movie is being recorded, and nothing else happens.
    case recording
    /// A problem is on the screen.
    case fault
    /// The screen is off; any press switches it on, and does nothing else.
    case asleep
}

/// What has happened since the machine was made. At every moment
/// `accepted == saved + failed + cancelled + photos in flight`.
public struct KioskCounts: Sendable, Equatable {
    /// Presses that became a shot.
    public var accepted = 0
    /// Presses during a countdown, or with too many photos in flight.
    public var busy = 0
    /// Presses while a problem stood, the camera was starting or the kiosk stopping.
    public var impossible = 0
    /// Frames taken.
    public var captured = 0
    /// Photos saved.
    public var saved = 0
    /// Shots without a photo, for whatever reason.
    public var failed = 0
    /// Of these, shots whose answer never came.
    public var unanswered = 0
    /// Countdowns taken back by a person.
    public var cancelled = 0
    /// Movies saved.
    public var moviesSaved = 0
    /// Recordings without a movie.
    public var moviesFailed = 0
    /// Countdowns to a movie taken back.
    public var moviesCancelled = 0
    /// Answers about shots that were over, or said twice.
    public var repeatedAnswers = 0
    /// Answers about shots that never were.
    public var unknownAnswers = 0

    /// Nothing yet.
    public init() {}
}
