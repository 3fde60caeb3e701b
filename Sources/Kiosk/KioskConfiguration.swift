// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// The behaviour of the kiosk.
public struct KioskConfiguration: Sendable, Equatable {
    /// Seconds from the press to the photo, at most 60; 0 takes the frame of the press itself.
    public var countdownSeconds = 3
    /// Whether there is another camera to switch to.
    public var hasOtherCamera = false
    /// The settings of photos whose press has none of its own.
    public var photo = CapturePhotoSettings()
    /// The number of photos in a burst.
    public var burstCount = 10
    /// The time from a loop's first frame to its last.
    public var loopSeconds = 1.0
    /// How long the photo stays on the screen; with 0 the screen shows "saved" briefly instead.
    public var reviewSeconds = 4.0
    /// Whether the screen invites a press when idle. It always says why no press is possible.
    public var showsHint = true
    /// The most photos between press and saved at one time; see ``photosInFlight(frameBytes:)``.
    public var maximumInFlight = 8
    /// Seconds from the press to the start of a movie, at most 60.
    public var recordingCountdownSeconds = 0
    /// Whether a movie includes the time before its press. If not, a movie by a long press begins
    /// when that is recognized, and has the usual length.
    public var recordingHasPreRoll = false
    /// How long a movie lasts before it ends by itself; `nil` for no limit.
    public var recordingSeconds: Double?
    /// How long without a press until a guest's session ends.
    public var sessionIdleSeconds = 120.0
    /// How long without a press or motion until the screen is switched off; `nil` for never.
    public var screenOffSeconds: Double?
    /// How long before the end of a countdown the capture is ordered.
    public var captureLeadMilliseconds = 250
    /// Whether there is a flash. A press without a countdown then waits until its light is up.
    public var hasFlash = false
    /// How long before the photo the flash goes on.
    public var flashLeadMilliseconds = 100
    /// Whether the flash is on during the whole countdown, so that people get used to the light.
    public var flashLightsCountdown = false
    /// How long the flash may stay on, counted from its lead.
    public var flashMaximumMilliseconds = 1000
    /// How long success and progress messages stay on the screen.
    public var noticeSeconds = 1.5
    /// How long failure messages stay on the screen.
    public var failureSeconds = 4.0
    /// How long a photo or movie is being saved before the screen says so.
    public var savingNoticeSeconds = 0.7
    /// How long presses are refused before the first frame; after that they are accepted anyway.
    public var startLimitSeconds = 10.0
    /// How long a capture may take before it is abandoned as unanswered.
    public var captureLimitSeconds = 10.0
    /// How long no photo may make progress before a shot being saved is given up as unanswered. If
    /// its saving has begun, the photo may still be stored.
    public var saveLimitSeconds = 60.0
    /// How long without a press until a photo of the visit makes way for the live picture.
    public var viewIdleSeconds = 30.0
    /// How long the owner of a view may be silent before the live picture comes back.
    public var viewLimitSeconds = 15.0
    /// The texts on the screen.
    public var texts = KioskTexts()

    /// The defaults.
    public init() {}

    /// Returns how many photos may wait to be saved: as many frames as fit in 64 MB, at least 4, at
    /// most 32. The storage may then stall for seconds without keeping anyone from pressing; more
    /// than 32 would take longer than people wait.
    public static func photosInFlight(frameBytes: Int) -> Int {
        min(max((64 << 20) / max(frameBytes, 1), 4), 32)
    }

    var review: Int64 { nanoseconds(reviewSeconds) }
}

func nanoseconds(_ seconds: Double) -> Int64 {
    guard seconds > 0 else { return 0 }
    return Int64(min(seconds, 1e9) * 1e9)
}

func nanoseconds(milliseconds: Int) -> Int64 {
    Int64(max(0, min(milliseconds, 1_000_000_000))) * 1_000_000
}

/// The texts on the screen, in the guests' language. Each comment says when its text is shown.
public struct KioskTexts: Sendable, Equatable {
    /// An invitation to press.
    public var hint = "Press the button"
    /// The photo is durable.
    public var saved = "Saved"
    /// The movie is durable.
    public var movieSaved = "Clip saved"
    /// The movie is durable, but ended early.
    public var movieCut = "The clip was cut short, and saved."
    /// The movie was recorded but not stored.
    public var movieFailed = "The clip could not be saved."
    /// A timelapse has begun.
    public var timelapseBegun = "Timelapse has begun"
    /// The timelapse is durable.
    public var timelapseSaved = "Timelapse saved"
    /// The timelapse is durable, but ended early.
    public var timelapseCut = "The timelapse was cut short, and saved."
    /// No timelapse was stored.
    public var timelapseFailed = "The timelapse could not be saved."
    /// A photo is taking long to save.
    public var saving = "Saving…"
    /// The camera has not delivered its first frame.
    public var starting = "One moment…"
    /// The press gave no photo.
    public var captureFailed = "No photo this time. Please try again."
    /// The photo was taken but not stored.
    public var saveFailed = "The photo could not be saved."
    /// A problem ended the countdown.
    public var interrupted = "No photo this time."
    /// A problem ended the countdown to a movie.
    public var movieInterrupted = "No clip this time."
    /// A person stopped the countdown.
    public var cancelled = "Cancelled"
    /// A guest wants to look at photos, and has taken none.
    public var nothingToSee = "No photos yet"
    /// A photo or clip cannot be shown.
    public var viewFailed = "This cannot be shown."
    /// A guest ended the session.
    public var sessionEnded = "Thank you, and goodbye!"
    /// Too many photos are waiting to be saved, or something else is taking pictures.
    public var wait = "One moment, please"
    /// The texts of problems, by code.
    public var faults: [String: FaultText] = KioskTexts.englishFaults
    /// The text for other problems that leave no picture.
    public var otherCameraFault = FaultText(
        title: "The camera is taking a break", advice: "Please tell the staff.")
    /// The text for other problems that prevent photos.
    public var otherPhotoFault = FaultText(
        title: "No photos right now", advice: "Please tell the staff.")

    /// The defaults, in English.
    public init() {}

    /// Returns the text for a problem.
    public func fault(_ problem: KioskProblem) -> FaultText {
        if let text = faults[problem.code] { return text }
        return problem.effect == .noPreview ? otherCameraFault : otherPhotoFault
    }

    static let englishFaults: [String: FaultText] = [
        "camera.missing": FaultText(
            title: "No camera", advice: "Check that the camera is plugged in."),
        "camera.denied": FaultText(
            title: "No access to the camera", advice: "Please tell the staff."),
        "camera.busy": FaultText(
            title: "The camera is in use",
            advice: "Another program is using it. It will be back by itself."),
        "camera.unsupported": FaultText(
            title: "The camera is not suitable",
            advice: "It does not support the kiosk's settings. Please tell the staff."),
        "camera.nosignal": FaultText(
            title: "No signal",
            advice: "Check that the camera is switched on and plugged in."),
        "camera.stalled": FaultText(
            title: "The camera has stopped",
            advice: "It is being restarted. This takes a few seconds."),
        "library.full": FaultText(
            title: "Storage is full",
            advice: "No more photos until there is space. Please tell the staff."),
        "library.low": FaultText(
            title: "No room for clips",
            advice: "Photos can still be taken. Please tell the staff."),
        "library.readonly": FaultText(
            title: "Photos cannot be saved",
            advice: "The storage accepts no new files. Please tell the staff."),
        "library.missing": FaultText(
            title: "No storage", advice: "Check that the disk or card is plugged in."),
        "library.stalled": FaultText(
            title: "The storage does not answer",
            advice: "Photos continue as soon as it does. Please tell the staff."),
        "library.exhausted": FaultText(
            title: "Photos cannot be saved",
            advice: "The kiosk has to be restarted. Please tell the staff."),
        "library.damaged": FaultText(
            title: "The photo library is damaged",
            advice: "It is repaired automatically if possible. Please tell the staff."),
        "library.newer": FaultText(
            title: "Photos cannot be saved",
            advice: "The photo library needs a newer version. Please tell the staff."),
        "library.busy": FaultText(
            title: "One moment",
            advice: "The photo library is being maintained. It will be back by itself."),
        "button.missing": FaultText(
            title: "The button is not connected", advice: "Please tell the staff."),
        "button.stuck": FaultText(
            title: "The button is stuck", advice: "Please let go of it, or tell the staff."),
        "button.noisy": FaultText(
            title: "The button needs a moment", advice: "It will be back by itself."),
        "display.degraded": FaultText(
            title: "The picture cannot be shown", advice: "Photos can still be taken."),
    ]
}

/// The text for a problem.
public struct FaultText: Sendable, Equatable {
    /// The problem, in a few words.
    public var title: String
    /// The remedy, in one sentence.
    public var advice: String

    /// A text of a title and a remedy.
    public init(title: String, advice: String) {
        self.title = title
        self.advice = advice
    }

    var sentences: String { "\(title). \(advice)" }
}
