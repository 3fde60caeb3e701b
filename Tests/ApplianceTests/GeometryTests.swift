// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests that rotation and mirroring are applied exactly once in every output, checked with
    /// ffmpeg, exiftool and heif-convert.
    @Suite("geometry", .timeLimit(.common))
    struct GeometryTests {
        /// The EXIF orientations to walk: upright, mirrored and turned, and turned alone; all by
        /// day.
        private static let orientations = byTier(
            usual: [1, 5, 6], day: Array(1...8), full: Array(1...8))
        private let board: RunningBoard
        private let folder: String

        init() throws {
            board = try RunningBoard()
            folder = board.path("in")
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        }

        /// Imports a file and returns its asset.
        private func take(_ name: String) throws -> [String: Any] {
            let report = try #require(
                try board.json("library", "import", "\(folder)/\(name)").first)
            let id = try #require((report["imported"] as? [String])?.first, "\(report)")
            return try board.json("library", "show", id)[0]
        }

        /// Returns the corners and the size of the picture that `vitrine library picture` writes.
        private func shown(_ id: String, _ options: String...) throws -> String {
            let file = board.path("shown.jpg")
            _ = try board.attempt(["library", "picture", id, file] + options)
            let read = try CornerPicture.read(file)
            return "\(read.corners) \(read.size)"
        }

        /// Returns the corners of an exported copy as viewers show it by its EXIF.
        private func exported(_ id: String, _ options: [String]) throws -> String {
            let target = board.path("out-\(UUID())")
            _ = try board.attempt(["library", "export", target, id] + options)
            let name = try #require(
                try FileManager.default.contentsOfDirectory(atPath: target).first)
            let said = try Program.run(
                "exiftool", ["-n", "-s3", "-Orientation", "\(target)/\(name)"])
            let orientation = Int(said.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 1
            let corners = try CornerPicture.read("\(target)/\(name)").corners
            return CornerPicture.upright(corners, orientation: orientation)
        }

        /// Checks that every output of a photo, or of a video's picture, is upright with these
        /// corners.
        private func expect(_ asset: [String: Any], upright: String, size: String) throws {
            let id = try #require(asset["id"] as? String)
            let name = try #require(asset["fileName"] as? String)
            let sides = size.split(separator: "x").compactMap { Int($0) }
            let small = sides[0] > sides[1] ? "160x120" : "120x160"
            #expect(try shown(id) == "\(upright) \(size)", "\(name)")
            #expect(try shown(id, "--size", "160x160") == "\(upright) \(small)", "\(name)")
            #expect(try shown(id, "--representation", "fullScreen").hasPrefix(upright), "\(name)")
            #expect(try shown(id, "--representation", "thumbnail").hasPrefix(upright), "\(name)")
            guard asset["mediaType"] as? String == "photo" else { return }
            #expect(try exported(id, ["--size", "160x160"]) == upright, "\(name)")
            _ = try board.run("library", "adjust", "--rotate", "90", id)
            let turned = CornerPicture.upright(upright, orientation: 6)
            #expect(try exported(id, []) == turned, "\(name), turned")
            #expect(try exported(id, ["--size", "160x160"]) == turned, "\(name), turned and small")
        }

        private func size(_ orientation: Int) -> String { orientation < 5 ? "320x240" : "240x320" }

        @Test("photos are upright in every output, by their EXIF", arguments: ["jpg", "png"])
        func photos(ending: String) throws {
            for orientation in Self.orientations {
                let name = "\(orientation).\(ending)"
                try CornerPicture.write(name, orientation: orientation, in: folder)
                let asset = try take(name)
                #expect(asset["orientation"] as? Int == orientation)
                try expect(
                    asset, upright: CornerPicture.upright(orientation: orientation),
                    size: size(orientation))
            }
        }

        @Test(
            "HEIF and AVIF files are turned by their properties, whatever their EXIF says",
            arguments: ["heic", "avif"])
        func properties(ending: String) throws {
            var seen: Set<String> = []
            let turns = byTier(usual: [UInt8(1), 2], day: [0, 1, 2, 3], full: [0, 1, 2, 3])
            for (number, mirror) in [UInt8?.none, 0].enumerated() {
                for quarters in turns {
                    let name = "\(number)-\(quarters).\(ending)"
                    try CornerPicture.write(
                        heif: name, quarters: quarters, mirror: mirror,
                        exif: Int(quarters) + 3, in: folder)
                    let judge = board.path("judge.png")
                    let made = try Program.run("heif-convert", ["\(folder)/\(name)", judge])
                    try #require(made.status == 0, "\(made.text)")
                    let upright = try CornerPicture.read(judge)
                    seen.insert(upright.corners)
                    let asset = try take(name)
                    #expect(asset["orientation"] as? Int ?? 1 == 1)
                    try expect(asset, upright: upright.corners, size: upright.size)
                }
            }
            #expect(seen.count == 2 * turns.count, "\(seen)")
        }

        @Test("videos are rotated and mirrored by their whole matrix", arguments: ["mp4", "mov"])
        func movies(ending: String) throws {
            for orientation in Self.orientations {
                let name = "\(orientation).\(ending)"
                try CornerPicture.write(movie: name, orientation: orientation, in: folder)
                let asset = try take(name)
                #expect(asset["orientation"] as? Int ?? 1 == orientation)
                try expect(
                    asset, upright: CornerPicture.upright(orientation: orientation),
                    size: size(orientation))
            }
        }

        @Test("pixels that are not square are shown with their true width")
        func anamorphic() throws {
            for (name, aspect, width) in [("wide.mp4", "64/45", 455), ("narrow.mkv", "3/4", 240)] {
                try CornerPicture.write(movie: name, orientation: 1, aspect: aspect, in: folder)
                let asset = try take(name)
                #expect(asset["width"] as? Int == width && asset["height"] as? Int == 240)
                let id = try #require(asset["id"] as? String)
                #expect(try shown(id) == "RGBW \(width)x240", "\(name)")
            }
        }
    }
}
