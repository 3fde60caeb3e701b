// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// What the camera's thread is to do: the session's configuration, resolved for one device.
struct StreamPlan: Sendable {
    var input: CaptureDeviceInput
    var preset: Preset
    var connections: [CaptureConnection]
    var agreement = DisplayAgreement()

    /// The outputs that show frames, and how pictures are turned on the way there.
    var previews: [(output: PreviewOutput, connection: CaptureConnection)] {
        connections.compactMap { connection in
            (connection.output as? PreviewOutput).map { ($0, connection) }
        }
    }

    /// How frames reach an output; `nil` when they do not.
    func connection(with output: any CaptureOutput) -> CaptureConnection? {
        connections.first { $0.output === output }
    }

    /// Whether the same would be asked of the camera, as far as that is no matter of displays.
    func isForSameCamera(as other: StreamPlan) -> Bool {
        preset == other.preset && input.isSame(as: other.input)
    }

    /// Whether displays would show the same of it.
    func isForSameDisplays(as other: StreamPlan) -> Bool {
        let (own, others) = (previews, other.previews)
        return agreement.ofAll == other.agreement.ofAll && own.count == others.count
            && zip(own, others).allSatisfy {
                $0.output === $1.output && $0.connection.isLike($1.connection)
                    && agreement.isSame(as: other.agreement, for: $0.output)
            }
    }

    /// Enough that the camera always has two to fill while everybody holds what they may.
    var bufferCount: Int {
        let held = connections.reduce(0) { $0 + $1.output.heldFrames }
        return min(max(input.bufferCount ?? held + 2, 3), 32)
    }

    var choice: FormatChoice { input.choice(preset) }

    /// The preset, when these formats cannot fulfil it and it counts.
    func missedPreset(_ formats: [CaptureFormat]) -> Preset? {
        input.dimensions == nil && !choice.isSatisfiable(formats) ? preset : nil
    }

    /// The rungs to try with a display, the best first.
    var rungs: [PreviewRung] {
        switch input.memory {
        case .auto: [.exported, .imported, .mapped]
        case .exported: [.exported]
        case .imported: [.imported]
        case .mapped: [.mapped]
        }
    }
}

/// How often camera and displays were to agree anew.
struct DisplayAgreement: Sendable {
    private(set) var ofAll = 0
    private var ofOne: [ObjectIdentifier: Int] = [:]

    /// - Parameter preview: whose display is to; `nil` for all.
    mutating func raise(for preview: PreviewOutput?) {
        if let preview {
            ofOne[ObjectIdentifier(preview), default: 0] += 1
        } else {
            ofAll += 1
        }
    }

    /// Whether what was agreed with this display holds.
    func isSame(as other: DisplayAgreement, for preview: PreviewOutput) -> Bool {
        let key = ObjectIdentifier(preview)
        return ofAll == other.ofAll && ofOne[key] == other.ofOne[key]
    }
}

/// A stream that is running: what was agreed with camera and display.
public struct RunningStream: Sendable {
    /// When it was agreed, nanoseconds of `CLOCK_MONOTONIC`: the same as long as it goes on, whatever outputs come and go.
    public let begin: Int64
    /// The camera as it was found for this stream; the next may find it at another node.
    public let identity: CameraIdentity
    /// What it delivers, with the number of frames that its memory has.
    public let stream: StreamDescription
    /// Of the camera's formats the one that was chosen (AVCaptureDevice.activeFormat).
    public let activeFormat: CaptureFormat
    /// All that it has.
    let formats: [CaptureFormat]
    /// Of each of the session's previews, in their order; `nil` where its display can show the frames in no way.
    public internal(set) var previewPaths: [PreviewPath?]
    /// By which a display that comes while it runs may show it, the best first.
    let laterRungs: [PreviewRung]
    /// Of the first preview; `nil` without a display, and where it can show the frames in no way.
    public var previewPath: PreviewPath? { previewPaths.first ?? nil }
    /// Why the better rungs could not be used, for the engineer's log.
    public let refusals: [String]
    /// The session's preset where the camera does not have it and another size was taken; `nil` where it
    /// has, or where the input's own size counts.
    public let missedPreset: Preset?

    /// From frame to frame, as the driver has granted it (AVCaptureDevice.activeVideoMinFrameDuration); invalid when it
    /// does not tell.
    public var activeVideoMinFrameDuration: MediaTime {
        stream.frameInterval > 0 ? MediaTime(nanoseconds: stream.frameInterval) : .invalid
    }
}
