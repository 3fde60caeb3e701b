// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// A camera or a microphone, plugged in or not (AVCaptureDevice).
///
/// A camera is looked up by its identity each time it is opened: after it was unplugged, it may
/// return at another device node.
public final class CaptureDevice: Sendable {
    /// The direction that a camera faces.
    public enum Position: String, Sendable {
        case front, back, external
    }

    /// The kind of media that a device delivers (AVMediaType).
    public enum MediaType: String, Sendable, CaseIterable {
        case video, audio
    }

    /// How a camera is connected (AVCaptureDevice.DeviceType).
    public enum DeviceType: String, Sendable, Codable, CaseIterable {
        case usb
        /// A sensor on the board's own camera port.
        case csi
        /// A converter that makes a camera of an HDMI source.
        case hdmiBridge
        /// No hardware: a file, a pattern, or the kernel's test driver.
        case simulated

        /// - Parameter followsTimings: whether the format of the camera's input follows its source.
        package init(driver: String, busPath: String, followsTimings: Bool) {
            if followsTimings {
                self = .hdmiBridge
            } else if driver == "vivid" {
                self = .simulated
            } else {
                self = busPath.hasPrefix("usb-") ? .usb : .csi
            }
        }
    }

    /// The properties that select a camera; a `nil` property matches any.
    public struct Match: Sendable, Hashable, CustomStringConvertible {
        /// The maker's serial number; an empty one matches only cameras without one.
        public var serial: String?
        /// The bus path, or the device node.
        public var path: String?
        /// The kernel driver, for example `uvcvideo`, or `libcamera`.
        public var driver: String?

        /// Creates a match; each given property must equal the camera's exactly.
        public init(serial: String? = nil, path: String? = nil, driver: String? = nil) {
            self.serial = serial
            self.path = path
            self.driver = driver
        }

        func accepts(_ camera: CameraIdentity) -> Bool {
            (serial == nil || serial == camera.serial)
                && (path == nil || path == camera.busPath || path == camera.path)
                && (driver == nil || driver == camera.driver)
        }

        /// The given properties, for example "serial 1234, driver uvcvideo"; "any camera" if none.
        public var description: String {
            let parts = [
                serial.map { "serial \($0)" }, path.map { "path \($0)" },
                driver.map { "driver \($0)" },
            ].compactMap { $0 }
            return parts.isEmpty ? "any camera" : parts.joined(separator: ", ")
        }
    }

    /// A camera's configured name, or a microphone's requested id; empty for the first microphone.
    public let uniqueID: String
    /// The position given at creation; `external` by default. Frames do not depend on it.
    public let position: Position
    /// The microphone; `nil` for a camera.
    public let microphone: Microphone?
    private let resolve: @Sendable () throws(CaptureError) -> any CameraDriver

    /// The kind of media that the device delivers.
    public var mediaType: MediaType { microphone == nil ? .video : .audio }

    /// Creates a camera that `resolve` finds each time it is opened.
    public init(
        uniqueID: String, position: Position = .external,
        resolve: @escaping @Sendable () throws(CaptureError) -> any CameraDriver
    ) {
        self.uniqueID = uniqueID
        self.position = position
        self.resolve = resolve
        microphone = nil
    }

    /// Creates a device of media type audio. It is open only while an output needs it; the caller
    /// closes the microphone.
    public init(microphone: Microphone) {
        uniqueID = microphone.choice.name
        position = .external
        self.microphone = microphone
        resolve = { () throws(CaptureError) in
            throw CaptureError(.noDevice, "a microphone has no pictures")
        }
    }

    /// Creates a device for the camera that `match` selects: one of libcamera if that is the
    /// driver, else one of V4L2. Among several matches, the type
    /// decides (the first of `deviceTypes` is the best), then whether a camera has formats that
    /// need no conversion by libv4lconvert, then node order. A `pixelFormat` that must be
    /// converted, and `dimensions` within a camera's range, are offered only if given here.
    public convenience init(
        uniqueID: String, position: Position = .external, match: Match,
        deviceTypes: [DeviceType] = [], pixelFormat: PixelFormat? = nil,
        dimensions: Dimensions? = nil
    ) {
        self.init(uniqueID: uniqueID, position: position) { () throws(CaptureError) in
            if match.driver == LibcameraCamera.driver {
                return try LibcameraCamera.first(
                    sized: dimensions, preferring: deviceTypes
                ) { match.accepts($0) }
            }
            let found = V4L2Camera.discover(
                converting: pixelFormat, sized: dimensions, preferring: deviceTypes,
                following: true
            ) { match.accepts($0) }
            if let silent = found.silentChoice(deviceTypes) {
                throw CaptureError(
                    .noSignal, "no signal",
                    underlying: found.refusals.first { $0.hasNoSignal && $0.path == silent.path })
            }
            if let camera = found.cameras.first { return camera }
            if let refusal = found.refusals.first(where: \.isPermission) {
                throw CaptureError(
                    .notPermitted,
                    "no camera (\(match)): \(refusal); next: run as a member of group video")
            }
            let others = found.others.map { "\"\($0.name)\" (\($0.driver))" }
            let seen =
                (others.isEmpty ? [] : ["there is " + others.joined(separator: ", ")])
                + found.refusals.map { "\($0)" }
            throw CaptureError(
                .noDevice,
                (["no camera (\(match))"] + seen).joined(separator: "; ")
                    + "; next: plug it in, or compare [[camera]] match with: vitrine devices")
        }
    }

    /// Finds the camera where it is plugged in now. Throws ``CaptureError/Code/noDevice`` for a
    /// camera that is not plugged in, a simulated one whose file is missing, and a microphone;
    /// ``CaptureError/Code/noSignal`` if the camera gets no signal that it understands;
    /// ``CaptureError/Code/notPermitted`` if it may be behind a node that this user may not open.
    public func find() throws(CaptureError) -> any CameraDriver { try resolve() }

    /// Calls ``find()`` on a new thread, because drivers may take long to answer, and throws its
    /// errors; if `isWanted`, also those of ``CameraDriver/checkAvailability()``.
    package func search(isWanted: Bool = false) async throws(CaptureError) -> any CameraDriver {
        let found = await withCheckedContinuation { continuation in
            _ = NamedThread("camera-search") {
                continuation.resume(
                    returning: Result { () throws(CaptureError) in
                        let driver = try self.find()
                        if isWanted { try driver.checkAvailability() }
                        return driver
                    })
            }
        }
        return try found.get()
    }

    /// The devices that are plugged in (AVCaptureDevice.DiscoverySession).
    public struct DiscoverySession: Sendable {
        /// The cameras and their formats, including those used only on request: H.264, and raw
        /// sensor formats that libv4lconvert reads. Other formats that need conversion are listed
        /// only if a camera has no others.
        public let cameras: [(identity: CameraIdentity, formats: [CaptureFormat])]
        /// The devices of media type audio, in the kernel's order. An id makes a ``Microphone``
        /// through ``Microphone/Choice/named(_:)``, and that a ``CaptureDevice``.
        public let microphones: [Microphone.Device]
        /// The errors of nodes that could not be queried.
        public let refusals: [SystemCallError]

        /// Opens each node briefly, on the calling thread; later changes are not included.
        /// ``cameras`` come in the order of `deviceTypes`, others last. A `mediaType` or `position`
        /// (as drivers report it) of `nil` selects all.
        public init(
            deviceTypes: [DeviceType] = [], mediaType: MediaType? = nil, position: Position? = nil
        ) {
            let found =
                mediaType == .audio
                ? V4L2Camera.Discovery()
                : V4L2Camera.discover(preferring: deviceTypes) {
                    position == nil || $0.position == position
                }
            cameras = found.cameras.map { ($0.identity, $0.formats) }
            refusals = found.refusals
            microphones = mediaType == .video ? [] : Microphone.devices
        }
    }
}

extension [CaptureDevice.DeviceType] {
    /// Returns the cameras sorted stably in this order of types; others come last.
    package func sorted<Camera>(
        _ cameras: [Camera], _ type: (Camera) -> CaptureDevice.DeviceType
    ) -> [Camera] {
        func rank(_ camera: Camera) -> Int { firstIndex(of: type(camera)) ?? count }
        return cameras.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }.map(\.element)
    }
}

/// A camera or a microphone as a session's source (AVCaptureDeviceInput). Everything but ``device``
/// applies to cameras only.
public struct CaptureDeviceInput: Sendable {
    /// The device, looked up each time it is opened.
    public let device: CaptureDevice
    /// The required pixel format; `nil` leaves it to the session.
    public var pixelFormat: PixelFormat?
    /// The required size, in pixels; `nil` leaves it to the session's preset.
    public var dimensions: Dimensions?
    /// The requested frames per second; the camera delivers the nearest rate that it has. `nil`
    /// leaves it to the driver: a V4L2 camera then delivers the format's highest rate, up to 60.
    public var frameRate: Double?
    /// How frames may reach a display; ineffective without a display, or if no such path works.
    public var memory: MemoryPolicy
    /// The number of frames in memory; `nil` for as many as the outputs need.
    public var bufferCount: Int?

    /// The preview memory paths that may be tried.
    public enum MemoryPolicy: String, Sendable {
        case auto, exported, imported, mapped
    }

    /// Creates an input that by default requests only the device. Opens and checks nothing.
    public init(
        device: CaptureDevice, pixelFormat: PixelFormat? = nil, dimensions: Dimensions? = nil,
        frameRate: Double? = nil, memory: MemoryPolicy = .auto, bufferCount: Int? = nil
    ) {
        self.device = device
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.frameRate = frameRate
        self.memory = memory
        self.bufferCount = bufferCount
    }

    func isSame(as other: CaptureDeviceInput) -> Bool {
        device === other.device && pixelFormat == other.pixelFormat
            && dimensions == other.dimensions && frameRate == other.frameRate
            && memory == other.memory && bufferCount == other.bufferCount
    }

    package func choice(_ preset: Preset) -> FormatChoice {
        FormatChoice(
            preset: preset, pixelFormat: pixelFormat, dimensions: dimensions, frameRate: frameRate)
    }
}
