// SPDX-License-Identifier: GPL-3.0-or-later

public import FoundationEssentials
public import Media

/// An order to record a movie.
public struct MovieOrder: Sendable {
    /// The identifier of the movie, and later of its asset.
    public var id: UUID
    /// The path of the file to write; no file may exist there yet.
    public var path: String
    /// The time of the order in nanoseconds of `CLOCK_MONOTONIC`; the pre-roll lies before it.
    public var moment: Int64
    /// The rotation of the camera beyond that of its connection.
    public var rotation = Rotation.none
    /// The duration in nanoseconds after which the recording ends, pre-roll included; `nil` for no
    /// limit (AVCaptureFileOutput.maxRecordedDuration).
    public var maximumDuration: Int64?
    /// The size in bytes at which the recording ends; `nil` for no limit (maxRecordedFileSize).
    public var maximumFileSize: Int?
    /// Bytes of free disk space below which the recording ends (minFreeDiskSpaceLimit).
    public var minimumFreeBytes: Int64 = 0
    /// The metadata of the file, beside its first picture's time
    /// (AVCaptureMovieFileOutput.metadata).
    public var metadata = Metadata()

    /// The metadata that an order determines. Values that are empty or `nil` are left out.
    public struct Metadata: Sendable {
        /// The camera's maker.
        public var make = ""
        /// The camera's model.
        public var model = ""
        /// The program that records.
        public var software = ""
        /// The place of the recording.
        public var location: Location?

        /// Creates empty metadata.
        public init() {}
    }

    /// Creates an order without limits.
    public init(id: UUID, path: String, moment: Int64) {
        self.id = id
        self.path = path
        self.moment = moment
    }
}

/// The reason why a recording ended. The file keeps what was recorded until then.
public enum MovieStopReason: String, Sendable, CaseIterable {
    /// The client stopped the recording.
    case requested
    case continued
    case maximumDuration
    case maximumFileSize
    case storageFull
    case storageTooSlow
    /// The camera is gone, or came back with other pictures.
    case cameraLost
    case encoderFailed
    case stopping
}

extension MovieStopReason {
    /// Whether camera, disk and encoder work, so that the last of the sound is worth a wait.
    var isOrderly: Bool {
        switch self {
        case .requested, .continued, .maximumDuration, .maximumFileSize: true
        case .storageFull, .storageTooSlow, .cameraLost, .encoderFailed, .stopping: false
        }
    }
}
