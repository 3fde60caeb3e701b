// SPDX-License-Identifier: GPL-3.0-or-later

public import Imaging
public import Media

/// A picture that a scan-out device can show.
public protocol ScanoutImage: AnyObject {
    var description: FrameDescription { get }
    /// How whoever writes it has to turn what a person shall see upright.
    var rotation: Rotation { get }
    /// Its memory, which the CPU may write while it is not on screen.
    var buffers: [FrameBuffer] { get }
}

extension ScanoutImage {
    /// For displays that show pictures as they are written, or turn them themselves.
    public var rotation: Rotation { .none }

    /// Draws a picture of the screen's size: above black, where this one has no transparency.
    func write(_ picture: OverlayPicture) throws {
        try unsafe buffers[0].withBytes(.write) { bytes in
            // Premultiplied and without its alpha it is the picture above black.
            var layout = description
            layout.pixelFormat = .argb
            let target = unsafe PixelAccess(layout, bytes)
            try unsafe picture.withPixels { pixels in
                try unsafe pixels.write(turned: rotation, into: target)
            }
        }
    }
}

/// Why a monitor is black where it was to go to standby.
public struct StandbyRefused: Error {
    /// What the driver refused with; from ``KMSDevice`` a `SystemCallError`.
    public let reason: any Error

    /// To be thrown only when black is on screen.
    public init(reason: any Error) { self.reason = reason }
}

/// How long the CPU can see the memory of a display's own picture.
public enum ImageMapping: Sendable {
    /// As long as the picture lives: the CPU writes every frame.
    case kept
    /// During each access: the CPU writes seldom, or only a camera does.
    case brief
}

/// How video lies on the screen, whatever its size.
public struct VideoLayout: Sendable, Equatable {
    /// How frames of another shape than the screen's fill it.
    public var gravity: Gravity
    /// How frames are turned, and mirrored after that, for a person to see them as they shall.
    public var orientation: ExifOrientation

    /// Of the given parts; nothing is checked.
    public init(gravity: Gravity, orientation: ExifOrientation = .upright) {
        self.gravity = gravity
        self.orientation = orientation
    }

    /// Where a frame goes on a screen that can put it anywhere at any size.
    public func place(_ frame: Dimensions, on screen: Dimensions) -> LayerPlacement {
        LayerPlacement(frame, on: screen, gravity, orientation)
    }
}

/// Where a layer's picture goes.
public typealias LayerPlacement = Compositor.Placement

/// What a display is and how it is driven: KMS, or memory. One call at a time, on whichever thread.
///
/// A commit takes effect at the display's next refresh. Until its flip has been read no other is made; one whose
/// flip nobody announces is over when the next one is not refused with `EBUSY`.
public protocol ScanoutDevice: AnyObject {
    /// As the kernel names it, for example "HDMI-A-1".
    var connectorName: String { get }
    /// The mode in use, for example "1920x1080@60".
    var modeName: String { get }
    /// As a person sees it, who has turned the display.
    var size: Dimensions { get }
    /// The size of the mode that video is first tried in: the monitor's own, or the configured one.
    var preferredSize: Dimensions { get }
    /// Readable when a flip that is announced has completed.
    var flipDescriptor: CInt { get }
    /// Nanoseconds from one refresh to the next, in the mode in use.
    var refreshInterval: Int64 { get }
    /// Whether an overlay can lie above the video.
    var hasOverlay: Bool { get }

    func canScanOut(_ format: PixelFormat) -> Bool
    /// A picture of somebody else's memory.
    func importImage(_ description: FrameDescription, _ buffers: [FrameBuffer]) throws
        -> any ScanoutImage
    /// A picture of the display's own memory, of zeroes at first: black or transparent in RGB only.
    func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage

    /// A picture of the display's own memory for all of a screen of this size: turned where the display is
    /// and its planes cannot turn it.
    func makeScreenImage(
        _ format: PixelFormat, _ size: Dimensions, _ mapping: ImageMapping
    ) throws -> any ScanoutImage

    /// Finds a way to show pictures like this one in this layout, with an overlay above them if there
    /// is one: by scaling, or by a mode that matches. Changes the mode when that is the way; the screen
    /// then shows what a new mode comes with, and no picture of an earlier commit is in use.
    ///
    /// - Throws: when the hardware can neither scale nor match.
    func placeVideo(_ image: any ScanoutImage, _ layout: VideoLayout) throws -> LayerPlacement

    /// Shows the pictures from the next refresh on. `nil` video: black, or still what
    /// the mode came with; `nil` overlay: none.
    func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?)
        throws

    /// The last commit, which showed video, once more with this picture in its video's place: one of the same shape,
    /// made in the same way. All that most frames need.
    ///
    /// - Parameter isAnnounced: whether the flip is to be read.
    /// - Returns: `false` when this display must be told everything: nothing has changed then.
    /// - Throws: as ``commit(video:_:overlay:)``.
    func flip(to video: any ScanoutImage, isAnnounced: Bool) throws -> Bool

    /// Switches the monitor to standby, or on again with what a new mode comes with; returns when it is done.
    /// No picture of an earlier commit is in use any more. Not while a flip is on its way.
    ///
    /// - Throws: ``StandbyRefused`` when it is black instead.
    func setActive(_ isActive: Bool) throws

    /// The completed flip's time in nanoseconds of `CLOCK_MONOTONIC`; `nil` when none has. Never blocks.
    func readFlip() throws -> Int64?

    /// Looks whether the monitor is still there and still has the mode in use; changes nothing.
    ///
    /// - Throws: when it is gone, or another one is in its place.
    func checkConnection() throws(DisplayError)

    /// Puts back what was on screen before, and lets go of the hardware.
    func close()
}

extension ScanoutDevice {
    /// `false`, for displays to which one commit is like another.
    public func flip(to video: any ScanoutImage, isAnnounced: Bool) throws -> Bool { false }

    /// A picture of full-range BT.601 colours that is not turned; throws what `makeImage` does.
    public func makeScreenImage(
        _ format: PixelFormat, _ size: Dimensions, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        try makeImage(format, size, color: .jpeg, mapping)
    }
}
