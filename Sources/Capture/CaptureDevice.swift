// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxIO
public import Media

/// A camera or a microphone, plugged in or not (AVCaptureDevice).
///
/// It is found by what identifies it, each time it is opened: after it was unplugged it may come back
/// at another node.
public final class CaptureDevice: Sendable {
    /// Which way it looks.
    public enum Position: String, Sendable {
        case front, back, external
    }

    /// What it delivers (AVMediaType).
    public enum MediaType: String, Sendable, CaseIterable {
        case video, audio
    }

    /// How it is connected (AVCaptureDevice.DeviceType).
    public enum DeviceType: String, Sendable, Codable, CaseIterable {
        case usb
        /// A sensor on the board's own camera port.
        case csi
        /// A converter that makes a camera of what is plugged into it.
        case hdmiBridge
        /// No hardware: a file, a pattern, or the kernel's test driver.
        case simulated

        /// - Parameter followsTimings: whether its input follows what is plugged into it.
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

    /// What identifies a camera; a `nil` field matches any.
    public struct Match: Sendable, Hashable, CustomStringConvertible {
        /// The maker's serial number; an empty one matches only cameras that have none.
        public var serial: String?
        /// The bus path, or the device node.
        public var path: String?
        /// The kernel driver, for example `uvcvideo`.
        public var driver: String?

        /// All that is given must be the camera's, letter for letter.
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

        /// What is given, for example "serial 1234, driver uvcvideo"; without it "any camera".
        public var description: String {
            let parts = [
                serial.map { "serial \($0)" }, path.map { "path \($0)" },
                driver.map { "driver \($0)" },
            ].compactMap { $0 }
            return parts.isEmpty ? "any camera" : parts.joined(separator: ", ")
        }
    }

    /// The configuration's name for it; of a microphone, which was asked for, empty for the first that there is.
    public let uniqueID: String
    /// As it was told, else `external`. Frames do not depend on it.
    public let position: Position
    /// What listens; `nil` of a camera.
    public let microphone: Microphone?
    private let resolve: @Sendable () throws(CaptureError) -> any CameraDriver

    /// What it delivers.
    public var mediaType: MediaType { microphone == nil ? .video : .audio }

    /// A camera that `resolve` finds each time it is opened.
    public init(
        uniqueID: String, position: Position = .external,
        resolve: @escaping @Sendable () throws(CaptureError) -> any CameraDriver
    ) {
        self.uniqueID = uniqueID
        self.position = position
        self.resolve = resolve
        microphone = nil
    }

    /// A device of media type audio, which is open only while an output needs it; whoever made the microphone closes it.
    public init(microphone: Microphone) {
        uniqueID = microphone.choice.name
        position = .external
        self.microphone = microphone
        resolve = { () throws(CaptureError) in
            throw CaptureError(.noDevice, "a microphone has no pictures")
        }
    }

    /// The V4L2 camera that matches. When several do, the first in node order of those that need no
    /// conversion by libv4lconvert, else the first.
    ///
    /// - Parameters:
    ///   - deviceTypes: of several, one of the first kind of which there is any, in this order.
    ///   - pixelFormat: what will be asked of it, where that must be converted.
    ///   - dimensions: what will be asked of it, where it has a range of sizes.
    public convenience init(
        uniqueID: String, position: Position = .external, match: Match,
        deviceTypes: [DeviceType] = [], pixelFormat: PixelFormat? = nil,
        dimensions: Dimensions? = nil
    ) {
        self.init(uniqueID: uniqueID, position: position) { () throws(CaptureError) in
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

    /// Finds it where it is plugged in now.
    ///
    /// - Throws: ``CaptureError/Code/noDevice`` when it is not, or its source is none, and for a microphone;
    ///   ``CaptureError/Code/noSignal`` when nothing that it understands is plugged into it;
    ///   ``CaptureError/Code/notPermitted`` when it may be, behind a node that is not this user's.
    public func find() throws(CaptureError) -> any CameraDriver { try resolve() }

    /// As ``find()``, on a thread of its own: drivers may take long to answer.
    ///
    /// - Parameter isWanted: whether a camera that another program uses is as good as none.
    /// - Throws: as ``find()`` and ``CameraDriver/checkAvailability()``.
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

    /// Looks for what is plugged in (AVCaptureDevice.DiscoverySession).
    public struct DiscoverySession: Sendable {
        /// Who is there, with what each offers, also what is only used on request: H.264 and a sensor's own, if
        /// libv4lconvert reads it. Other formats that that would have to convert only where a camera has no others.
        public let cameras: [(identity: CameraIdentity, formats: [CaptureFormat])]
        /// The devices of media type audio, in the kernel's order: by its id, as ``Microphone/Choice/named(_:)``, one
        /// becomes a ``Microphone`` and a ``CaptureDevice``.
        public let microphones: [Microphone.Device]
        /// Nodes that could not be asked.
        public let refusals: [SystemCallError]

        /// Opens the nodes for a moment, on this thread; what is plugged in later is not in it.
        ///
        /// - Parameters:
        ///   - deviceTypes: Cameras of the first of these kinds come first, then those of the second, then
        ///     all others: the first camera is of the kind that is wanted most, or any where there is none of them.
        ///   - mediaType: of devices that are looked for; `nil` for all.
        ///   - position: of cameras that are looked for, as their drivers say; `nil` for all.
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
    /// The cameras of the first kind first, then those of the second, then all others; each kind's in their order.
    package func sorted<Camera>(
        _ cameras: [Camera], _ type: (Camera) -> CaptureDevice.DeviceType
    ) -> [Camera] {
        func rank(_ camera: Camera) -> Int { firstIndex(of: type(camera)) ?? count }
        return cameras.enumerated().sorted {
            (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
        }.map(\.element)
    }
}

/// A camera or a microphone as a session's source (AVCaptureDeviceInput). All but the device is of cameras.
public struct CaptureDeviceInput: Sendable {
    /// It is looked for anew each time it is opened.
    public let device: CaptureDevice
    /// Restrictions on the format; the session's preset decides the rest.
    public var pixelFormat: PixelFormat?
    /// Exactly this size, in pixels, is asked for; `nil` leaves it to the session's preset.
    public var dimensions: Dimensions?
    /// Frames per second; the camera does the nearest that it can. `nil` leaves it to its driver: a
    /// V4L2 camera gives the most that the format has, up to 60.
    public var frameRate: Double?
    /// How frames may get to a display; without one, or where none works, it does not count.
    public var memory: MemoryPolicy
    /// Frames of memory; `nil` for as many as the outputs need.
    public var bufferCount: Int?

    /// Which rungs of the preview path may be tried.
    public enum MemoryPolicy: String, Sendable {
        case auto, exported, imported, mapped
    }

    /// Leaves all but the device to the session, unless told; nothing is opened or checked.
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

    /// Whether the same is asked of the same camera.
    func isSame(as other: CaptureDeviceInput) -> Bool {
        device === other.device && pixelFormat == other.pixelFormat
            && dimensions == other.dimensions && frameRate == other.frameRate
            && memory == other.memory && bufferCount == other.bufferCount
    }

    /// The formats that a session's preset may choose from.
    package func choice(_ preset: Preset) -> FormatChoice {
        FormatChoice(
            preset: preset, pixelFormat: pixelFormat, dimensions: dimensions, frameRate: frameRate)
    }
}
