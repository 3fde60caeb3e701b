// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO
public import Media
package import V4L2

/// A camera behind a V4L2 device node.
public struct V4L2Camera: CameraDriver {
    /// The identity reported by `VIDIOC_QUERYCAP` and sysfs when the camera was queried.
    public let identity: CameraIdentity
    /// The formats in the driver's order, when the camera was queried. H.264, and raw sensor
    /// formats that libv4lconvert reads, are always included. Other formats that need conversion
    /// are included only if there are no others, or if asked for in
    /// ``discover(converting:sized:preferring:following:_:)``; likewise unusual sizes within a
    /// range.
    public let formats: [CaptureFormat]

    /// - Throws: if `path` is no camera or may not be opened.
    public init(path: String) throws(SystemCallError) {
        let device = try Self.device(at: path)
        identity = CameraIdentity(device)
        formats = try Self.formats(of: device)
    }

    private init(
        _ device: VideoDevice, _ identity: CameraIdentity, _ size: Dimensions?,
        converting: PixelFormat?
    ) throws(SystemCallError) {
        self.identity = identity
        formats = try Self.formats(of: device, sized: size, converting: converting)
    }

    private var hasOwnFormats: Bool { formats.contains { $0.converted == nil } }

    /// The cameras that are plugged in.
    public struct Discovery {
        /// The cameras in the requested order of types; within a type, those with formats that need
        /// no conversion first, then in node order.
        public var cameras: [V4L2Camera] = []
        /// The cameras whose source sends no signal that they understand, in node order.
        public var silent: [CameraIdentity] = []
        /// The cameras that were not wanted.
        public var others: [CameraIdentity] = []
        /// The errors of nodes that could not be queried.
        public var refusals: [SystemCallError] = []

        /// Returns the camera without a signal that comes before all others: it stays chosen.
        func silentChoice(_ types: [CaptureDevice.DeviceType]) -> CameraIdentity? {
            guard let silent = types.sorted(silent, \.deviceType).first else { return nil }
            guard let other = cameras.first?.identity else { return silent }
            let inOrder = [silent, other].sorted { $0.node < $1.node }
            return types.sorted(inOrder, \.deviceType).first == silent ? silent : nil
        }
    }

    /// Queries every node, of which V4L2 has 256 (VIDEO_NUM_DEVICES). Only `wanted` cameras are
    /// asked for their formats.
    /// - Parameters:
    ///   - converting: a format to include although it must be converted; others of that kind are
    ///     included only if a camera has nothing else.
    ///   - sized: a size to include besides the usual ones if it lies within a camera's range.
    ///   - types: the order of the cameras: the first type first, then the second, then all others.
    ///   - following: whether to set up inputs that follow their source, such as HDMI, for the
    ///     present signal; cameras without one become refusals.
    public static func discover(
        converting: PixelFormat? = nil, sized: Dimensions? = nil,
        preferring types: [CaptureDevice.DeviceType] = [], following: Bool = false,
        _ wanted: (CameraIdentity) -> Bool = { _ in true }
    ) -> Discovery {
        var found = Discovery()
        for number in 0..<256 {
            let path = "/dev/video\(number)"
            guard unsafe access(path, F_OK) == 0 else { continue }
            do throws(SystemCallError) {
                let device = try device(at: path)
                let identity = CameraIdentity(device)
                if !wanted(identity) {
                    found.others.append(identity)
                    continue
                }
                if following, device.followsTimings {
                    do throws(SystemCallError) {
                        try device.followSource()
                    } catch {
                        if error.hasNoSignal { found.silent.append(identity) }
                        throw error
                    }
                }
                let camera = try V4L2Camera(device, identity, sized, converting: converting)
                if !camera.formats.isEmpty { found.cameras.append(camera) }
            } catch {
                // Metadata, codec and output nodes are no cameras: their errors are not reported.
                if !error.isGone && error.code != ENOTTY { found.refusals.append(error) }
            }
        }
        // Depth cameras and raw sensors look like cameras too.
        found.cameras =
            found.cameras.filter(\.hasOwnFormats) + found.cameras.filter { !$0.hasOwnFormats }
        found.cameras = types.sorted(found.cameras) { $0.identity.deviceType }
        return found
    }

    /// - Throws: `ENODEV` for nodes that capture, but not from a camera: converters, and parts of a
    ///   pipeline that needs the media controller.
    private static func device(at path: String) throws(SystemCallError) -> VideoDevice {
        let device = try VideoDevice(path: path)
        guard !device.capability.isMediaControllerCentric, device.hasInput else {
            throw SystemCallError(call: "VIDIOC_ENUMINPUT", code: ENODEV, path: path)
        }
        return device
    }

    /// Opens the node. Throws `disconnected` if the node is gone, `notPermitted`, `busy`, otherwise
    /// `failed`. Another program's use mostly shows only later, as the stream's `EBUSY`.
    public func open() throws(CaptureError) -> any CameraStream {
        do {
            return V4L2Stream(try VideoDevice(path: identity.path))
        } catch {
            throw CaptureError(identity.name, error)
        }
    }

    /// Throws `busy` if another program has allocated buffers, and the errors of ``open()``.
    public func checkAvailability() throws(CaptureError) {
        do {
            // Requesting no buffers changes nothing, but fails if another program has some
            // (vb2_queue_is_busy).
            _ = try VideoDevice(path: identity.path).requestBuffers(0, .mmap)
        } catch {
            // Other errors mean that the driver does not use such buffers.
            if error.isBusy || error.isPermission || error.isGone {
                throw CaptureError(identity.name, error)
            }
        }
    }

    private static func formats(
        of device: VideoDevice, sized: Dimensions? = nil, converting: PixelFormat? = nil
    ) throws(SystemCallError) -> [CaptureFormat] {
        var formats: [CaptureFormat] = []
        let all = try device.pixelFormats()
        let hasOwn = all.contains(where: \.isSupported)
        let offered = all.filter {
            !hasOwn || $0.isSupported || $0 == converting || isListed($0, device)
        }
        // The plugged-in source decides the size, whatever else the device could deliver.
        var source: Mode?
        if device.followsTimings {
            let timings = try device.timings()
            source = (timings.dimensions, [timings.framesPerSecond...timings.framesPerSecond])
        }
        for pixelFormat in offered {
            let modes =
                source == nil
                ? try modes(of: device, pixelFormat, sized) : [source].compactMap(\.self)
            let isKnown = pixelFormat.isSupported
            for mode in modes {
                formats.append(
                    CaptureFormat(
                        pixelFormat: isKnown ? pixelFormat : .yuv420, dimensions: mode.size,
                        maximumFrameRate: mode.rates.map(\.upperBound).max() ?? 0,
                        frameRateRanges: mode.rates, converted: isKnown ? nil : pixelFormat,
                        isOnRequest: hasOwn && !isKnown))
            }
        }
        return formats
    }

    /// Whether to list a format that is used only on request, never for a preview.
    private static func isListed(_ format: PixelFormat, _ device: VideoDevice) -> Bool {
        format == .h264
            || RawPixelFormat(format) != nil && ForeignFormat.isReadable(format, by: device)
    }

    /// A size, and its frame rates per second.
    private typealias Mode = (size: Dimensions, rates: [ClosedRange<Double>])

    private static func modes(
        of device: VideoDevice, _ pixelFormat: PixelFormat, _ wanted: Dimensions?
    ) throws(SystemCallError) -> [Mode] {
        var modes: [Mode] = []
        for size in try sizes(of: device, pixelFormat, wanted) {
            let rates = try device.frameIntervals(pixelFormat, size).map { interval in
                let ends = [interval.shortest.framesPerSecond, interval.longest.framesPerSecond]
                return min(ends[0], ends[1])...max(ends[0], ends[1])
            }
            modes.append((size, rates))
        }
        return modes
    }

    /// Returns the sizes. A driver that reports none still delivers the current one.
    private static func sizes(
        of device: VideoDevice, _ pixelFormat: PixelFormat, _ wanted: Dimensions?
    ) throws(SystemCallError) -> [Dimensions] {
        let ranges = try device.frameSizes(pixelFormat)
        if ranges.isEmpty { return [try device.currentSize()] }
        var sizes: [Dimensions] = []
        for size in ranges.flatMap({ $0.offers(wanted) }) where !sizes.contains(size) {
            sizes.append(size)
        }
        return sizes
    }
}

extension FrameSizeRange {
    private static let usual = [
        (320, 240), (640, 360), (640, 480), (800, 600), (1024, 768), (1280, 720), (1280, 960),
        (1920, 1080), (2560, 1440), (3840, 2160),
    ].map(Dimensions.init)

    /// Returns the sizes to choose from. A range has too many: it offers the usual sizes, the
    /// wanted one, and its largest.
    package func offers(_ wanted: Dimensions?) -> [Dimensions] {
        if isDiscrete { return [maximum] }
        return (Self.usual + [wanted].compactMap(\.self)).filter(contains) + [maximum]
    }
}

extension CameraIdentity {
    fileprivate var node: Int { Int(path.drop { !$0.isNumber }) ?? .max }

    init(_ device: VideoDevice) {
        let capability = device.capability
        // The USB serial number lies above the device in sysfs.
        let node = device.path.split(separator: "/").last ?? ""
        let above = "/sys/class/video4linux/\(node)/device/../serial"
        let serial = (try? readSmallFile(above))?.split(separator: "\n").first.map(String.init)
        self.init(
            name: capability.card, path: device.path, driver: capability.driver,
            busPath: capability.busInfo, serial: serial ?? "",
            deviceType: CaptureDevice.DeviceType(
                driver: capability.driver, busPath: capability.busInfo,
                followsTimings: device.followsTimings),
            position: CaptureDevice.Position(
                orientation: try? device.value(
                    ofControl: VideoControl.Identifier.cameraOrientation)))
    }
}

extension CaptureDevice.Position {
    /// Maps `V4L2_CID_CAMERA_ORIENTATION`, `nil` if the driver has none.
    init(orientation: Int64?) {
        self =
            switch orientation {
            case 0: .front
            case 1: .back
            default: .external
            }
    }
}

extension VideoDevice {
    /// Sets the input up for the present signal; a device that is busy streaming is set up already.
    /// Throws `ENOLINK` and the like without a signal.
    func followSource() throws(SystemCallError) {
        let detected = try detectTimings()
        if try timings() == detected { return }
        do throws(SystemCallError) {
            try setTimings(detected)
        } catch {
            if !error.isBusy { throw error }
        }
    }
}

extension PixelFormat {
    /// Whether Vitrine handles the format without libv4lconvert.
    var isSupported: Bool {
        if isCompressed { return true }
        let size = Dimensions(width: 16, height: 16)
        return FrameDescription(self, size) != nil && self != .argb
    }
}
