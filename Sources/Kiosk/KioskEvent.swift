// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// An event that the kiosk handles.
public enum KioskEvent: Sendable, Equatable {
    /// Somebody pressed something that is mapped to an action.
    case press(KioskPress)
    /// Time has reached `KioskMachine.nextDeadline`. An early tick is harmless.
    case tick
    /// The camera delivers frames; they go to the screen if there is one.
    case previewStarted
    /// The frame is taken and will be saved.
    case captured(ShotIdentifier)
    /// There will be no photo; `reason` is for the log and the CLI.
    case captureFailed(ShotIdentifier, reason: String)
    /// A part of the shot is durable, so the library is working.
    case partSaved(ShotIdentifier)
    /// The photo is durable.
    case saved(ShotIdentifier, SavedPhoto)
    /// The photo is lost; `reason` is for the log and the CLI.
    case saveFailed(ShotIdentifier, reason: String)
    /// Somebody wants the movie to end. A movie that has already ended is not affected.
    case endRecording(RecordingIdentifier)
    /// The recording has ended, with a durable movie or without one.
    case recordingEnded(RecordingIdentifier, RecordingResult)
    /// Somebody wants to see media, which the owner knows by a number of its own.
    case order(Int)
    /// The owner shows this, or something of it has changed. Media that move are reported at least
    /// every few seconds. A view that has already ended is not affected.
    case viewShows(ViewIdentifier, Scene.Viewing)
    /// The view has ended by itself.
    case viewEnded(ViewIdentifier, ViewEnd)
    /// A timelapse has started or ended.
    case timelapse(TimelapseNews)
    /// The microphone's largest sample, 0 to 1; `nil` without a microphone.
    case soundLevel(Double?)
    /// The estimated seconds until the maximum size or the free space ends the movie; `nil` if
    /// unknown.
    case recordingRoom(seconds: Double?)
    /// Something else is taking pictures. The text tells a guest why to wait; `nil` ends it.
    case occupied(String?)
    /// The assets that wait for their copies at a remote, in words; `nil` if none do.
    case copiesWaiting(String?)
    /// Something moves in front of the camera, so somebody is there.
    case motion
    /// A problem appeared, or its detail changed.
    case problem(KioskProblem)
    /// The problem with this code is gone. A camera problem is gone once frames arrive.
    case problemGone(code: String)
    /// The kiosk is about to stop: it cancels countdowns and completes only shots in progress.
    case stopping
}

/// An action that a press triggers.
public enum KioskAction: String, Sendable, CaseIterable {
    /// Takes a photo, after the countdown if there is one.
    case photo
    /// Takes photos in quick succession, after the countdown if there is one.
    case burst
    /// Takes a short movie, played forward and backward, after the countdown if there is one.
    case loop
    /// Starts a timelapse, or stops the running one.
    case timelapse
    /// Switches to the next camera.
    case switchCamera
    /// Shows the visit's last photo or clip, or goes back to the live picture.
    case browse
    /// Shows the visit's next photo or clip, while one is shown.
    case next
    /// Shows the visit's previous photo or clip, while one is shown.
    case previous
    /// Stops a countdown or ends the review.
    case cancel
    /// Does what the screen suggests: stops a countdown, otherwise takes a photo.
    case primary
    /// Goes back: stops a countdown, ends a review, otherwise ends the guest's session.
    case secondary
    /// Starts a movie, after its countdown if there is one, or stops the running one.
    case record
    /// Starts a movie at once, unless one is being recorded.
    case beginRecording
    /// Ends the guest's session, and with it a countdown or review.
    case endSession
    /// Does nothing.
    case none
}

/// A change in the state of a timelapse.
public enum TimelapseNews: Sendable, Equatable {
    case begun
    /// The timelapse is durable; `isCut` tells whether it ended early.
    case saved(isCut: Bool)
    /// There is no timelapse; `reason` is for the log.
    case failed(reason: String)
}

/// A press, from a button or from the command line.
public struct KioskPress: Sendable, Equatable {
    /// The source of a press.
    public enum Origin: Sendable {
        /// A person at the kiosk. While the screen is off, the press only switches it on.
        case button
        /// A command. It is performed even while the screen is off.
        case command
    }
    /// The source of the press.
    public var origin: Origin
    /// The action of the button or command.
    public var action: KioskAction
    /// The press's first raw edge, in nanoseconds of `CLOCK_MONOTONIC`.
    public var timestamp: Int64
    /// Seconds from the press to the photo or movie; `nil` for the configured countdown.
    public var countdownSeconds: Int?
    /// The number of photos in a burst; `nil` for the configured number.
    public var burstCount: Int?
    /// The settings of the photos; `nil` for the configured settings.
    public var photo: CapturePhotoSettings?
    /// The frame reserved at `timestamp`, if there is one.
    public var reservation: FrameReservation?

    /// Creates a press.
    public init(
        _ action: KioskAction, timestamp: Int64, countdownSeconds: Int? = nil,
        burstCount: Int? = nil, photo: CapturePhotoSettings? = nil,
        reservation: FrameReservation? = nil, from origin: Origin = .button
    ) {
        self.origin = origin
        self.action = action
        self.timestamp = timestamp
        self.countdownSeconds = countdownSeconds
        self.burstCount = burstCount
        self.photo = photo
        self.reservation = reservation
    }
}

/// A photo or movie that survives a power cut.
public struct SavedPhoto: Sendable, Equatable {
    /// The library's identifier of the asset.
    public var assetID: String
    /// The file's name, without folders.
    public var fileName: String
    /// A small JPEG of the photo, if there is one.
    public var thumbnail: [UInt8]?

    /// A photo or movie in the library.
    public init(assetID: String, fileName: String, thumbnail: [UInt8]? = nil) {
        self.assetID = assetID
        self.fileName = fileName
        self.thumbnail = thumbnail
    }
}

/// A problem, identified by the code that `status` shows.
public struct KioskProblem: Sendable, Equatable {
    /// The effect of a problem on people at the kiosk.
    public enum Effect: Int, Sendable, CaseIterable {
        /// No picture: the fault takes the whole screen, and presses are refused.
        case noPreview
        /// No photos: the fault is shown over the picture, and presses are refused.
        case noPhotos
        /// No clips: the screen says why a press for a clip is refused. Photos are still taken.
        case noClips
        /// Photos are still taken, but a guest would wonder, for example about a dead button. The
        /// problem replaces the invitation to press.
        case noticed
        /// No effect that a guest would notice; the problem is not shown.
        case unnoticed
    }
    /// A stable code, for example `camera.missing`.
    public var code: String
    /// The effect of the problem.
    public var effect: Effect
    /// A detail for the engineer, shown small beside the code; may be empty.
    public var detail: String

    /// A problem. `KioskTexts.faults[code]` is its text on the screen.
    public init(code: String, effect: Effect, detail: String = "") {
        self.code = code
        self.effect = effect
        self.detail = detail
    }
}
