// SPDX-License-Identifier: GPL-3.0-or-later

/// What one photo is to be (AVCapturePhotoSettings).
public struct CapturePhotoSettings: Sendable, Hashable {
    /// As what a photo is kept.
    public enum Format: String, Sendable, CaseIterable {
        /// The camera's own JPEG, byte by byte, where it delivers that; else as ``jpeg``.
        case original
        /// JPEG, encoded here even where the camera delivers JPEG.
        case jpeg
        /// As ``original``, and beside it what the camera's sensor measured: a DNG. Where the camera delivers that.
        case raw
    }
    /// What a flash is to do (AVCaptureDevice.FlashMode).
    public enum FlashMode: String, Sendable, CaseIterable {
        /// It lights the photo where there is one.
        case auto
        /// It lights the photo; without one there is no photo.
        case on
        /// It stays dark.
        case off
    }

    /// As what it is kept.
    public var format: Format
    /// JPEG quality, 1 to 100; `nil` for the one that is configured.
    public var quality: Int?
    /// What a flash is to do.
    public var flashMode: FlashMode

    /// A photo as the camera delivers it.
    public init(
        format: Format = .original, quality: Int? = nil, flashMode: FlashMode = .auto
    ) {
        self.format = format
        self.quality = quality
        self.flashMode = flashMode
    }
}
