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

/// A movie as a complete file.
public struct FinishedMovie: Sendable {
    /// The order's.
    public let id: UUID
    /// The order's; the file survives a power cut.
    public let path: String
    /// Nanoseconds.
    public let duration: Int64
    /// Of the file.
    public let bytes: Int
    /// Pixels as stored, before the rotation is applied.
    public let dimensions: Dimensions
    /// By which players turn it, clockwise.
    public let rotation: Rotation
    /// Wall time of the first picture: nanoseconds since 1970.
    public let wallTime: Int64
    /// Seconds that local time was ahead of UTC then.
    public let utcOffset: Int
    /// Whether the wall clock was known to be right before it was read.
    public let clockIsRight: Bool
    /// `CLOCK_BOOTTIME` of the first picture, nanoseconds.
    public let bootTime: Int64
    /// Why it ended.
    public let stopReason: MovieStopReason
    /// A small JPEG of its first picture, as stored; `nil` where it could not be made.
    public let thumbnail: [UInt8]?
}

/// Why there is no movie.
public struct MovieError: Error, Sendable, CustomStringConvertible {
    /// What went wrong, for callers that act on it.
    public enum Code: String, Sendable {
        /// No frames come: the session is stopped, or the camera has gone.
        case noFrames
        /// One is being recorded already.
        case alreadyRecording
        /// There is no encoder, or it does not take these pictures.
        case noEncoder
        /// The file could not be written.
        case storage
    }
    /// What went wrong.
    public let code: Code
    /// The thing and the reason, in one line.
    public let message: String
    /// The encoder's or the kernel's error, where there is one.
    public let underlying: (any Error)?

    /// The message names the thing and the reason, in one line.
    public init(_ code: Code, _ message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlying = underlying
    }

    /// The message and what is underneath.
    public var description: String { underlying.map { "\(message): \($0)" } ?? message }
}
