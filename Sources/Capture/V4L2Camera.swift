// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
public import LinuxIO
public import Media
package import V4L2

/// A camera behind a V4L2 device node.
public struct V4L2Camera: CameraDriver {
    /// As `VIDIOC_QUERYCAP` and sysfs had it when the camera was looked at.
    public let identity: CameraIdentity
    /// In the driver's order, as of then. Formats that libv4lconvert must read are here only where
    /// there are no others, or where ``discover(converting:sized:preferring:following:_:)`` was asked for one; so are
    /// unusual sizes where the driver offers a range. H.264 and a sensor's own, if libv4lconvert reads it, are always here.
    public let formats: [CaptureFormat]

    /// - Throws: when `path` is no camera, or may not be opened.
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

    /// Whether anything that it delivers needs no conversion first.
    private var hasOwnFormats: Bool { formats.contains { $0.converted == nil } }

    /// What is plugged in now.
    public struct Discovery {
        /// Of each kind in node order, those last that deliver nothing but what must be converted first.
        public var cameras: [V4L2Camera] = []
        /// Cameras into which nothing is plugged that they understand, in node order.
        public var silent: [CameraIdentity] = []
        /// Cameras that were not looked for.
        public var others: [CameraIdentity] = []
        /// Nodes that could not be asked.
        public var refusals: [SystemCallError] = []

        /// The camera that comes before all others, where nothing is plugged into it: it stays the one that was meant.
        func silentChoice(_ types: [CaptureDevice.DeviceType]) -> CameraIdentity? {
            guard let silent = types.sorted(silent, \.deviceType).first else { return nil }
            guard let other = cameras.first?.identity else { return silent }
            let inOrder = [silent, other].sorted { $0.node < $1.node }
            return types.sorted(inOrder, \.deviceType).first == silent ? silent : nil
        }
    }

    /// Looks at every node, of which V4L2 has 256 (VIDEO_NUM_DEVICES); only cameras that are `wanted` are asked for their formats.
    ///
    /// - Parameters:
    ///   - converting: a format that must be converted and counts all the same; others of that kind only
    ///     count where a camera has nothing else.
    ///   - sized: a size that counts besides the usual ones where a camera offers a range with it.
    ///   - following: sets those up for what is plugged into them whose input follows that; without a signal they are
    ///     refusals.
    ///   - types: cameras of the first of these kinds come first, then those of the second, then all others.
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
                // Nodes for metadata, codecs and outputs are not cameras: no refusal.
                if !error.isGone && error.code != ENOTTY { found.refusals.append(error) }
            }
        }
        // Depth cameras and raw sensors look like cameras, too.
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

    /// Throws `disconnected` when the node is gone, `notPermitted`, `busy`, else `failed`. Another
    /// program's use mostly shows later only, as the stream's `EBUSY`.
    public func open() throws(CaptureError) -> any CameraStream {
        do {
            return V4L2Stream(try VideoDevice(path: identity.path))
        } catch {
            throw CaptureError(identity.name, error)
        }
    }

    /// Throws `busy` where another program has buffers of it, and what ``open()`` does.
    public func checkAvailability() throws(CaptureError) {
        do {
            // No buffers of nobody: refused where they are somebody's (vb2_queue_is_busy).
            _ = try VideoDevice(path: identity.path).requestBuffers(0, .mmap)
        } catch {
            // Else it has no buffers to ask for: its frames come in another way.
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
        // What is plugged in decides, whatever the device could make of it.
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

    /// What nobody takes for a preview, and somebody may ask for.
    private static func isListed(_ format: PixelFormat, _ device: VideoDevice) -> Bool {
        format == .h264
            || RawPixelFormat(format) != nil && ForeignFormat.isReadable(format, by: device)
    }

    /// A size, and frames per second.
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

    /// Drivers that do not tell their sizes can still do the one that is set.
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

    /// The sizes to choose from, of which a range has too many: the usual ones, the one that is wanted, and
    /// its largest.
    package func offers(_ wanted: Dimensions?) -> [Dimensions] {
        if isDiscrete { return [maximum] }
        return (Self.usual + [wanted].compactMap(\.self)).filter(contains) + [maximum]
    }
}

extension CameraIdentity {
    /// The number of its node.
    fileprivate var node: Int { Int(path.drop { !$0.isNumber }) ?? .max }

    init(_ device: VideoDevice) {
        let capability = device.capability
        // The USB serial number is found above the device in sysfs.
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
    /// Of `V4L2_CID_CAMERA_ORIENTATION`; `nil` where the driver has none.
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
    /// Sets it up for what is plugged in. Whoever streams by now has it set up already.
    ///
    /// - Throws: `ENOLINK` and the like without a signal.
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
    /// Whether Vitrine itself knows what to do with it.
    var isSupported: Bool {
        if isCompressed { return true }
        let size = Dimensions(width: 16, height: 16)
        return FrameDescription(self, size) != nil && self != .argb
    }
}
