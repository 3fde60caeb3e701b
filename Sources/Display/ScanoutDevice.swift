// SPDX-License-Identifier: GPL-3.0-or-later

public import Imaging
public import Media

/// A picture that a scan-out device can show.
public protocol ScanoutImage: AnyObject {
    var description: FrameDescription { get }
    /// The rotation by which a writer must turn an upright picture.
    var rotation: Rotation { get }
    /// The picture's memory, which the CPU may write while the picture is not on screen.
    var buffers: [FrameBuffer] { get }
}

extension ScanoutImage {
    /// No rotation, for displays that show pictures as written or turn them themselves.
    public var rotation: Rotation { .none }

    /// Draws a picture of the screen's size, above black if this one has no transparency.
    func write(_ picture: OverlayPicture) throws {
        try unsafe buffers[0].withBytes(.write) { bytes in
            // Premultiplied colours without their alpha are the picture above black.
            var layout = description
            layout.pixelFormat = .argb
            let target = unsafe PixelAccess(layout, bytes)
            try unsafe picture.withPixels { pixels in
                try unsafe pixels.write(turned: rotation, into: target)
            }
        }
    }
}

/// The error of a monitor that shows black because it cannot enter standby.
public struct StandbyRefused: Error {
    /// The driver's error; from ``KMSDevice`` a `SystemCallError`.
    public let reason: any Error

    /// Creates the error, to be thrown only while black is on screen.
    public init(reason: any Error) { self.reason = reason }
}

/// The time for which the memory of a display's picture is mapped.
public enum ImageMapping: Sendable {
    /// The memory stays mapped for the picture's lifetime, because the CPU writes every frame.
    case kept
    /// The memory is mapped for each access, because the CPU writes rarely or only a camera writes.
    case brief
}

extension VideoLayout {
    /// Returns a frame's place on a screen that can show it anywhere at any size. A layout without
    /// gravity shows the whole frame.
    public func place(_ frame: Dimensions, on screen: Dimensions) -> LayerPlacement {
        LayerPlacement(
            frame, on: screen, gravity ?? .resizeAspect, orientation,
            pixelAspectRatio: pixelAspectRatio)
    }
}

/// The place of a layer's picture on the screen.
public typealias LayerPlacement = Compositor.Placement

/// A display, driven through KMS or simulated in memory. Any thread may call it, one call at a
/// time. A commit takes effect at the next refresh. The next commit must wait until its flip has
/// been read. An unannounced flip is over once the next commit is not refused with `EBUSY`.
public protocol ScanoutDevice: AnyObject {
    /// The connector's name in the kernel, for example "HDMI-A-1".
    var connectorName: String { get }
    /// The name of the mode in use, for example "1920x1080@60".
    var modeName: String { get }
    /// The size as a person sees it on the turned display.
    var size: Dimensions { get }
    /// The size of the mode tried first for video: the monitor's own, or the configured one.
    var preferredSize: Dimensions { get }
    /// A descriptor that is readable once an announced flip has completed.
    var flipDescriptor: CInt { get }
    /// Nanoseconds from one refresh to the next in the mode in use.
    var refreshInterval: Int64 { get }
    var hasOverlay: Bool { get }

    func canScanOut(_ format: PixelFormat) -> Bool
    /// Makes a picture of memory that was allocated elsewhere.
    func importImage(_ description: FrameDescription, _ buffers: [FrameBuffer]) throws
        -> any ScanoutImage
    /// Allocates a picture of display memory: zeros, black or transparent in RGB only.
    func makeImage(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, _ mapping: ImageMapping
    ) throws -> any ScanoutImage

    /// Allocates a picture for a whole screen of this size. It is turned if the display is and its
    /// planes cannot turn it.
    func makeScreenImage(
        _ format: PixelFormat, _ size: Dimensions, _ mapping: ImageMapping
    ) throws -> any ScanoutImage

    /// Finds a placement for pictures like this one, with an overlay above them if there is one: by
    /// scaling, or by a matching mode. If it changes the mode, the screen shows the new mode's
    /// first picture, and no picture of an earlier commit is in use. Throws if the hardware can
    /// neither scale nor match.
    func placeVideo(_ image: any ScanoutImage, _ layout: VideoLayout) throws -> LayerPlacement

    /// Shows the pictures from the next refresh on. `nil` video shows black, or still the mode's
    /// first picture; `nil` overlay shows none.
    func commit(
        video: (any ScanoutImage)?, _ placement: LayerPlacement, overlay: (any ScanoutImage)?)
        throws

    /// Repeats the last commit, which showed video, with another video picture of the same shape
    /// and origin. Most frames need no more. `isAnnounced` means that the flip will be read.
    /// Returns `false` if this display needs a full commit; nothing has changed then. Throws as
    /// ``commit(video:_:overlay:)`` does.
    func flip(to video: any ScanoutImage, isAnnounced: Bool) throws -> Bool

    /// Switches the monitor to standby, or on again with the mode's first picture. Returns when it
    /// is done; no picture of an earlier commit is in use then. Not allowed while a flip is
    /// pending. Throws ``StandbyRefused`` if the monitor shows black instead.
    func setActive(_ isActive: Bool) throws

    /// Returns a completed flip's time (`CLOCK_MONOTONIC`, nanoseconds) or `nil`. Never blocks.
    func readFlip() throws -> Int64?

    /// Checks that the monitor is connected and still has the mode in use; changes nothing. Throws
    /// if the monitor is gone or replaced.
    func checkConnection() throws(DisplayError)

    /// Restores what was on screen before, and releases the hardware.
    func close()
}

extension ScanoutDevice {
    /// Returns `false`, for displays on which every commit is a full one.
    public func flip(to video: any ScanoutImage, isAnnounced: Bool) throws -> Bool { false }

    /// Allocates a picture with full-range BT.601 colours, not turned; throws as `makeImage` does.
    public func makeScreenImage(
        _ format: PixelFormat, _ size: Dimensions, _ mapping: ImageMapping
    ) throws -> any ScanoutImage {
        try makeImage(format, size, color: .jpeg, mapping)
    }
}
