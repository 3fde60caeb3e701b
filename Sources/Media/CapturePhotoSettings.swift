// SPDX-License-Identifier: GPL-3.0-or-later

/// The settings of one photo (AVCapturePhotoSettings).
public struct CapturePhotoSettings: Sendable, Hashable {
    /// The format in which a photo is kept.
    public enum Format: String, Sendable, CaseIterable {
        /// The camera's own JPEG, byte for byte; ``jpeg`` if the camera delivers none.
        case original
        /// A JPEG encoded by this program, even if the camera delivers JPEG.
        case jpeg
        /// Like ``original``, plus a DNG of the sensor's values if the camera delivers them.
        case raw
    }
    /// The use of the flash (AVCaptureDevice.FlashMode).
    public enum FlashMode: String, Sendable, CaseIterable {
        /// The flash lights the photo if there is one.
        case auto
        /// The flash lights the photo; no photo is taken without it.
        case on
        /// The flash stays dark.
        case off
    }

    /// The format in which the photo is kept.
    public var format: Format
    /// The JPEG quality, 1 to 100; `nil` for the configured one.
    public var quality: Int?
    /// The use of the flash.
    public var flashMode: FlashMode

    /// Creates settings; the defaults keep the photo as the camera delivers it.
    public init(
        format: Format = .original, quality: Int? = nil, flashMode: FlashMode = .auto
    ) {
        self.format = format
        self.quality = quality
        self.flashMode = flashMode
    }
}
