// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
public import Imaging
internal import LinuxIO
public import Media

/// Makes pictures of an asset's video at instants (AVAssetImageGenerator's counterpart). Requests
/// are answered one after the other, on a thread of the generator's own.
public actor ImageGenerator {
    private let executor = ThreadExecutor("images")
    /// The thread of the requests.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    /// The form of the pictures.
    public struct Options: Sendable {
        /// The largest size; larger pictures are reduced to fit. `nil` for the video's own size.
        public var maximumSize: Dimensions?
        /// Whether pictures are turned upright and their pixels made square.
        public var appliesPreferredTransform = true
        /// How far the picture may be before the instant. A key frame within is returned at once.
        public var toleranceBefore = MediaTime.zero

        /// Upright pictures of the video's own size, exactly of the instant.
        public init() {}
    }

    /// A picture and its time.
    public struct Image: Sendable {
        /// The picture, XRGB8888.
        public let picture: StillPicture
        /// The time of the picture in the video, which is not after the instant that was asked for.
        public let actualTime: MediaTime
    }

    private let asset: MediaAsset
    private let options: Options
    private let compositor = Compositor()
    private var opened: (pictures: PictureReader, track: MediaTrack)?

    /// Creates a generator. The file is opened by the first request.
    public init(_ asset: MediaAsset, _ options: Options = Options()) {
        (self.asset, self.options) = (asset, options)
    }

    /// Returns the picture that is shown at an instant; before the beginning the first, and behind
    /// the end the last.
    /// - Throws: ``PlaybackError``, `cancelled` if the task is.
    public func image(at time: MediaTime) async throws(PlaybackError) -> Image {
        do {
            try Task.checkCancellation()
            return try image(of: time)
        } catch {
            throw PlaybackError(asset.name, error)
        }
    }

    /// Returns pictures in the order of `times`, an image or an error for each, as they are made.
    /// Cancelling the task ends them.
    public nonisolated func images(
        at times: [MediaTime]
    ) -> AsyncStream<(time: MediaTime, result: Result<Image, PlaybackError>)> {
        AsyncStream { continuation in
            let task = Task {
                for time in times where !Task.isCancelled {
                    let result: Result<Image, PlaybackError>
                    do throws(PlaybackError) {
                        result = .success(try await image(at: time))
                    } catch {
                        result = .failure(error)
                    }
                    continuation.yield((time, result))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Returns `count` pictures, evenly spread over the video, each from the middle of its part. A
    /// video of unknown or no length has one part.
    public nonisolated func filmstrip(
        count: Int
    ) async -> AsyncStream<(time: MediaTime, result: Result<Image, PlaybackError>)> {
        let duration = (try? await asset.load(.duration)) ?? .indefinite
        guard duration.isNumeric, duration > .zero, count > 0 else {
            return images(at: count > 0 ? [.zero] : [])
        }
        let times = (0..<count).map { number in
            duration.multiplied(
                byRatio: Int32(clamping: 2 * number + 1), Int32(clamping: 2 * count))
        }
        return images(at: times)
    }

    /// ``poster()`` looks at these seconds for a mean level that is above black with noise.
    private static let posterSeconds: [Int64] = [0, 1, 2, 4, 8, 16, 30]
    private static let darkness = 26

    /// Returns a picture that stands for the video: of its beginning, the first that is not dark.
    /// - Throws: ``PlaybackError``.
    public func poster() async throws(PlaybackError) -> Image {
        var first: Image?
        for seconds in Self.posterSeconds {
            let image = try await image(at: MediaTime(value: seconds, timescale: 1))
            if image.actualTime == first?.actualTime { break }
            first = first ?? image
            if image.picture.meanLevel > Self.darkness { return image }
        }
        guard let first else { throw PlaybackError(.unsupported, "\(asset.name) has no pictures") }
        return first
    }

    /// Returns the cover of a piece of music; `nil` if it has none.
    /// - Throws: ``PlaybackError``.
    public func cover() throws(PlaybackError) -> StillPicture? {
        do {
            let reader = try asset.open(stop: try MediaStop())
            guard let (picture, track) = try reader.cover() else { return nil }
            return StillPicture(try render(picture, track))
        } catch {
            throw PlaybackError(asset.name, error)
        }
    }

    private func image(of time: MediaTime) throws -> Image {
        let (pictures, track) = try open()
        guard let picture = try pictures.picture(at: time, toleranceBefore: options.toleranceBefore)
        else { throw PlaybackError(.damaged, "\(asset.name): no picture can be decoded") }
        return Image(
            picture: StillPicture(try render(picture, track)), actualTime: picture.time)
    }

    private func open() throws -> (pictures: PictureReader, track: MediaTrack) {
        if let opened { return opened }
        let reader = try asset.open(stop: try MediaStop())
        guard let track = reader.tracks.first(where: { $0.kind == .video }) else {
            throw PlaybackError(.unsupported, "\(asset.name) has no pictures")
        }
        reader.select([track.index])
        let new = (try PictureReader(track, of: reader, threads: Self.threads), track)
        opened = new
        return new
    }

    /// Frame threads help with the pictures before the wanted one.
    private static let threads = 2

    private func render(
        _ picture: DecodedPicture, _ track: MediaTrack
    ) throws -> PixelStorage {
        let stored = picture.dimensions
        let orientation = options.appliesPreferredTransform ? track.orientation : .upright
        // A picture may differ from what the track says.
        let ratio = options.appliesPreferredTransform ? track.pixelAspectRatio : 1
        let upright = orientation.apply(
            to: Dimensions(
                width: max(Int((Double(stored.width) * ratio).rounded()), 1),
                height: stored.height))
        let size = options.maximumSize.map { upright.reduced(toFit: $0) } ?? upright
        var target = try PixelStorage(.xrgb, size)
        let drawn: Void? = try unsafe target.withMutablePixels { pixels in
            try unsafe picture.withPixels { source in
                let placement = Compositor.Placement(
                    source: PixelRect(stored), target: PixelRect(size),
                    orientation: orientation)
                try unsafe compositor.render((source, placement), into: pixels)
            }
        }
        guard drawn != nil else {
            throw PlaybackError(
                .unsupported, "\(asset.name): its pixels cannot be shown; next: install libavfilter"
            )
        }
        return target
    }
}

extension Dimensions {
    /// Returns the largest size of this shape that fits a box; the size itself if it does.
    fileprivate func reduced(toFit box: Dimensions) -> Dimensions {
        if width <= box.width, height <= box.height { return self }
        let bounds = Dimensions(width: min(box.width, width), height: min(box.height, height))
        return Gravity.resizeAspect.place(self, on: bounds).target.size
    }
}

extension StillPicture {
    /// The mean of red, green and blue, 0 to 255, of some pixels from everywhere.
    fileprivate var meanLevel: Int {
        unsafe withPixels { pixels in
            let size = unsafe pixels.description.dimensions
            let step = max(min(size.width, size.height) / 64, 1)
            var (sum, count) = (0, 0)
            for y in stride(from: 0, to: size.height, by: step) {
                let row = unsafe pixels.plane(0) + y * pixels.bytesPerRow(0)
                for x in stride(from: 0, to: size.width, by: step) {
                    sum += (0..<3).reduce(0) { unsafe $0 + Int(row[4 * x + $1]) }
                    count += 3
                }
            }
            return sum / max(count, 1)
        }
    }
}
