// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Codecs
internal import Glibc
internal import Imaging
internal import LinuxIO
internal import Media
internal import Synchronization

/// A folder of JPEG photos that a camera shows as MJPEG, each for a second.
struct PhotoFolder {
    private static let size = Dimensions(width: 1280, height: 720)
    private static let mostPhotos = 200
    private let path: String
    private let files: [String]

    init(_ path: String) throws(CaptureError) {
        self.path = path
        do {
            let names = try FileTree.names(in: path).sorted()
            files = names.filter { name in
                [".jpg", ".jpeg"].contains { name.lowercased().hasSuffix($0) }
            }.map { "\(path)/\($0)" }
        } catch {
            throw CaptureError(.noDevice, "simulated camera", underlying: error)
        }
        if files.isEmpty { throw CaptureError(.noDevice, "no .jpg in \(path)") }
    }

    var camera: SimulatedCamera {
        let format = CaptureFormat(
            pixelFormat: .mjpeg, dimensions: Self.size, maximumFrameRate: 30)
        let files = files
        return SimulatedCamera("Photos", path, [format]) { _ throws(SystemCallError) in
            try PhotoSource(files.prefix(Self.mostPhotos).map { $0 }, size: Self.size)
        }
    }
}

/// The photos, each fitted into the camera's frame size and encoded once.
private final class PhotoSource: FrameSource {
    private let pictures: [[UInt8]]
    let largestFrame: Int
    private let framesEach: UInt32 = 30

    init(_ files: [String], size: Dimensions) throws(SystemCallError) {
        var pictures: [[UInt8]] = []
        for file in files {
            // Files that are no pictures are left out, as by a viewer.
            let bytes = try Self.contents(file)
            if let picture = try? Self.fit(bytes, into: size) { pictures.append(picture) }
        }
        guard !pictures.isEmpty else {
            throw SystemCallError(call: "decode", code: EINVAL, path: files.first ?? "")
        }
        self.pictures = pictures
        largestFrame = pictures.map(\.count).max() ?? 0
    }

    private static func contents(_ file: String) throws(SystemCallError) -> [UInt8] {
        let reader = try DurableFileReader(file)
        var bytes: [UInt8] = []
        while true {
            let chunk = try reader.read()
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
    }

    private static func fit(_ bytes: [UInt8], into size: Dimensions) throws -> [UInt8] {
        let decoder = try JPEGDecoder()
        let whole = try decoder.header(of: bytes).dimensions
        let decoded = try decoder.picture(of: bytes, scale: JPEGScale(of: whole, covering: size))
        var fitted = try PixelStorage(.xrgb, size, color: .jpeg)
        let orientation = JPEGBeginning(bytes)?.orientation.flatMap {
            ExifOrientation(rawValue: $0)
        }
        let placement = Compositor.Placement(
            decoded.description.dimensions, on: size, .resizeAspect, orientation ?? .upright)
        try unsafe decoded.withPixels { source throws(ImagingError) in
            try unsafe fitted.withMutablePixels { target throws(ImagingError) in
                try unsafe Compositor().render((source, placement), into: target)
            }
        }
        return try unsafe fitted.withPixels { source throws(ImagingError) in
            try unsafe JPEGEncoder().encode(source, quality: 92)
        }
    }

    func fill(_ pixels: PixelAccess, sequence: UInt32, timestamp: Int64) -> Int {
        let picture = pictures[Int(sequence / framesEach) % pictures.count]
        unsafe picture.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            _ = unsafe memcpy(pixels.plane(0), start, bytes.count)
        }
        return picture.count
    }
}
