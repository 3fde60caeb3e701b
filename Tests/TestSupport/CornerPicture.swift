// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation

/// A picture of 320x240 with a different colour in each corner, in files that rotate and mirror it.
/// The result's corners are written as `RGBW`: red, green, blue and white from the upper left to
/// the lower right.
public enum CornerPicture {
    /// The corners as they are stored.
    public static let stored = "RGBW"

    /// Returns the corners as a viewer shows them (EXIF 2.32, tag 0x0112).
    public static func upright(_ corners: String = stored, orientation: Int) -> String {
        let places = [
            1: [0, 1, 2, 3], 2: [1, 0, 3, 2], 3: [3, 2, 1, 0], 4: [2, 3, 0, 1],
            5: [0, 2, 1, 3], 6: [2, 0, 3, 1], 7: [3, 1, 2, 0], 8: [1, 3, 0, 2],
        ][orientation]
        let letters = Array(corners)
        return String(places?.map { letters[$0] } ?? [])
    }

    /// Runs a shell script in a folder.
    private static func shell(_ script: String, in folder: String) throws -> Program.Outcome {
        try Program.run("/bin/sh", ["-ec", "cd '\(folder)'; \(script)"])
    }

    private static func make(_ script: String, in folder: String) throws {
        let outcome = try shell(script, in: folder)
        if outcome.status != 0 { throw CornerPictureError(message: outcome.text) }
    }

    private static let source = """
        ffmpeg -nostdin -v error -y -f lavfi -i "color=0x404040:s=320x240:r=10:d=1,format=rgb24,\
        drawbox=0:0:80:60:red:fill,drawbox=240:0:80:60:0x00c000:fill,\
        drawbox=0:180:80:60:blue:fill,drawbox=240:180:80:60:white:fill"
        """

    /// Writes a JPEG or PNG file with this EXIF orientation.
    public static func write(
        _ name: String, orientation: Int, in folder: String
    ) throws {
        let format = name.hasSuffix(".png") ? "rgb24" : "yuvj444p -q:v 2"
        try make(
            """
            \(source) -frames:v 1 -pix_fmt \(format) '\(name)'
            exiftool -q -overwrite_original -Orientation#=\(orientation) '\(name)'
            """, in: folder)
    }

    /// Writes a HEIF or AVIF file, by the extension of `name`, whose properties rotate it
    /// counterclockwise by `quarters` and mirror it. The EXIF orientation may contradict them.
    ///
    /// - Parameter mirror: The axis of `imir`, 0 or 1; `nil` for none.
    public static func write(
        heif name: String, quarters: UInt8, mirror: UInt8?, exif: Int, in folder: String
    ) throws {
        try write("heif.jpg", orientation: exif, in: folder)
        let format = name.hasSuffix(".avif") ? "-A" : ""
        try make(
            "heif-enc \(format) -q 80 heif.jpg -o '\(name)' >/dev/null 2>&1; rm heif.jpg",
            in: folder)
        let url = URL(filePath: "\(folder)/\(name)")
        var properties: [(String, UInt8)] = []
        if quarters > 0 { properties.append(("irot", quarters)) }
        if let mirror { properties.append(("imir", mirror)) }
        try Data(adding(properties, to: [UInt8](Data(contentsOf: url)))).write(to: url)
    }

    /// Adds properties to the only item of a file (ISO/IEC 23008-12, 9.3 and 6.5). The `meta` box
    /// becomes free space and is written again at the end, so that offsets from the beginning of
    /// the file stay valid.
    private static func adding(_ properties: [(String, UInt8)], to file: [UInt8]) throws -> [UInt8]
    {
        func start(_ type: String) throws -> Int {
            let wanted = Array(type.utf8)
            guard
                let place = file.indices.dropFirst(4).first(where: {
                    file[$0...].starts(with: wanted)
                })
            else { throw CornerPictureError(message: "no box \(type)") }
            return place - 4
        }
        func size(_ at: Int) -> Int { file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
        func bytes(_ number: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        }
        let (meta, iprp, ipco, ipma) = try (
            start("meta"), start("iprp"), start("ipco"), start("ipma")
        )
        let known = {
            var (count, at) = (0, ipco + 8)
            while at < ipco + size(ipco) { (count, at) = (count + 1, at + size(at)) }
            return count
        }()
        let boxes = properties.flatMap { bytes(9) + Array($0.utf8) + [$1] }
        // The box has one entry: version and flags, entry count, item, property count, properties.
        let count = file[ipma + 18]
        let links = properties.indices.map { UInt8(0x80 | (known + 1 + $0)) }
        var grown = Array(file[meta..<meta + size(meta)])
        func set(_ place: Int, _ new: [UInt8]) {
            grown.replaceSubrange(place..<place + new.count, with: new)
        }
        for (box, more) in [
            (meta, boxes.count + links.count), (iprp, boxes.count + links.count),
            (ipco, boxes.count),
            (ipma, links.count),
        ] { set(box - meta, bytes(size(box) + more)) }
        set(ipma + 18 - meta, [count + UInt8(links.count)])
        grown.insert(contentsOf: links, at: ipma + size(ipma) - meta)
        grown.insert(contentsOf: boxes, at: ipco + size(ipco) - meta)
        var result = file
        result.replaceSubrange(meta + 4..<meta + 8, with: Array("free".utf8))
        return result + grown
    }

    /// Writes an MP4, MOV or MKV movie, by the extension of `name`, that players rotate and mirror.
    ///
    /// - Parameter aspect: The aspect ratio of a pixel.
    public static func write(
        movie name: String, orientation: Int, aspect: String = "1/1", in folder: String
    ) throws {
        try make(
            "\(source) -vf setsar=\(aspect) -c:v libx264 -preset ultrafast -pix_fmt yuv420p '\(name)'",
            in: folder)
        if orientation == 1 { return }
        let url = URL(filePath: "\(folder)/\(name)")
        var file = [UInt8](try Data(contentsOf: url))
        let tkhd = Array("tkhd".utf8)
        guard let box = file.indices.first(where: { file[$0...].starts(with: tkhd) }) else {
            throw CornerPictureError(message: "\(name) has no track header")
        }
        // Version 0 (ISO/IEC 14496-12, 8.3.2): a, b, u, c, d, v, x, y, w.
        let (a, b, c, d) =
            [
                2: (-1, 0, 0, 1), 3: (-1, 0, 0, -1), 4: (1, 0, 0, -1), 5: (0, 1, 1, 0),
                6: (0, 1, -1, 0), 7: (0, -1, -1, 0), 8: (0, -1, 1, 0),
            ][orientation] ?? (1, 0, 0, 1)
        for (index, value) in [a, b, 0, c, d].enumerated() {
            for byte in 0..<4 {
                file[box + 44 + index * 4 + byte] = UInt8(
                    truncatingIfNeeded: (value << 16) >> (24 - 8 * byte))
            }
        }
        try Data(file).write(to: url)
    }

    /// Returns the corners of a picture's stored pixels, and its size, for example `320x240`.
    ///
    /// - Parameters:
    ///   - options: Options of ffmpeg, for a file whose format it cannot detect.
    ///   - filter: A filter that is applied first, for example `crop=960:720`.
    public static func read(
        _ file: String, options: String = "", filter: String = "null"
    ) throws -> (corners: String, size: String) {
        let folder = PathOf.folder(file)
        let pixels = try shell(
            """
            ffmpeg -nostdin -v error -noautorotate \(options) -i '\(file)' -frames:v 1 \
                -vf '\(filter),scale=8:8:flags=area' -pix_fmt rgb24 -f rawvideo - | od -An -v -tu1
            """, in: folder)
        let values = pixels.output.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        guard values.count == 8 * 8 * 3 else { throw CornerPictureError(message: pixels.text) }
        let letters = [0, 7, 56, 63].map { place -> Character in
            let (red, green, blue) = (
                values[place * 3], values[place * 3 + 1], values[place * 3 + 2]
            )
            return switch (red > 120, green > 120, blue > 120) {
            case (true, false, false): "R"
            case (false, true, false): "G"
            case (false, false, true): "B"
            case (true, true, true): "W"
            default: "?"
            }
        }
        let size = try shell(
            """
            ffprobe -v error \(options) -select_streams v:0 -show_entries stream=width,height \
                -of csv=p=0:s=x '\(file)'
            """, in: folder)
        return (String(letters), size.output.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    private enum PathOf {
        static func folder(_ file: String) -> String {
            URL(filePath: file).deletingLastPathComponent().path
        }
    }
}

/// A picture could not be made or read.
public struct CornerPictureError: Error, CustomStringConvertible {
    let message: String
    /// The output of the program.
    public var description: String { message }
}
