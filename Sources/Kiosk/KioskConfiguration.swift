// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// How the kiosk behaves.
public struct KioskConfiguration: Sendable, Equatable {
    /// Seconds from the press to the photo, at most 60; 0 takes the frame of the press itself.
    public var countdownSeconds = 3
    /// Whether there is another camera to go over to.
    public var hasOtherCamera = false
    /// What photos are, where nobody asks for anything else.
    public var photo = CapturePhotoSettings()
    /// Photos of a burst.
    public var burstCount = 10
    /// From a loop's first frame to its last one.
    public var loopSeconds = 1.0
    /// How long the photo stays on the screen; 0 shows a short "saved" in its place.
    public var reviewSeconds = 4.0
    /// Whether the screen invites to press while nothing happens. Why nobody can, it says in any case.
    public var showsHint = true
    /// Photos that may be between press and saved at one time: see ``photosInFlight(frameBytes:)``.
    public var maximumInFlight = 8
    /// Seconds from the press that begins a movie to its beginning, at most 60.
    public var recordingCountdownSeconds = 0
    /// Whether a movie has what was before its press: else one of a long press begins when that is recognised, and is
    /// as long as any.
    public var recordingHasPreRoll = false
    /// After so long a movie ends by itself, as the screen says; `nil` for never.
    public var recordingSeconds: Double?
    /// A guest's session ends after so long without a press.
    public var sessionIdleSeconds = 120.0
    /// The screen is switched off after so long without a press; `nil` for never.
    public var screenOffSeconds: Double?
    /// How long before the end of a countdown the capture is ordered.
    public var captureLeadMilliseconds = 250
    /// Whether there is a flash: then a press without a countdown takes the photo when its light is up.
    public var hasFlash = false
    /// How long before the photo the flash goes on.
    public var flashLeadMilliseconds = 100
    /// Whether the flash is on during the whole countdown, where there is one: a light that people get used to.
    public var flashLightsCountdown = false
    /// The flash goes off after this time, whatever happens; counted from its lead on.
    public var flashMaximumMilliseconds = 1000
    /// How long "saved" and the like stay.
    public var noticeSeconds = 1.5
    /// How long a failure stays.
    public var failureSeconds = 4.0
    /// After this time without a result the screen says that it is saving.
    public var savingNoticeSeconds = 0.7
    /// How long to wait for the first frame before presses are let through anyway.
    public var startLimitSeconds = 10.0
    /// How long a capture may take before it is given up as unanswered, and abandoned.
    public var captureLimitSeconds = 10.0
    /// How long saving may take, and the library say nothing of other photos, before it is given up as
    /// unanswered. The photo whose saving is under way then may still come.
    public var saveLimitSeconds = 60.0
    /// What the screen says.
    public var texts = KioskTexts()

    /// The defaults.
    public init() {}

    /// How many photos may wait to be saved: a card that stalls for seconds keeps nobody from pressing, and 64
    /// MB hold their frames, or four of them. More than 32 would take longer than people wait.
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

/// What the screen says, in the guests' language.
public struct KioskTexts: Sendable, Equatable {
    /// Invites to press.
    public var hint = "Press the button"
    /// The photo is durable.
    public var saved = "Saved"
    /// The movie is durable.
    public var movieSaved = "Clip saved"
    /// The movie is durable, but ended before anybody wanted that.
    public var movieCut = "The clip was cut short, and saved."
    /// The movie was recorded, but not kept.
    public var movieFailed = "The clip could not be saved."
    /// A timelapse has begun.
    public var timelapseBegun = "Timelapse has begun"
    /// The timelapse is durable.
    public var timelapseSaved = "Timelapse saved"
    /// The timelapse is durable, but ended before anybody wanted that.
    public var timelapseCut = "The timelapse was cut short, and saved."
    /// There is no timelapse.
    public var timelapseFailed = "The timelapse could not be saved."
    /// The photo takes its time.
    public var saving = "Saving…"
    /// Before the first frame.
    public var starting = "One moment…"
    /// No photo came of the press.
    public var captureFailed = "No photo this time. Please try again."
    /// The photo was taken, but not kept.
    public var saveFailed = "The photo could not be saved."
    /// Something went wrong during the countdown.
    public var interrupted = "No photo this time."
    /// Something went wrong during the countdown to a movie.
    public var movieInterrupted = "No clip this time."
    /// A person stopped the countdown.
    public var cancelled = "Cancelled"
    /// A guest said that they are done.
    public var sessionEnded = "Thank you, and goodbye!"
    /// More presses than photos can be saved.
    public var wait = "One moment, please"
    /// By problem code.
    public var faults: [String: FaultText] = KioskTexts.englishFaults
    /// For codes that `faults` does not have and that leave no picture.
    public var otherCameraFault = FaultText(
        title: "The camera is taking a break", advice: "Please tell the staff.")
    /// For codes that `faults` does not have and that prevent photos.
    public var otherPhotoFault = FaultText(
        title: "No photos right now", advice: "Please tell the staff.")

    /// The defaults, in English.
    public init() {}

    /// The words for a problem.
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
            advice: "Another program has it. It will be back by itself."),
        "camera.unsupported": FaultText(
            title: "The camera does not fit",
            advice: "It cannot do what is asked of it. Please tell the staff."),
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
            advice: "Photos are taken as ever. Please tell the staff."),
        "library.readonly": FaultText(
            title: "Photos cannot be saved",
            advice: "The storage takes nothing more. Please tell the staff."),
        "library.missing": FaultText(
            title: "No storage", advice: "Check that the disk or card is plugged in."),
        "library.stalled": FaultText(
            title: "The storage does not answer",
            advice: "Photos go on as soon as it does. Please tell the staff."),
        "library.exhausted": FaultText(
            title: "Photos cannot be saved",
            advice: "The kiosk has to be restarted. Please tell the staff."),
        "library.damaged": FaultText(
            title: "The photo library is damaged",
            advice: "It is repaired by itself where that is possible. Please tell the staff."),
        "library.newer": FaultText(
            title: "Photos cannot be saved",
            advice: "The photo library needs a newer version. Please tell the staff."),
        "library.busy": FaultText(
            title: "One moment",
            advice: "The photo library is being looked after. It will be back by itself."),
        "button.missing": FaultText(
            title: "The button is not connected", advice: "Please tell the staff."),
        "button.stuck": FaultText(
            title: "The button is stuck", advice: "Please let go of it, or tell the staff."),
        "button.noisy": FaultText(
            title: "The button needs a moment", advice: "It will be back by itself."),
        "display.degraded": FaultText(
            title: "The picture cannot be shown", advice: "Photos are taken all the same."),
    ]
}

/// A fault in plain words.
public struct FaultText: Sendable, Equatable {
    /// What is wrong, in a few words.
    public var title: String
    /// What to do about it, in one sentence.
    public var advice: String

    /// A title and what to do.
    public init(title: String, advice: String) {
        self.title = title
        self.advice = advice
    }

    /// Both, one after the other.
    var sentences: String { "\(title). \(advice)" }
}
