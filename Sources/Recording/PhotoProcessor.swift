// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import FoundationEssentials
internal import Glibc
public import Imaging
internal import LinuxIO
public import Media

/// Turns captured frames into JPEG files on a thread of its own. A camera's own JPEG is kept unless
/// ``CapturePhotoSettings`` say otherwise; other frames are encoded straight from their memory, on
/// several processors if there are any.
public actor PhotoProcessor {
    /// The settings that all photos share.
    public struct Settings: Sendable {
        /// The EXIF Make; left out if empty.
        public var make = ""
        /// The EXIF Model; left out if empty.
        public var model = ""
        /// The EXIF Software; left out if empty.
        public var software = ""
        /// The JPEG quality, 1 to 100.
        public var quality = 90
        /// The camera's location, written into photos; `nil` if unknown.
        public var location: Location?
        /// Whether a small JPEG is made of the same frame.
        public var wantsThumbnail = true
        /// Creates the defaults, without make and model.
        public init() {}
    }

    private static let executor = ThreadExecutor("encoder")
    /// The strips of a picture, one per processor. Beyond four, processors have other work.
    private static let strips = min(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 4)
    /// The executor of the thread "encoder", which all photo processors share.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    private var settings: Settings
    private let encoder: JPEGStripEncoder
    private let smallEncoder: JPEGEncoder
    private let decoder: JPEGDecoder
    private let meter: SharpnessMeter

    /// Creates a processor; throws `failed` if libjpeg-turbo provides no encoder or decoder.
    public init(_ settings: Settings) throws(PhotoError) {
        self.settings = settings
        do {
            encoder = try JPEGStripEncoder(count: Self.strips)
            smallEncoder = try JPEGEncoder()
            decoder = try JPEGDecoder()
            meter = try SharpnessMeter()
        } catch {
            throw PhotoError(.failed, "photo encoder", underlying: error)
        }
    }

    /// Sets the ``Settings/make`` and ``Settings/model`` of future photos.
    public func setCamera(make: String, model: String) {
        (settings.make, settings.model) = (make, model)
    }

    /// Encodes the frame, gives it back to the camera, and completes the file. A photo survives
    /// without its thumbnail or RAW if these cannot be made; the still's warnings say so.
    /// `rotation` is the camera's beyond that of the frame's orientation. `measuresSharpness` makes
    /// the still comparable with others of its burst.
    public func finish(
        _ frame: sending CapturedFrame, as photo: CapturePhotoSettings = CapturePhotoSettings(),
        turned rotation: Rotation = .none,
        measuresSharpness: Bool = false
    ) async throws(PhotoError) -> FinishedStill {
        let info = frame.info
        let clocks = ClockReadings(at: info.timestamp)
        let id = UUID()
        let orientation =
            ExifOrientation(rawValue: frame.orientation)?.withCamera(turned: rotation).rawValue ?? 1
        var warnings: [PhotoError] = []
        guard let lease = frame.takeLease() else {
            throw PhotoError(.noFrames, "frame \(info.sequence) was already released")
        }
        do {
            // Measured while the lease lasts. A picture that cannot be measured counts as blurred.
            let sharpness = measuresSharpness ? measureSharpness(lease) : nil
            let raw = photo.format == .raw ? lease.slot.raw : nil
            let keeper = raw == nil ? nil : lease.another()
            let (file, small) = try encode(lease, photo, &warnings)
            var metadata = ExifMetadata(
                time: PictureTime(
                    seconds: clocks.wallTime / 1_000_000_000,
                    nanoseconds: Int32(clocks.wallTime % 1_000_000_000),
                    utcOffsetSeconds: clocks.utcOffset),
                dimensions: file.dimensions)
            metadata.make = settings.make
            metadata.model = settings.model
            metadata.software = settings.software
            metadata.orientation = orientation
            let negative = photo.format == .raw ? dng(raw, metadata, info, &warnings) : nil
            _ = consume keeper
            metadata.exposureTime = await frame.exposureTime.flatMap(Self.seconds)
            metadata.imageUniqueID = id.uuidString.filter { $0 != "-" }.lowercased()
            metadata.location = settings.location
            metadata.thumbnail = small
            let chunks = try file.chunks(metadata: metadata)
            return FinishedStill(
                id: id, chunks: chunks, dimensions: file.dimensions,
                orientation: orientation, wallTime: clocks.wallTime, utcOffset: clocks.utcOffset,
                clockIsRight: clocks.isRight, bootTime: clocks.bootTime,
                frameSequence: info.sequence, shutterOffset: frame.offset,
                location: settings.location, raw: negative, thumbnail: small,
                sharpness: sharpness, warnings: warnings)
        } catch {
            let code: PhotoError.Code =
                frame.description.pixelFormat.isCompressed ? .damagedFrame : .failed
            throw PhotoError(code, "frame \(info.sequence)", underlying: error)
        }
    }

    /// Decodes the photo for the review on screen, as XRGB8888 of at least `size`, such as the
    /// screen's. The photo need not wait for it.
    public func review(
        of still: FinishedStill, covering size: Dimensions
    ) throws(PhotoError) -> StillPicture {
        let scale = JPEGScale(of: still.dimensions, covering: size)
        var file: [UInt8] = []
        file.reserveCapacity(still.chunks.reduce(0) { $0 + $1.count })
        for chunk in still.chunks { file += chunk }
        do {
            return StillPicture(try decoder.picture(of: file, scale: scale))
        } catch {
            throw PhotoError(
                .failed, "review of frame \(still.frameSequence)", underlying: error)
        }
    }

    private func measureSharpness(_ lease: borrowing FrameLease) -> Double? {
        try? unsafe lease.withPixels { pixels in try unsafe meter.sharpness(of: pixels) }
    }

    private func dng(
        _ raw: RawFrame?, _ metadata: ExifMetadata, _ info: FrameInfo,
        _ warnings: inout [PhotoError]
    ) -> [UInt8]? {
        do {
            guard let raw else {
                throw PhotoError(.failed, "the camera's driver delivered none")
            }
            return try DNGFile(raw, metadata: metadata).bytes
        } catch {
            warnings.append(
                PhotoError(.failed, "RAW of frame \(info.sequence)", underlying: error))
            return nil
        }
    }

    /// Returns the picture and its thumbnail. The lease has ended by then.
    private func encode(
        _ lease: consuming FrameLease, _ photo: CapturePhotoSettings,
        _ warnings: inout [PhotoError]
    ) throws -> (JPEGFile, thumbnail: [UInt8]?) {
        let info = lease.info
        let quality = photo.quality ?? settings.quality
        if lease.description.pixelFormat.isCompressed {
            var file = try unsafe lease.withPixels { try unsafe JPEGFile(copying: $0) }
            if photo.format == .jpeg { file = reencode(file, quality, info, &warnings) }
            // The decoder adds the Huffman tables that cameras omit, so it gets the original bytes.
            return (
                file,
                thumbnail(info, &warnings) {
                    try smallEncoder.thumbnail(of: file.bytes, decoder: decoder)
                }
            )
        }
        return try unsafe lease.withPixels { pixels in
            let bytes = try unsafe encoder.encode(pixels, quality: quality)
            let small = thumbnail(info, &warnings) {
                try unsafe smallEncoder.thumbnail(of: pixels)
            }
            return (try JPEGFile(bytes), small)
        }
    }

    /// Returns the picture in another quality, or the camera's file if that cannot be decoded.
    private func reencode(
        _ file: JPEGFile, _ quality: Int, _ info: FrameInfo, _ warnings: inout [PhotoError]
    ) -> JPEGFile {
        do {
            let subsampling = try decoder.header(of: file.bytes).subsampling
            let picture = try decoder.picture(of: file.bytes)
            return try JPEGFile(
                unsafe picture.withPixels { (pixels) throws(ImagingError) in
                    try unsafe encoder.encode(
                        pixels, quality: quality, rgbSubsampling: subsampling)
                })
        } catch {
            warnings.append(
                PhotoError(.failed, "another quality of frame \(info.sequence)", underlying: error))
            return file
        }
    }

    private func thumbnail(
        _ info: FrameInfo, _ warnings: inout [PhotoError], _ make: () throws -> [UInt8]
    ) -> [UInt8]? {
        guard settings.wantsThumbnail else { return nil }
        do {
            return try make()
        } catch {
            warnings.append(
                PhotoError(.failed, "thumbnail of frame \(info.sequence)", underlying: error))
            return nil
        }
    }

    private static func seconds(_ nanoseconds: Int64) -> ExifMetadata.Rational? {
        guard nanoseconds > 0 else { return nil }
        return ExifMetadata.Rational(UInt32(clamping: nanoseconds / 1000), 1_000_000)
    }
}
