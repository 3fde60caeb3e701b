// SPDX-License-Identifier: GPL-3.0-or-later

/// One camera.
public struct CameraSettings: Sendable, Equatable {
    /// The camera's name, unique among the cameras.
    public var id = "main"
    /// The device to use; nil for the first camera found.
    public var match: CameraMatch?
    /// The side that the camera faces: `front`, `back` or `external`.
    public var position = "external"
    /// The preferred connection if several match: `usb`, `csi`, `hdmiBridge`, `simulated` or `any`.
    public var deviceType = "any"
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
    public var preset = "photo"
    /// The allocator of the frames.
    public var memory = MemoryPolicy.auto
    /// The number of frames in the queue, 3 to 16; 0 for automatic.
    public var buffers = 0
    /// The maker written into photos and clips; empty to omit it.
    public var make = ""
    /// The model written into photos and clips; empty for the camera's own name.
    public var model = ""
    /// The picture of a simulated camera: empty or `pattern`, or the path of a video file or a
    /// folder of photos. The path is absolute after `Settings.load(file:)`.
    public var source = ""

    /// The defaults.
    public init() {}
}

extension CameraSettings: TableSettings {
    static let table = SettingsTable(
        "camera", isList: true,
        """
        A camera. Without `match` it is the first camera found. The first of several cameras is \
        used until a button with the action `switch_camera`, or `vitrine devices use`, changes to \
        another.
        """)
    static let fields: [SettingsField<Self>] = [
        .key("id", \.id, .text(.name), "The camera's name in status and commands."),
        .key(
            "position", \.position, .choice(of: ["front", "back", "external"]),
            """
            Where the camera points: at the guest (`front`), away from the guest (`back`, shown \
            unmirrored), or it stands apart (`external`). With `orientation = "sensor"`, photos of \
            a `front` camera are turned the other way round.
            """),
        .key(
            "device_type", \.deviceType,
            .choice(of: [
                "any", "usb", "csi", "hdmiBridge", "simulated",
            ]),
            """
            The preferred connection if several cameras match; if none has it, any camera that \
            matches is used.
            """),
        .key(
            "pixel_format", \.pixelFormat, .text(.pixelFormat, none: "auto"),
            "The format requested from the camera; `auto` takes the one that costs least."),
        .key(
            "width_px", \.width, .integer(in: 0...0, 16...16384, unit: "px"),
            "The frame width, together with `height_px`; 0 leaves the size to `preset`."),
        .key(
            "height_px", \.height, .integer(in: 0...0, 16...16384, unit: "px"),
            "The frame height, together with `width_px`; 0 leaves the size to `preset`."),
        .key(
            "frame_rate_fps", \.frameRate, .number(in: 0...1000, unit: "fps"),
            "Frames per second; 0 takes the most that the camera delivers at its size, up to 60."),
        .key(
            "preset", \.preset,
            .choice(of: [
                "low", "medium", "high", "photo", "640x480", "1280x720", "1920x1080", "3840x2160",
                "inputPriority",
            ]),
            """
            The capture size if `width_px` and `height_px` are 0. `photo` and `inputPriority` are \
            then the largest size.
            """),
        .key(
            "memory", \.memory, .choice,
            """
            What allocates the frames: the camera (`exported`), the display side (`imported`), or \
            the camera with copies (`mapped`). `auto` probes for the cheapest that works.
            """),
        .key(
            "buffers", \.buffers, .integer(in: 0...0, 3...16),
            "The number of frames in the camera's queue; 0 is automatic."),
        .key(
            "make", \.make, .text(.line),
            "The maker written into photos (EXIF) and clips; empty omits it."),
        .key(
            "model", \.model, .text(.line),
            "The model written into photos (EXIF) and clips; empty for the camera's own name."),
        .key(
            "source", \.source, .text(.source),
            """
            What a simulated camera shows (`match.driver = "simulated"`): `pattern`, a video file \
            or a folder of photos; empty is `pattern`. A relative path starts at the configuration \
            file's folder.
            """),
    ]

    mutating func decodeRest(_ node: Int, _ decoder: inout SettingsDecoder) {
        match = CameraMatch(inCamera: node, &decoder)
    }

    func encodeRest(_ writer: inout TOMLWriter) { match?.write(to: &writer) }
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

    private static let example = "serial = \"…\" }, { path = \"…\" } or { driver = \"…\""
}

extension CameraMatch: TableSettings {
    static let table = SettingsTable(
        "camera.match",
        """
        The device of this camera: the first that has every property given here. In the file it is \
        `match = { serial = "…" }` inside its `[[camera]]`. Cameras of one model share a name; \
        tell them apart by serial or path.
        """)
    static let fields: [SettingsField<Self>] = [
        .key("serial", \.serial, .text(.line), "The device's serial number."),
        .key(
            "path", \.path, .text(.line),
            "The bus path, such as `usb-0000:01:00.0-1.3`, or a device node."),
        .key(
            "driver", \.driver, .text(.line),
            "The kernel driver, such as `uvcvideo`; `simulated` is a camera without a device."),
    ]

    init() { self.init(serial: nil) }

    /// Reads the match of the camera in the table `camera`; nil without one, and for a wrong one.
    fileprivate init?(inCamera camera: Int, _ decoder: inout SettingsDecoder) {
        guard let node = decoder.document.child("match", of: camera) else { return nil }
        guard decoder.document.nodes[node].value == .table else {
            let what = SettingsDecoder.described(decoder.document.nodes[node].value)
            decoder.refuse(.wrongType, at: node, "\(what), allowed: { \(Self.example) }")
            return nil
        }
        let before = decoder.problems.count
        self = decoder.values(at: node)
        if self == CameraMatch() {
            if decoder.problems.count == before {
                decoder.refuse(
                    .conflict, at: node, "matches nothing, allowed: { \(Self.example) }")
            }
            return nil
        }
    }

    fileprivate func write(to writer: inout TOMLWriter) {
        let given = Self.fields.filter { !["", "\"\""].contains($0.encode(self)) }
        let parts = given.map { "\($0.key.name) = \($0.encode(self))" }
        if !parts.isEmpty { writer.line("match", "{ \(parts.joined(separator: ", ")) }") }
    }
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
