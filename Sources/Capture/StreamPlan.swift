// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// An order to the camera's thread: the session's configuration, resolved for one device.
struct StreamPlan: Sendable {
    var input: CaptureDeviceInput
    var preset: Preset
    var connections: [CaptureConnection]
    var agreement = DisplayAgreement()

    var previews: [(output: PreviewOutput, connection: CaptureConnection)] {
        connections.compactMap { connection in
            (connection.output as? PreviewOutput).map { ($0, connection) }
        }
    }

    func connection(with output: any CaptureOutput) -> CaptureConnection? {
        connections.first { $0.output === output }
    }

    /// Whether both plans ask the same of the camera, apart from displays.
    func isForSameCamera(as other: StreamPlan) -> Bool {
        preset == other.preset && input.isSame(as: other.input)
    }

    func isForSameDisplays(as other: StreamPlan) -> Bool {
        let (own, others) = (previews, other.previews)
        return agreement.ofAll == other.agreement.ofAll && own.count == others.count
            && zip(own, others).allSatisfy {
                $0.output === $1.output && $0.connection.isLike($1.connection)
                    && agreement.isSame(as: other.agreement, for: $0.output)
            }
    }

    /// Enough frames that the camera has two to fill while each output holds its most.
    var bufferCount: Int {
        let held = connections.reduce(0) { $0 + $1.output.heldFrames }
        return min(max(input.bufferCount ?? held + 2, 3), 32)
    }

    var choice: FormatChoice { input.choice(preset) }

    /// Returns the preset if it decides the size and these formats cannot satisfy it.
    func missedPreset(_ formats: [CaptureFormat]) -> Preset? {
        input.dimensions == nil && !choice.isSatisfiable(formats) ? preset : nil
    }

    /// The preview memory paths to try, the best first.
    var memoryPaths: [PreviewMemoryPath] {
        switch input.memory {
        case .auto: [.exported, .imported, .mapped]
        case .exported: [.exported]
        case .imported: [.imported]
        case .mapped: [.mapped]
        }
    }
}

/// Counts how often camera and displays were asked to negotiate again.
struct DisplayAgreement: Sendable {
    private(set) var ofAll = 0
    private var ofOne: [ObjectIdentifier: Int] = [:]

    /// - Parameter preview: the preview whose display must negotiate again; `nil` for all.
    mutating func raise(for preview: PreviewOutput?) {
        if let preview {
            ofOne[ObjectIdentifier(preview), default: 0] += 1
        } else {
            ofAll += 1
        }
    }

    /// Whether the last negotiation with this display is still valid.
    func isSame(as other: DisplayAgreement, for preview: PreviewOutput) -> Bool {
        let key = ObjectIdentifier(preview)
        return ofAll == other.ofAll && ofOne[key] == other.ofOne[key]
    }
}

/// A running stream and its negotiated parameters.
public struct RunningStream: Sendable {
    /// When the stream was negotiated, in nanoseconds of `CLOCK_MONOTONIC`. A change of outputs
    /// does not alter this time.
    public let begin: Int64
    /// The camera as found for this stream; the next stream may find it at another node.
    public let identity: CameraIdentity
    /// The camera's frames, and how many are in memory.
    public let stream: StreamDescription
    /// The chosen format (AVCaptureDevice.activeFormat).
    public let activeFormat: CaptureFormat
    let formats: [CaptureFormat]
    /// The path of each preview, in order; `nil` if its display cannot show the frames.
    public internal(set) var previewPaths: [PreviewPath?]
    /// The memory paths for a display that comes later, the best first.
    let laterMemoryPaths: [PreviewMemoryPath]
    /// The path of the first preview; `nil` without a display, or if it cannot show the frames.
    public var previewPath: PreviewPath? { previewPaths.first ?? nil }
    /// The errors of the better paths that failed, for the log.
    public let refusals: [String]
    /// The session's preset if the camera lacks it and another size was chosen; `nil` if the camera
    /// has it, or if the input sets the size.
    public let missedPreset: Preset?

    /// The frame interval that the driver granted (AVCaptureDevice.activeVideoMinFrameDuration);
    /// invalid if it reports none.
    public var activeVideoMinFrameDuration: MediaTime {
        stream.frameInterval > 0 ? MediaTime(nanoseconds: stream.frameInterval) : .invalid
    }
}
