// SPDX-License-Identifier: GPL-3.0-or-later

import Codecs
import Foundation
import Imaging
import Media
import Playback
import TestSupport
import Testing

/// Makes videos with the program ffmpeg.
struct TestVideo {
    let folder: TemporaryFolder
    var path: String { folder.path(of: name) }
    private let name: String

    /// Each picture's brightness tells its number: 30 more than black and 4 for each.
    static func counting(size: String = "160x120", rate: Int = 10, seconds: Int = 4) -> String {
        "color=black:size=\(size):rate=\(rate):duration=\(seconds),format=yuv420p,"
            + "geq=lum='46+4*N':cb=128:cr=128"
    }

    init(_ name: String, _ source: String, _ arguments: String) throws {
        folder = try TemporaryFolder()
        self.name = name
        let made = try Program.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", source]
                + arguments.split(separator: " ").map(String.init) + [folder.path(of: name)])
        try #require(made.status == 0, "\(made.text)")
    }

    /// Copies the streams of another one into a new file.
    init(_ name: String, from other: TestVideo, _ arguments: String) throws {
        folder = other.folder
        self.name = name
        let made = try Program.run(
            "ffmpeg",
            ["-v", "error", "-i", other.path]
                + arguments.split(separator: " ").map(String.init) + [folder.path(of: name)])
        try #require(made.status == 0, "\(made.text)")
    }
}

@Suite("ImageGenerator", .timeLimit(.common))
struct ImageGeneratorTests {
    private static let x264 = "-c:v libx264 -qp 8 -bf 2 -g 12"

    private func seconds(_ value: Int64, _ timescale: Int32 = 10) -> MediaTime {
        MediaTime(value: value, timescale: timescale)
    }

    /// Returns the number of the picture that its brightness tells.
    private func number(_ image: ImageGenerator.Image) -> Int {
        unsafe image.picture.withPixels { pixels in
            let size = unsafe pixels.description.dimensions
            let row = unsafe pixels.plane(0) + size.height / 2 * pixels.bytesPerRow(0)
            // Luma 16…235 became 0…255.
            let luma = unsafe Double(row[4 * (size.width / 2)]) * 219 / 255 + 16
            return Int(((luma - 46) / 4).rounded())
        }
    }

    @Test("a piece of music has a cover, which is not played", arguments: ["mp3", "m4a", "flac"])
    func cover(ending: String) async throws {
        for codec in ["mjpeg", "png"] {
            let cover = try TestVideo(
                "cover.mkv", "color=0xc04020:size=300x200:rate=1:duration=1", "-c:v \(codec)")
            let music = try TestVideo(
                "a.\(ending)", from: cover,
                "-f lavfi -i sine=duration=1 -map 0 -map 1 -c:v copy -disposition:v attached_pic")
            let asset = MediaAsset(path: music.path)
            let tracks = try await asset.load(.tracks)
            #expect(tracks.map(\.kind) == [.audio])
            var options = ImageGenerator.Options()
            options.maximumSize = Dimensions(width: 150, height: 150)
            let picture = try #require(try await ImageGenerator(asset, options).cover())
            #expect(picture.description.dimensions == Dimensions(width: 150, height: 100))
            unsafe picture.withPixels { pixels in
                let middle = unsafe pixels.plane(0) + 50 * pixels.bytesPerRow(0) + 4 * 75
                let color = unsafe (0..<3).map { unsafe Int(middle[$0]) }
                let wanted = [0x20, 0x40, 0xc0]
                #expect(zip(color, wanted).allSatisfy { abs($0 - $1) < 8 }, "\(color)")
            }
        }
        let plain = try TestVideo("b.\(ending)", "sine=duration=1", "")
        #expect(try await ImageGenerator(MediaAsset(path: plain.path)).cover() == nil)
        let video = try TestVideo("clip.mp4", TestVideo.counting(), Self.x264)
        #expect(try await ImageGenerator(MediaAsset(path: video.path)).cover() == nil)
    }

    @Test("each instant gets its picture and the picture's own time")
    func instants() async throws {
        let video = try TestVideo("clip.mp4", TestVideo.counting(), Self.x264)
        let generator = ImageGenerator(MediaAsset(path: video.path))
        for tenth in [0, 7, 39, 3, 20, 21, 12] {
            // A twentieth later the picture is still shown.
            let image = try await generator.image(at: seconds(Int64(2 * tenth) + 1, 20))
            #expect(number(image) == tenth)
            #expect(image.actualTime == seconds(Int64(tenth)))
            #expect(image.picture.description.dimensions == Dimensions(width: 160, height: 120))
        }
        #expect(number(try await generator.image(at: seconds(-5))) == 0)
        #expect(number(try await generator.image(at: seconds(500))) == 39)
        // With a tolerance the key frame before is enough.
        var options = ImageGenerator.Options()
        options.toleranceBefore = seconds(20)
        let quick = ImageGenerator(MediaAsset(path: video.path), options)
        #expect(number(try await quick.image(at: seconds(20))) == 12)
    }

    @Test("pictures are reduced, turned upright and of square pixels")
    func form() async throws {
        let video = try TestVideo(
            "wide.mp4", TestVideo.counting(size: "160x120", seconds: 1), Self.x264 + " -aspect 8:3")
        let turned = try TestVideo("turned.mp4", from: video, "-c copy -metadata:s:v rotate=90")
        func size(_ video: TestVideo, _ options: ImageGenerator.Options) async throws -> String {
            let image = try await ImageGenerator(MediaAsset(path: video.path), options)
                .image(at: .zero)
            return image.picture.description.dimensions.description
        }
        var options = ImageGenerator.Options()
        #expect(try await size(video, options) == "320x120")
        #expect(try await size(turned, options) == "120x320")
        options.maximumSize = Dimensions(width: 80, height: 80)
        #expect(try await size(video, options) == "80x30")
        #expect(try await size(turned, options) == "30x80")
        options.appliesPreferredTransform = false
        #expect(try await size(turned, options) == "80x60")
        let track = try await MediaAsset(path: turned.path).load(.tracks)[0]
        #expect(track.dimensions == Dimensions(width: 160, height: 120))
        #expect(track.presentationSize == Dimensions(width: 120, height: 320))
    }

    @Test(
        "every usual codec and sample format becomes a picture",
        arguments: [
            "-c:v libx265 -pix_fmt yuv420p10le -x265-params log-level=none",
            "-c:v libx264 -pix_fmt yuv444p",
            "-c:v mjpeg -pix_fmt yuvj422p -q:v 2", "-c:v libvpx-vp9 -deadline realtime",
            "-c:v ffv1",
            "-c:v libx264 -pix_fmt yuv420p -color_range pc",
        ])
    func formats(arguments: String) async throws {
        let video = try TestVideo(
            "clip.mkv", TestVideo.counting(seconds: 2), arguments)
        let generator = ImageGenerator(MediaAsset(path: video.path))
        let image = try await generator.image(at: seconds(12))
        #expect(abs(number(image) - 12) <= 1, "\(number(image))")
    }

    @Test("a filmstrip has its pictures in the order of time, whatever the length")
    func filmstrip() async throws {
        let video = try TestVideo("clip.mp4", TestVideo.counting(), Self.x264)
        let asset = MediaAsset(path: video.path)
        let generator = ImageGenerator(asset)
        for count in [0, 1, 8] {
            var numbers: [Int] = []
            for await (_, result) in await generator.filmstrip(count: count) {
                numbers.append(number(try result.get()))
            }
            #expect(numbers == (0..<count).map { (20 * (2 * $0 + 1)) / count })
        }
        // A single picture, and a file that does not say how long it is.
        let one = try TestVideo(
            "one.mp4", TestVideo.counting(seconds: 1), "-frames:v 1 " + Self.x264)
        let raw = try TestVideo("raw.h264", TestVideo.counting(), Self.x264)
        for (path, expected) in [(one.path, 4), (raw.path, 1)] {
            var times: [MediaTime] = []
            for await (_, result) in await ImageGenerator(MediaAsset(path: path)).filmstrip(
                count: 4)
            {
                times.append(try result.get().actualTime)
            }
            #expect(times.count == expected && times == times.sorted())
        }
    }

    @Test("a poster is the first picture that is not dark")
    func poster() async throws {
        let black = "color=black:size=64x48:rate=10:duration=6,format=yuv420p"
        let late = try TestVideo(
            "late.mp4", black + ",geq=lum='if(lt(N,35),16,200)':cb=128:cr=128", Self.x264)
        let dark = try TestVideo("dark.mp4", black, Self.x264)
        let image = try await ImageGenerator(MediaAsset(path: late.path)).poster()
        #expect(image.actualTime == seconds(40))
        #expect(try await ImageGenerator(MediaAsset(path: dark.path)).poster().actualTime == .zero)
    }

    @Test("what cannot be shown is an error for each picture, and says why")
    func refused() async throws {
        let folder = try TemporaryFolder()
        try folder.write("no movie".utf8, to: "text.mp4")
        let sound = try TestVideo("sound.wav", "sine=duration=1", "-c:a pcm_s16le")
        let cases: [(String, PlaybackError.Code)] = [
            (folder.path(of: "text.mp4"), .unsupported), (folder.path(of: "none.mp4"), .notFound),
            (folder.path, .unsupported), (sound.path, .unsupported),
        ]
        for (path, code) in cases {
            let asset = MediaAsset(path: path)
            var codes: [PlaybackError.Code] = []
            for await (_, result) in ImageGenerator(asset).images(at: [.zero, seconds(1)]) {
                if case .failure(let error) = result { codes.append(error.code) }
            }
            #expect(codes == [code, code], "\(path)")
        }
        let asset = MediaAsset(path: folder.path(of: "text.mp4"))
        guard case .unknown = asset.status else { return #expect(Bool(false)) }
        for _ in 0..<2 {
            let error = await #expect(throws: PlaybackError.self) {
                try await asset.load(.duration)
            }
            #expect(error?.code == .unsupported)
        }
        guard case .failed(let error) = asset.status, error.code == .unsupported else {
            return #expect(Bool(false), "\(asset.status)")
        }
        // A file with sound alone can be loaded.
        #expect(try await MediaAsset(path: sound.path).load(.duration) == seconds(10))
    }

    @Test("properties tell length, tracks and metadata")
    func properties() async throws {
        let video = try TestVideo(
            "clip.mp4", TestVideo.counting(),
            Self.x264 + " -metadata title=Sunrise -metadata:s:v language=deu")
        let asset = MediaAsset(path: video.path)
        #expect(try await asset.load(.duration) == seconds(40))
        #expect(try await asset.load(.commonMetadata)["title"] == "Sunrise")
        let track = try await asset.load(.tracks)[0]
        #expect(track.codec == "h264" && track.language == "deu")
        #expect(track.framesPerSecond == 10 && track.kind == .video)
    }

    @Test("whoever stops listening ends the work")
    func cancelled() async throws {
        let video = try TestVideo("clip.mp4", TestVideo.counting(), Self.x264)
        let generator = ImageGenerator(MediaAsset(path: video.path))
        var count = 0
        for await _ in generator.images(at: (0..<10_000).map { seconds($0 * 7 % 40) }) {
            count += 1
            if count == 3 { break }
        }
        // The next request does not wait for the others.
        #expect(number(try await generator.image(at: seconds(5))) == 5)
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await generator.image(at: .zero)
        }
        let error = await #expect(throws: PlaybackError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }
}
