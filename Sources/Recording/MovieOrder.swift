// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// A movie that is to be recorded.
public struct MovieOrder: Sendable {
    /// The asset's, later.
    public var id: UUID
    /// The file that is written; nothing may be there yet.
    public var path: String
    /// When it was asked for: nanoseconds of `CLOCK_MONOTONIC`. What the pre-roll holds from before is in it, too.
    public var moment: Int64
    /// How the camera was turned beyond what its connection says.
    public var rotation = Rotation.none
    /// The recording ends by itself after so long (AVCaptureFileOutput.maxRecordedDuration), pre-roll included;
    /// nanoseconds, `nil` for never.
    public var maximumDuration: Int64?
    /// The same by its size (maxRecordedFileSize), in bytes.
    public var maximumFileSize: Int?
    /// The same when no more is free on the disk (minFreeDiskSpaceLimit), in bytes.
    public var minimumFreeBytes: Int64 = 0
    /// What its file says of itself (AVCaptureMovieFileOutput.metadata), beside the time of its first picture.
    public var metadata = Metadata()

    /// What is empty or `nil` is left out.
    public struct Metadata: Sendable {
        /// The camera's maker.
        public var make = ""
        /// The camera.
        public var model = ""
        /// The program.
        public var software = ""
        /// Where it was taken.
        public var location: Location?

        /// Nothing.
        public init() {}
    }

    /// Without limits.
    public init(id: UUID, path: String, moment: Int64) {
        self.id = id
        self.path = path
        self.moment = moment
    }
}

/// Why a recording has ended. What had been recorded is kept.
public enum MovieStopReason: String, Sendable, CaseIterable {
    /// Somebody has stopped it.
    case requested
    /// It goes on in another file.
    case continued
    /// It was as long as it may be.
    case maximumDuration
    /// It was as large as it may be.
    case maximumFileSize
    /// The disk has no more room.
    case storageFull
    /// The disk takes less than the camera brings.
    case storageTooSlow
    /// The camera has gone, or has come back with other pictures.
    case cameraLost
    /// The encoder failed.
    case encoderFailed
    /// The program is stopping.
    case stopping
}

extension MovieStopReason {
    /// Whether camera, disk and encoder were well: there is time for the last of the sound.
    var isOrderly: Bool {
        switch self {
        case .requested, .continued, .maximumDuration, .maximumFileSize: true
        case .storageFull, .storageTooSlow, .cameraLost, .encoderFailed, .stopping: false
        }
    }
}
