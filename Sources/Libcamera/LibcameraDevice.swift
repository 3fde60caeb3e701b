// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLibcamera
internal import CLinux
internal import Glibc
package import LinuxIO
package import Media

/// A camera of libcamera. One thread at a time may use it, but for its controls. It stops with its
/// last reference. libcamera's own thread only hands over the numbers of frames.
@safe
package final class LibcameraDevice {
    /// A pixel format with one size, or with all sizes of a range.
    package struct Format: Sendable, Hashable {
        package let pixelFormat: PixelFormat
        package let smallest: Dimensions
        package let largest: Dimensions
        /// The steps between the sizes of a range.
        package let step: Dimensions
    }

    /// A stream of frames: what is wanted, and what was granted.
    package struct Stream: Sendable {
        package let pixelFormat: PixelFormat
        package let dimensions: Dimensions
        /// The number of frames that the camera can hold; 0 leaves it to the camera.
        package let frameCount: Int
        /// Bytes from one row of the first plane to the next, and of a frame; 0 before they are
        /// granted.
        package let bytesPerRow: Int
        package let frameSize: Int
        /// The conversion of YUV samples to colours; `nil` if it is not known.
        package let color: ColorDescription?

        /// Creates a wish.
        package init(_ pixelFormat: PixelFormat, _ dimensions: Dimensions, frameCount: Int = 0) {
            (self.pixelFormat, self.dimensions) = (pixelFormat, dimensions)
            self.frameCount = frameCount
            (bytesPerRow, frameSize, color) = (0, 0, nil)
        }
    }

    /// A frame that is complete. Times are nanoseconds; 0 if they are not known.
    package struct Frame: Sendable {
        package let slot: Int
        package let isDamaged: Bool
        package let sequence: UInt32
        package let bytesUsed: Int
        /// The driver's time, and the beginning of the first row's exposure.
        package let timestamp: Int64
        package let sensorTimestamp: Int64
        /// The exposure time.
        package let exposure: Int64
        /// The product of the sensor's gain and that after it; `nil` if it is not known.
        package let gain: Double?
    }

    /// The id of the camera.
    package let id: String
    private let functions: UnsafePointer<clibcamera_functions>
    private let camera: OpaquePointer

    /// Finds a camera.
    /// - Throws: if it is not plugged in, or libcamera cannot be loaded.
    package init(
        id: String, below folders: [String] = LibcameraLibrary.folders
    ) throws(LibcameraError) {
        let functions = try unsafe LibcameraLibrary.functions(below: folders)
        guard let camera = unsafe functions.pointee.open(id) else {
            throw LibcameraError("camera \(id) is not there")
        }
        unsafe (self.functions, self.camera) = (functions, camera)
        self.id = id
    }

    deinit { unsafe functions.pointee.close(camera) }

    /// A descriptor, which is readable while ``take()`` has something to return.
    package var readyDescriptor: CInt { unsafe functions.pointee.descriptor(camera) }

    /// Reserves the camera for this process. Throws `EBUSY` while another has it.
    package func acquire() throws(SystemCallError) {
        try unsafe check("acquire") { unsafe $0.acquire(camera) }
    }

    /// Returns the formats for previews and clips.
    package func formats() -> [Format] {
        var found = [clibcamera_format](repeating: clibcamera_format(), count: 256)
        let count = unsafe functions.pointee.formats(
            camera, clibcamera_viewfinder, &found, found.count)
        return found.prefix(count).compactMap { format in
            guard format.modifier == 0,
                let pixelFormat = PixelFormat(drm: format.fourcc)
            else { return nil }
            return Format(
                pixelFormat: pixelFormat,
                smallest: Dimensions(width: Int(format.width), height: Int(format.height)),
                largest: Dimensions(
                    width: Int(format.largest_width), height: Int(format.largest_height)),
                step: Dimensions(width: Int(format.step_width), height: Int(format.step_height)))
        }
    }

    /// Sets up the camera for a stream, and returns what it granted.
    package func configure(_ wanted: Stream) throws(SystemCallError) -> Stream {
        var raw = clibcamera_stream()
        raw.role = clibcamera_viewfinder
        raw.fourcc = wanted.pixelFormat.drm
        raw.width = UInt32(wanted.dimensions.width)
        raw.height = UInt32(wanted.dimensions.height)
        raw.buffers = UInt32(wanted.frameCount)
        try unsafe check("configure") { unsafe $0.configure(camera, &raw, 1) }
        guard let granted = Stream(raw) else {
            throw SystemCallError(call: "libcamera configure", code: EINVAL, path: id)
        }
        return granted
    }

    /// Allocates memory for the stream's frames: a DMA-BUF for each, which holds all planes.
    package func allocate(keepsMapping: Bool) throws(SystemCallError) -> [FrameBuffer] {
        let count = try unsafe check("allocate") { unsafe $0.allocate(camera, 0) }
        var buffers: [FrameBuffer] = []
        for slot in 0..<UInt32(count) {
            var planes = [clibcamera_plane](
                repeating: clibcamera_plane(), count: Int(clibcamera_planes))
            let planeCount = Int(unsafe functions.pointee.planes(camera, 0, slot, &planes))
            let used = planes.prefix(planeCount)
            // Vitrine's layouts have all planes of a frame in one buffer.
            guard let first = used.first,
                used.allSatisfy({ $0.descriptor == first.descriptor })
            else { throw SystemCallError(call: "libcamera allocate", code: EINVAL, path: id) }
            let size = used.map { Int($0.offset) + Int($0.length) }.max() ?? 0
            let own = try systemCall("dup", id) { clinux_duplicate(first.descriptor) }
            buffers.append(
                try FrameBuffer(
                    dmaBuf: OwnedDescriptor(adopting: own), size: size, keepsMapping: keepsMapping))
        }
        return buffers
    }

    /// Gives the stream memory of others: a DMA-BUF for each frame, which holds all planes.
    package func adopt(
        _ buffers: [FrameBuffer], _ layout: FrameDescription
    ) throws(SystemCallError) {
        for (slot, buffer) in buffers.enumerated() {
            guard let descriptor = buffer.dmaBuf else {
                throw SystemCallError(call: "libcamera import", code: EINVAL, path: id)
            }
            let planes = layout.planes.map { plane in
                clibcamera_plane(
                    descriptor: descriptor, offset: UInt32(plane.offset),
                    length: UInt32(plane.bytesPerRow * plane.rows))
            }
            try unsafe check("import") {
                unsafe $0.import(camera, 0, UInt32(slot), planes, UInt32(planes.count))
            }
        }
    }

    /// The frame durations that the camera has, in nanoseconds; `nil` if it does not tell.
    package func frameDurations() -> ClosedRange<Int64>? {
        guard let control = controls().first(where: { $0.name == "FrameDurationLimits" }),
            let shortest = control.lowest.first, let longest = control.highest.first,
            0 < shortest, shortest <= longest, longest < 1e12
        else { return nil }
        return Int64(shortest * 1000)...Int64(longest * 1000)
    }

    /// Asks for a duration of frames, in nanoseconds.
    package func setFrameDuration(_ duration: Int64) throws(SystemCallError) {
        let microseconds = Double(duration / 1000)
        try set("FrameDurationLimits", to: [microseconds, microseconds])
    }

    // MARK: controls

    /// A control of the camera, by libcamera's name. Values are the numbers of a list, or x, y,
    /// width and height of a rectangle; empty for none.
    package struct Control: Sendable {
        package let name: String
        package let lowest, highest, standard: [Double]
        /// The numbers that can be chosen; empty if all between the lowest and the highest can.
        package let choices: [Double]
    }

    /// Returns the camera's controls. Any thread.
    package func controls() -> [Control] {
        var (found, raw) = ([Control](), clibcamera_control())
        while unsafe functions.pointee.control(camera, UInt32(found.count), &raw) > 0 {
            let choices = [Double](numbers: raw.choice).prefix(Int(raw.choices))
            found.append(
                Control(
                    name: unsafe text(raw.name), lowest: [Double](raw.lowest),
                    highest: [Double](raw.highest), standard: [Double](raw.standard),
                    choices: Array(choices)))
        }
        return found
    }

    /// Sets a control, from the next frame that is queued on, and whenever the camera starts. Any
    /// thread.
    /// - Throws: `ENOTTY` for a control that the camera lacks, `EINVAL` for another kind of value.
    package func set(_ control: String, to value: [Double]) throws(SystemCallError) {
        var raw = clibcamera_value()
        raw.count = UInt32(value.count)
        unsafe withUnsafeMutableBytes(of: &raw.numbers) { room in
            unsafe Array(value.prefix(4)).withUnsafeBytes { unsafe room.copyMemory(from: $0) }
        }
        try unsafe check("set \(control)") { unsafe $0.set(camera, control, &raw) }
    }

    // MARK: frames

    /// Lets the camera fill a frame: now, or when it is started.
    package func queue(_ slot: Int) throws(SystemCallError) {
        try unsafe check("queue") { unsafe $0.queue(camera, UInt32(slot)) }
    }

    /// Starts the camera.
    package func start() throws(SystemCallError) {
        try unsafe check("start") { unsafe $0.run(camera) }
    }

    /// Stops the camera. It has no frame to fill afterwards.
    package func stop() throws(SystemCallError) {
        try unsafe check("stop") { unsafe $0.stop(camera) }
    }

    /// Returns the next frame; `nil` without one. Throws `ENODEV` without a camera.
    package func take() throws(SystemCallError) -> Frame? {
        var frame = clibcamera_frame()
        let count = try unsafe check("take") { unsafe $0.take(camera, &frame) }
        return count == 0 ? nil : Frame(frame)
    }

    @unsafe @discardableResult
    private func check(
        _ call: String, _ body: (clibcamera_functions) -> CInt
    ) throws(SystemCallError) -> CInt {
        let result = unsafe body(functions.pointee)
        if result >= 0 { return result }
        throw SystemCallError(call: "libcamera \(call)", code: -result, path: id)
    }
}

extension [Double] {
    fileprivate init(_ raw: clibcamera_value) {
        self = Array([Double](numbers: raw.numbers).prefix(Int(raw.count)))
    }

    fileprivate init<Numbers>(numbers: Numbers) {
        self = unsafe Swift.withUnsafeBytes(of: numbers) {
            unsafe Array($0.bindMemory(to: Double.self))
        }
    }
}

extension LibcameraDevice.Stream {
    fileprivate init?(_ raw: clibcamera_stream) {
        guard raw.modifier == 0, let pixelFormat = PixelFormat(drm: raw.fourcc) else { return nil }
        self.pixelFormat = pixelFormat
        dimensions = Dimensions(width: Int(raw.width), height: Int(raw.height))
        (frameCount, bytesPerRow) = (Int(raw.buffers), Int(raw.stride))
        frameSize = Int(raw.frame_size)
        let matrix: ColorDescription.Matrix? =
            switch raw.matrix {
            case clibcamera_rec601: .bt601
            case clibcamera_rec709: .bt709
            case clibcamera_rec2020: .bt2020
            default: nil
            }
        color = matrix.map {
            ColorDescription(matrix: $0, range: raw.is_full_range == 0 ? .limited : .full)
        }
    }
}

extension LibcameraDevice.Frame {
    fileprivate init(_ raw: clibcamera_frame) {
        (slot, isDamaged, sequence) = (Int(raw.slot), raw.is_damaged != 0, raw.sequence)
        bytesUsed = Int(raw.bytes_used.0)
        (timestamp, sensorTimestamp) = (raw.timestamp, raw.sensor_timestamp)
        exposure = raw.exposure
        let gains = [raw.analogue_gain, raw.digital_gain].filter { $0 > 0 }
        gain = gains.isEmpty ? nil : gains.reduce(1) { $0 * Double($1) }
    }
}

extension PixelFormat {
    /// The formats whose codes differ between V4L2 and DRM (drm/drm_fourcc.h).
    private static let foreign: [(drm: PixelFormat?, PixelFormat)] = [
        (PixelFormat("RG24"), .bgr24), (PixelFormat("BG24"), .rgb24),
        (PixelFormat("RG16"), .rgb565), (PixelFormat("YU16"), .yuv422), (PixelFormat("R8"), .grey),
    ]
    private static let alike: [PixelFormat] = [
        .yuyv, .uyvy, .nv12, .nv21, .nv16, .yuv420, .yvu420, .xrgb, .mjpeg,
    ]

    /// Returns the format of a code of DRM; `nil` for one that Vitrine does not use.
    init?(drm code: UInt32) {
        let same = Self.alike.first { $0.fourCC == code }
        guard let found = same ?? Self.foreign.first(where: { $0.drm?.fourCC == code })?.1 else {
            return nil
        }
        self = found
    }

    /// DRM's code.
    var drm: UInt32 { (Self.foreign.first { $0.1 == self }?.drm ?? self).fourCC }
}
