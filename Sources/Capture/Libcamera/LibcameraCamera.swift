// SPDX-License-Identifier: GPL-3.0-or-later

internal import Foundation
internal import Glibc
internal import Libcamera
internal import LinuxIO
package import Media
internal import V4L2

/// A camera behind libcamera: mostly a sensor at a board's camera port, which delivers only raw
/// values by itself.
public struct LibcameraCamera: CameraDriver {
    /// The name that selects these cameras.
    public static let driver = "libcamera"

    /// The identity when the camera was found. The bus path is libcamera's id.
    public let identity: CameraIdentity
    /// The formats when the camera was found, in libcamera's order.
    public let formats: [CaptureFormat]
    private let folders: [String]

    /// Returns the cameras that are plugged in, in the requested order of types, which then have
    /// libcamera's order. Loads libcamera first.
    /// - Parameters:
    ///   - sized: A size to include besides the usual ones if it lies within a camera's range.
    ///   - folders: The folders that may hold Vitrine's part of libcamera.
    /// - Throws: ``CaptureError/Code/unsupported`` if libcamera is not installed.
    package static func discover(
        sized: Dimensions? = nil, preferring types: [CaptureDevice.DeviceType] = [],
        below folders: [String] = LibcameraLibrary.folders
    ) throws(CaptureError) -> [LibcameraCamera] {
        do {
            let cameras = try LibcameraLibrary.cameras(below: folders).map {
                camera throws(LibcameraError) in
                LibcameraCamera(
                    camera, try LibcameraDevice(id: camera.id, below: folders), sized, folders)
            }
            return types.sorted(cameras) { $0.identity.deviceType }
        } catch {
            throw CaptureError(.unsupported, "libcamera", underlying: error)
        }
    }

    /// Returns the first camera that is wanted. Throws ``CaptureError/Code/noDevice`` without one,
    /// and the errors of ``discover(sized:preferring:below:)``.
    static func first(
        sized: Dimensions?, preferring types: [CaptureDevice.DeviceType],
        _ isWanted: (CameraIdentity) -> Bool
    ) throws(CaptureError) -> LibcameraCamera {
        let found = try discover(sized: sized, preferring: types)
        if let camera = found.first(where: { isWanted($0.identity) }) { return camera }
        let seen = found.map { "\"\($0.identity.name)\" (\($0.identity.busPath))" }
        throw CaptureError(
            .noDevice,
            "libcamera has no such camera; there is "
                + (seen.isEmpty ? "none" : seen.joined(separator: ", "))
                + "; next: plug it in, or compare [[camera]] match with it")
    }

    private init(
        _ camera: LibcameraLibrary.Camera, _ device: LibcameraDevice, _ sized: Dimensions?,
        _ folders: [String]
    ) {
        self.folders = folders
        identity = CameraIdentity(
            name: camera.model, path: camera.id, driver: Self.driver, busPath: camera.id,
            serial: "", deviceType: CaptureDevice.DeviceType(systemPath: camera.systemPath),
            position: CaptureDevice.Position(orientation: Int64(camera.location)))
        let rates = device.frameDurations().map { durations in
            [1e9 / Double(durations.upperBound)...1e9 / Double(durations.lowerBound)]
        }
        var formats: [CaptureFormat] = []
        for offered in device.formats() {
            let sizes = FrameSizeRange(
                minimum: offered.smallest, maximum: offered.largest, step: offered.step)
            for size in sizes.offers(sized) {
                let format = CaptureFormat(
                    pixelFormat: offered.pixelFormat, dimensions: size,
                    maximumFrameRate: rates?.first?.upperBound ?? 0, frameRateRanges: rates)
                if !formats.contains(format) { formats.append(format) }
            }
        }
        self.formats = formats
    }

    /// Opens the camera and reserves it for this process. Throws `disconnected` if it is gone,
    /// `busy` while another process has it, otherwise `failed`.
    public func open() throws(CaptureError) -> any CameraStream {
        LibcameraStream(try reserve())
    }

    /// Throws the errors of ``open()``.
    public func checkAvailability() throws(CaptureError) { _ = try reserve() }

    private func reserve() throws(CaptureError) -> LibcameraDevice {
        let device: LibcameraDevice
        do {
            device = try LibcameraDevice(id: identity.busPath, below: folders)
        } catch {
            throw CaptureError(
                .disconnected, "camera \"\(identity.name)\"", underlying: error)
        }
        do {
            try device.acquire()
        } catch {
            throw CaptureError(identity.name, error)
        }
        return device
    }
}

extension CaptureDevice.DeviceType {
    /// - Parameter systemPath: The entry of one of the camera's device files in /sys; `nil` without
    ///   any.
    init(systemPath: String?) {
        let place = systemPath.map { URL(filePath: $0).resolvingSymlinksInPath().pathComponents }
        self =
            switch place {
            case .none: .simulated
            case .some(let place) where place.contains { $0.hasPrefix("vimc") }: .simulated
            case .some(let place): place.contains { $0.hasPrefix("usb") } ? .usb : .csi
            }
    }
}
