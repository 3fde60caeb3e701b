// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// How large and how fast pictures shall be, without naming a format (AVCaptureSession.Preset).
public enum Preset: String, Sendable, CaseIterable {
    /// The smallest size of at least 320 pixels' width.
    case low
    /// The size nearest to 640x480.
    case medium
    /// The largest size that the camera delivers at 24 or more frames a second.
    case high
    /// The largest size, however slow.
    case photo
    case vga640x480 = "640x480"
    case hd1280x720 = "1280x720"
    case hd1920x1080 = "1920x1080"
    case hd4K3840x2160 = "3840x2160"
    /// What is set on the input, whatever it is (``CaptureDeviceInput``); as ``photo`` where nothing is.
    case inputPriority

    /// The exact size that it names.
    public var dimensions: Dimensions? { Dimensions(rawValue) }
}

/// Chooses among a camera's formats.
public struct FormatChoice: Sendable {
    /// Decides the size where ``dimensions`` is `nil`.
    public var preset: Preset
    /// Restrictions from the configuration; `nil` leaves the choice free.
    public var pixelFormat: PixelFormat?
    /// Exactly this size, in pixels, whatever the preset; `nil` leaves it to that.
    public var dimensions: Dimensions?
    /// Frames per second that a format should reach; `nil` is 24. Slower ones rank behind, and are
    /// not left out; those whose rate is unknown count as fast enough.
    public var frameRate: Double?

    /// The preset alone, unless told otherwise; nothing is checked.
    public init(
        preset: Preset, pixelFormat: PixelFormat? = nil, dimensions: Dimensions? = nil,
        frameRate: Double? = nil
    ) {
        self.preset = preset
        self.pixelFormat = pixelFormat
        self.dimensions = dimensions
        self.frameRate = frameRate
    }

    /// Below this a preview is felt to stutter.
    private static let smooth = 24.0

    /// What a camera has of it, for whoever asked in vain: its pixel formats, with sizes where a size was asked for.
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
        if names.isEmpty { return "nothing that is known here" }
        if dimensions == nil || known.isEmpty { return names.joined(separator: ", ") }
        return names.map { "\($0) in \(sizes[$0, default: []].joined(separator: ", "))" }
            .joined(separator: "; ")
    }

    /// The formats that fit, best first: those as fast as is wanted, then smooth ones, then those that the display can scan out as
    /// they are, then uncompressed ones. Grey ones only where there is no colour, and those that must be
    /// converted first only where there is nothing else, or on request.
    ///
    /// A preset that the camera does not have falls back to ``Preset/high``, that to whatever is there.
    public func rank(
        _ formats: [CaptureFormat], canScanOut: (PixelFormat) -> Bool
    ) -> [CaptureFormat] {
        let allowed = allowed(formats)
        let size = dimensions ?? size(allowed) ?? FormatChoice(preset: .high).size(allowed)
        let wanted = frameRate ?? Self.smooth
        // What is as fast as is wanted, then what is smooth at least.
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

    /// Whether the formats have what both the preset and the restrictions ask for, without falling
    /// back. A preset that names another size than ``dimensions`` cannot be had: they come first.
    public func isSatisfiable(_ formats: [CaptureFormat]) -> Bool {
        size(allowed(formats)) != nil
    }

    /// Of a camera that has nothing that keeps to the restrictions.
    func refusal(by camera: CameraIdentity, _ formats: [CaptureFormat]) -> CaptureError {
        CaptureError(
            .unsupported,
            "camera \"\(camera.name)\" has no format for the configuration; it offers \(offer(formats))"
        )
    }

    /// Whether any of the formats keeps to the restrictions.
    func isThere(in formats: [CaptureFormat]) -> Bool { formats.contains(where: fits) }

    /// What may be chosen: see ``rank(_:canScanOut:)``.
    private func allowed(_ formats: [CaptureFormat]) -> [CaptureFormat] {
        let fitting = formats.filter(fits)
        let own = fitting.filter { $0.converted == nil }
        let usual = own.isEmpty ? fitting : own
        let colored = usual.filter { $0.pixelFormat != .grey }
        return colored.isEmpty ? usual : colored
    }

    /// Whether a format keeps to the restrictions.
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
