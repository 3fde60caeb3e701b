// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What happens to the kiosk.
public enum KioskEvent: Sendable, Equatable {
    /// Somebody pressed something that is mapped to an action.
    case press(KioskPress)
    /// Time has come to `KioskMachine.nextDeadline`; always harmless, also too early.
    case tick
    /// The camera's frames come, and go to the screen where there is one.
    case previewStarted
    /// The frame is taken; it will be saved.
    case captured(ShotIdentifier)
    /// There will be no photo; `reason` for the log and the CLI.
    case captureFailed(ShotIdentifier, reason: String)
    /// A part of it is durable: the library answers.
    case partSaved(ShotIdentifier)
    /// The photo is durable.
    case saved(ShotIdentifier, SavedPhoto)
    /// The photo is lost; `reason` for the log and the CLI.
    case saveFailed(ShotIdentifier, reason: String)
    /// Somebody wants the movie to end; one that has ended stays as it is.
    case endRecording(RecordingIdentifier)
    /// The movie is durable, or there is none.
    case recordingEnded(RecordingIdentifier, RecordingResult)
    /// A timelapse runs, or does not any more.
    case timelapse(TimelapseNews)
    /// How loud the microphone is, 0 to 1 of its largest sample; `nil` where there is none.
    case soundLevel(Double?)
    /// In how many seconds the movie ends for want of room, as it looks now; `nil` where that is not known.
    case recordingRoom(seconds: Double?)
    /// Something else takes pictures: why a guest has to wait, in plain words; `nil` when that is over.
    case occupied(String?)
    /// Somebody is there: something moves before the camera.
    case motion
    /// A problem appeared, or its detail changed.
    case problem(KioskProblem)
    /// The problem with this code is gone. A camera's is gone when its frames come.
    case problemGone(code: String)
    /// The kiosk is about to end: a countdown is taken back, and no more photos are taken than are under way.
    case stopping
}

/// What a button does.
public enum KioskAction: String, Sendable, CaseIterable {
    /// Takes a photo, after the countdown if there is one.
    case photo
    /// Takes photos in quick succession, after the countdown if there is one.
    case burst
    /// Takes a movie of a second or so, forward and backward, after the countdown if there is one.
    case loop
    /// Begins a timelapse, or ends the one that runs.
    case timelapse
    /// Goes over to the next camera.
    case switchCamera
    /// Stops a countdown or ends the review.
    case cancel
    /// What the screen suggests: stops a countdown, else takes a photo.
    case primary
    /// The way back: stops a countdown, ends the review, else ends the guest's session.
    case secondary
    /// Begins a movie, after its countdown if there is one, or ends the one that is being recorded.
    case record
    /// Begins a movie at once, unless one is being recorded.
    case beginRecording
    /// Ends the guest's session; a countdown or review ends with it.
    case endSession
    /// Nothing.
    case none
}

/// What became of a timelapse.
public enum TimelapseNews: Sendable, Equatable {
    case begun
    /// It is durable, cut short or not.
    case saved(isCut: Bool)
    /// There is none; `reason` for the log.
    case failed(reason: String)
}

/// A press, from a button or from the command line.
public struct KioskPress: Sendable, Equatable {
    /// Who made the press.
    public enum Origin: Sendable {
        /// A person at the kiosk: where the screen is off, the press switches it on and does nothing else.
        case button
        /// Somebody who asks for exactly this.
        case command
    }
    /// Tells what it does where the screen is off.
    public var origin: Origin
    /// What the button is mapped to.
    public var action: KioskAction
    /// The press's first raw edge, nanoseconds of `CLOCK_MONOTONIC`.
    public var timestamp: Int64
    /// Seconds from press to photo or movie in place of the configured ones; `nil` for those.
    public var countdownSeconds: Int?
    /// Photos of a burst in place of as many as are configured; `nil` for those.
    public var burstCount: Int?
    /// What its photos are to be in place of what is configured; `nil` for that.
    public var photo: CapturePhotoSettings?

    /// A press.
    public init(
        _ action: KioskAction, timestamp: Int64, countdownSeconds: Int? = nil,
        burstCount: Int? = nil, photo: CapturePhotoSettings? = nil, from origin: Origin = .button
    ) {
        self.origin = origin
        self.action = action
        self.timestamp = timestamp
        self.countdownSeconds = countdownSeconds
        self.burstCount = burstCount
        self.photo = photo
    }
}

/// A photo that will survive a power cut.
public struct SavedPhoto: Sendable, Equatable {
    /// The library's identifier.
    public var assetID: String
    /// The file's name, without folders.
    public var fileName: String
    /// A small JPEG of it, if there is one.
    public var thumbnail: [UInt8]?

    /// A photo in the library.
    public init(assetID: String, fileName: String, thumbnail: [UInt8]? = nil) {
        self.assetID = assetID
        self.fileName = fileName
        self.thumbnail = thumbnail
    }
}

/// Something that is wrong, under the code that `status` shows for it.
public struct KioskProblem: Sendable, Equatable {
    /// What people can no longer do.
    public enum Effect: Int, Sendable, CaseIterable {
        /// There is no picture: the fault takes the whole screen, presses are refused.
        case noPreview
        /// Photos cannot be kept: the fault lies over the picture, presses are refused.
        case noPhotos
        /// Clips cannot be kept: a press that begins one is refused and told why, photos are taken as ever.
        case noClips
        /// Photos are taken as ever, but a guest would wonder, such as at a button that does nothing: said
        /// in place of the invitation.
        case noticed
        /// Nothing a guest would notice: not shown.
        case unnoticed
    }
    /// Stable, for example `camera.missing`.
    public var code: String
    /// What it prevents.
    public var effect: Effect
    /// For the engineer, shown small beside the code; may be empty.
    public var detail: String

    /// A problem; its words on the screen are `KioskTexts.faults[code]`.
    public init(code: String, effect: Effect, detail: String = "") {
        self.code = code
        self.effect = effect
        self.detail = detail
    }
}
