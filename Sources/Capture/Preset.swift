// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// A wanted picture size and frame rate, without a pixel format (AVCaptureSession.Preset).
public enum Preset: String, Sendable, CaseIterable {
    /// The smallest size that is at least 320 pixels wide.
    case low
    /// The size nearest to 640x480.
    case medium
    /// The largest size that the camera delivers at 24 or more frames per second.
    case high
    /// The largest size, however slow.
    case photo
    case vga640x480 = "640x480"
    case hd1280x720 = "1280x720"
    case hd1920x1080 = "1920x1080"
    case hd4K3840x2160 = "3840x2160"
    /// The size set on the input (``CaptureDeviceInput``); as ``photo`` if none is.
    case inputPriority

    /// The exact size that the preset names.
    public var dimensions: Dimensions? { Dimensions(rawValue) }
}

/// A choice among a camera's formats.
public struct FormatChoice: Sendable {
    /// The preset, which decides the size if ``dimensions`` is `nil`.
    public var preset: Preset
    /// The required pixel format; `nil` allows any.
    public var pixelFormat: PixelFormat?
    /// The required size, in pixels, whatever the preset; `nil` leaves it to the preset.
    public var dimensions: Dimensions?
    /// Frames per second that a format should reach; `nil` is 24. Slower formats rank behind but
    /// are kept; those of unknown rate count as fast enough.
    public var frameRate: Double?

    /// Creates a choice by the preset alone, by default; nothing is checked.
    public init(
        preset: Preset, pixelFormat: PixelFormat? = nil, dimensions: Dimensions? = nil,
        frameRate: Double? = nil
    ) {
        self.preset = preset
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.frameRate = frameRate
    }

    /// The lowest rate at which a preview does not stutter.
    private static let smooth = 24.0

    /// Describes the camera's pixel formats for an error message, with sizes if one was asked for.
    func offer(_ formats: [CaptureFormat]) -> String {
        let known = formats.filter { pixelFormat == nil || $0.cameraFormat == pixelFormat }
        let offered = known.isEmpty ? formats : known
        var names: [String] = []
        var sizes: [String: [String]] = [:]
        for format in offered {
            let (name, size) = ("\(format.cameraFormat)", "\(format.dimensions)")
            if sizes[name] == nil { names.append(name) }
            if sizes[name]?.contains(size) != true { sizes[name, default: []].append(size) }
        }
        if names.isEmpty { return "no known format" }
        if dimensions == nil || known.isEmpty { return names.joined(separator: ", ") }
        return names.map { "\($0) in \(sizes[$0, default: []].joined(separator: ", "))" }
            .joined(separator: "; ")
    }

    /// Returns the formats that fit, best first. The rate decides first (the wanted one, then a
    /// smooth one), then whether the display can scan out the format, then whether it is
    /// uncompressed, then how little memory it needs. Grey formats are used only if there is no
    /// colour format. Formats that must be converted are used only on request, or if there are no
    /// others. A preset that the camera lacks falls back to ``Preset/high``, and that to the
    /// largest size.
    public func rank(
        _ formats: [CaptureFormat], canScanOut: (PixelFormat) -> Bool
    ) -> [CaptureFormat] {
        let allowed = allowed(formats)
        let size = dimensions ?? size(allowed) ?? FormatChoice(preset: .high).size(allowed)
        let wanted = frameRate ?? Self.smooth
        func speed(_ format: CaptureFormat) -> Int {
            if format.maximumFrameRate == 0 { return 2 }
            return [wanted, min(wanted, Self.smooth)]
                .count { format.maximumFrameRate + 0.01 >= $0 }
        }
        func merit(_ format: CaptureFormat) -> (Int, Int, Int, Double) {
            (
                speed(format),
                canScanOut(format.pixelFormat) ? 1 : 0, format.pixelFormat.isCompressed ? 0 : 1,
                -Double(
                    FrameDescription(format.pixelFormat, format.dimensions)?.bufferSizes[0] ?? 0)
            )
        }
        return allowed.filter { $0.dimensions == size }.map { ($0, merit($0)) }
            .sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// Returns whether the formats satisfy both preset and restrictions without falling back. A
    /// preset of another size than ``dimensions`` is never satisfied: restrictions come first.
    public func isSatisfiable(_ formats: [CaptureFormat]) -> Bool {
        size(allowed(formats)) != nil
    }

    func refusal(by camera: CameraIdentity, _ formats: [CaptureFormat]) -> CaptureError {
        CaptureError(
            .unsupported,
            "camera \"\(camera.name)\" has no format for the configuration; it offers "
                + offer(formats))
    }

    func isThere(in formats: [CaptureFormat]) -> Bool { formats.contains(where: fits) }

    private func allowed(_ formats: [CaptureFormat]) -> [CaptureFormat] {
        let fitting = formats.filter(fits)
        let own = fitting.filter { $0.converted == nil }
        let usual = own.isEmpty ? fitting : own
        let colored = usual.filter { $0.pixelFormat != .grey }
        return colored.isEmpty ? usual : colored
    }

    private func fits(_ format: CaptureFormat) -> Bool {
        (pixelFormat.map { $0 == format.cameraFormat } ?? !format.isOnRequest)
            && (dimensions == nil || format.dimensions == dimensions)
    }

    private func size(_ formats: [CaptureFormat]) -> Dimensions? {
        let sizes = Set(formats.map(\.dimensions)).sorted { $0.pixels < $1.pixels }
        switch preset {
        case .low: return sizes.first { $0.width >= 320 } ?? sizes.last
        case .medium:
            return sizes.min { abs($0.pixels - 640 * 480) < abs($1.pixels - 640 * 480) }
        case .high:
            let smooth = formats.filter { $0.maximumFrameRate + 0.01 >= Self.smooth }
            return smooth.map(\.dimensions).max { $0.pixels < $1.pixels } ?? sizes.last
        case .photo, .inputPriority: return sizes.last
        case .vga640x480, .hd1280x720, .hd1920x1080, .hd4K3840x2160:
            return sizes.first { $0 == preset.dimensions }
        }
    }
}
