// SPDX-License-Identifier: GPL-3.0-or-later

/// One camera.
public struct CameraSettings: Sendable, Equatable {
    /// The camera's name, unique among the cameras.
    public var id: String
    /// The device to use; nil for the first camera found.
    public var match: CameraMatch?
    /// The side that the camera faces: `front`, `back` or `external`.
    public var position: String
    /// The preferred connection if several cameras match: `usb`, `csi`, `hdmiBridge`, `simulated`
    /// or `any`.
    public var deviceType: String
    /// A V4L2 FourCC such as `MJPG`; nil for the format that costs least.
    public var pixelFormat: String?
    /// The width in pixels; nil, together with the height, to use the preset's size.
    public var width: Int?
    /// The height in pixels; nil, together with the width, to use the preset's size.
    public var height: Int?
    /// Frames per second; nil for the most that the camera delivers, up to 60.
    public var frameRate: Double?
    /// The capture size if no width and height are given: `low`, `medium`, `high`, `photo`,
    /// `640x480`, `1280x720`, `1920x1080`, `3840x2160` or `inputPriority`.
    public var preset: String
    /// The allocator of the frames.
    public var memory: MemoryPolicy
    /// The number of frames in the queue, 3 to 16; 0 for automatic.
    public var buffers: Int
    /// The maker written into photos and clips; empty to omit it.
    public var make: String
    /// The model written into photos and clips; empty for the camera's own name.
    public var model: String
    /// The picture of a simulated camera: empty or `pattern`, or the path of a video file or a
    /// folder of photos. The path is absolute after `Settings.load(file:)`.
    public var source: String

    /// The defaults.
    public init() {
        var decoder = SettingsDecoder.empty
        self.init(nil, &decoder)
    }

    init(_ table: Int?, _ decoder: inout SettingsDecoder) {
        decoder.refuseUnknownKeys(in: table, CameraKeys.table)
        id = decoder.value(CameraKeys.id, in: table)
        match = table.flatMap { CameraMatch(inCamera: $0, &decoder) }
        position = decoder.value(CameraKeys.position, in: table)
        deviceType = decoder.value(CameraKeys.deviceType, in: table)
        pixelFormat = decoder.value(CameraKeys.pixelFormat, in: table)
        width = decoder.value(CameraKeys.width, in: table)
        height = decoder.value(CameraKeys.height, in: table)
        frameRate = decoder.value(CameraKeys.frameRate, in: table)
        preset = decoder.value(CameraKeys.preset, in: table)
        memory = decoder.value(CameraKeys.memory, in: table)
        buffers = decoder.value(CameraKeys.buffers, in: table)
        make = decoder.value(CameraKeys.make, in: table)
        model = decoder.value(CameraKeys.model, in: table)
        source = decoder.value(CameraKeys.source, in: table)
    }

    func write(to writer: inout TOMLWriter) {
        writer.start(CameraKeys.table)
        writer.write(CameraKeys.id, id)
        match?.write(to: &writer)
        writer.write(CameraKeys.position, position)
        writer.write(CameraKeys.deviceType, deviceType)
        writer.write(CameraKeys.pixelFormat, pixelFormat)
        writer.write(CameraKeys.width, width)
        writer.write(CameraKeys.height, height)
        writer.write(CameraKeys.frameRate, frameRate)
        writer.write(CameraKeys.preset, preset)
        writer.write(CameraKeys.memory, memory)
        writer.write(CameraKeys.buffers, buffers)
        writer.write(CameraKeys.make, make)
        writer.write(CameraKeys.model, model)
        writer.write(CameraKeys.source, source)
    }
}

/// The device of a camera: the first that has all given properties. At least one is given.
public struct CameraMatch: Sendable, Hashable {
    /// The driver name of a camera without a device.
    public static let simulatedDriver = "simulated"

    /// The device's serial number.
    public var serial: String?
    /// The bus path, or a device node.
    public var path: String?
    /// The kernel driver, or `simulated`.
    public var driver: String?

    /// A match of all the given properties.
    public init(serial: String? = nil, path: String? = nil, driver: String? = nil) {
        self.serial = serial
        self.path = path
        self.driver = driver
    }

    init?(inCamera camera: Int, _ decoder: inout SettingsDecoder) {
        let keys = CameraKeys.Match.self
        guard let node = decoder.document.child("match", of: camera) else { return nil }
        guard decoder.document.nodes[node].value == .table else {
            let what = SettingsDecoder.described(decoder.document.nodes[node].value)
            decoder.refuse(.wrongType, at: node, "\(what), allowed: { \(Self.example) }")
            return nil
        }
        let before = decoder.problems.count
        decoder.refuseUnknownKeys(in: node, keys.table)
        serial = decoder.value(keys.serial, in: node)
        path = decoder.value(keys.path, in: node)
        driver = decoder.value(keys.driver, in: node)
        if self == CameraMatch() {
            if decoder.problems.count == before {
                decoder.refuse(
                    .conflict, at: node, "matches nothing, allowed: { \(Self.example) }")
            }
            return nil
        }
    }

    func write(to writer: inout TOMLWriter) {
        let keys = CameraKeys.Match.self
        var parts: [String] = []
        for (key, value) in [
            (keys.serial, serial), (keys.path, path), (keys.driver, driver),
        ] where value != nil {
            parts.append("\(key.key.name) = \(key.encode(value))")
        }
        if !parts.isEmpty { writer.line("match", "{ \(parts.joined(separator: ", ")) }") }
    }

    private static let example = "serial = \"…\" }, { path = \"…\" } or { driver = \"…\""
}

/// The allocator of a camera's frames.
public enum MemoryPolicy: String, Sendable, CaseIterable {
    /// The cheapest that works, found by probing.
    case auto
    /// The camera's driver, exported to the display as DMA-BUFs.
    case exported
    /// A DMA heap or the display's driver, imported by the camera.
    case imported
    /// The camera's driver, mapped into the process; frames are copied.
    case mapped
}
