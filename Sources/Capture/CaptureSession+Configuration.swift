// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

extension CaptureSession {
    /// The inputs, outputs and preset of a session. ``configure(_:)`` changes them as a whole.
    public struct Configuration: Sendable {
        /// The camera; `nil` until ``addInput(_:)``.
        public private(set) var input: CaptureDeviceInput?
        /// The microphone; `nil` until ``addInput(_:)``.
        public private(set) var audioInput: CaptureDeviceInput?
        /// The outputs' connections, in the order in which the outputs were added.
        public private(set) var connections: [CaptureConnection] = []
        /// The preset (AVCaptureSession.sessionPreset); the input's size overrides its size.
        public var preset: Preset = .high

        /// Creates an empty configuration.
        public init() {}

        private func refusal(of new: CaptureDeviceInput) -> CaptureError? {
            let (former, kind) =
                switch new.device.mediaType {
                case .video: (input, "camera")
                case .audio: (audioInput, "microphone")
                }
            return former.map {
                CaptureError(
                    .invalidConfiguration,
                    "the session has \(kind) \"\($0.device.uniqueID)\" already: remove it first")
            }
        }

        /// Whether ``addInput(_:)`` accepts the input: a session has one camera and one microphone.
        public func canAddInput(_ input: CaptureDeviceInput) -> Bool { refusal(of: input) == nil }

        /// Adds a camera or a microphone. The microphone is open only while an output needs it.
        /// Throws the reason if the session has one already; nothing is changed then.
        public mutating func addInput(_ input: CaptureDeviceInput) throws(CaptureError) {
            if let refusal = refusal(of: input) { throw refusal }
            switch input.device.mediaType {
            case .video: self.input = input
            case .audio: audioInput = input
            }
        }

        /// Removes the camera or the microphone, if there is one. A running session closes its
        /// camera, and streams again once it is given another. The caller closes the microphone.
        public mutating func removeInput(_ mediaType: CaptureDevice.MediaType = .video) {
            switch mediaType {
            case .video: input = nil
            case .audio: audioInput = nil
            }
        }

        /// Requests exactly this format of the camera, whatever the preset is
        /// (AVCaptureDevice.activeFormat). The least time between frames
        /// (activeVideoMinFrameDuration) is `minFrameDuration`; `nil` for the format's shortest,
        /// but not below a sixtieth of a second. Throws without a camera, and for a duration that
        /// the format lacks; nothing is changed then.
        public mutating func setActiveFormat(
            _ format: CaptureFormat, minFrameDuration: MediaTime? = nil
        ) throws(CaptureError) {
            guard var asked = input else {
                throw CaptureError(.invalidConfiguration, "the session has no camera")
            }
            asked.pixelFormat = format.cameraFormat
            asked.dimensions = format.dimensions
            asked.frameRate = minFrameDuration.map { 1 / $0.seconds }
            if let rate = asked.frameRate {
                let ranges = format.videoSupportedFrameRateRanges
                // The tolerance is for drivers that report rounded intervals.
                let isThere = ranges.contains {
                    $0.lowerBound * 0.999 <= rate && rate <= $0.upperBound * 1.001
                }
                guard rate > 0, ranges.isEmpty || isThere else {
                    throw CaptureError(
                        .unsupported, "the format \(format) does not have \(rate) frames/s")
                }
            }
            input = asked
        }

        /// The outputs, in the order in which they were added.
        public var outputs: [any CaptureOutput] { connections.map(\.output) }

        /// The outputs that show frames: at most two.
        public var previews: [PreviewOutput] { outputs.compactMap { $0 as? PreviewOutput } }
        /// The first of ``previews``.
        public var preview: PreviewOutput? { previews.first }
        private static let mostPreviews = 2

        private func refusal(of output: any CaptureOutput) -> CaptureError? {
            if connection(with: output) != nil {
                return CaptureError(
                    .invalidConfiguration, "the output is part of the session already")
            }
            guard let preview = output as? PreviewOutput else { return nil }
            if previews.contains(where: { $0.target === preview.target }) {
                return CaptureError(
                    .invalidConfiguration, "the display has a preview already: remove it first")
            }
            if previews.count < Self.mostPreviews { return nil }
            return CaptureError(
                .invalidConfiguration, "the session has two previews already: remove one first")
        }

        /// Whether ``addOutput(_:)`` accepts the output.
        public func canAddOutput(_ output: any CaptureOutput) -> Bool {
            refusal(of: output) == nil
        }

        /// Connects an output to the camera. Throws the reason if the output is connected already,
        /// is a third preview, or is a second preview of one display; nothing is changed then.
        public mutating func addOutput(_ output: any CaptureOutput) throws(CaptureError) {
            if let refusal = refusal(of: output) { throw refusal }
            connections.append(CaptureConnection(output: output))
        }

        /// Disconnects an output. A preview's display no longer shows the camera. Does nothing if
        /// the output is not part of the session.
        public mutating func removeOutput(_ output: any CaptureOutput) {
            connections.removeAll { $0.output === output }
        }

        /// Returns the output's connection, or `nil` if the output is not part of the session.
        public func connection(with output: any CaptureOutput) -> CaptureConnection? {
            connections.first { $0.output === output }
        }

        /// Changes an output's connection. Throws the error of `body`, or an error if the output is
        /// not part of the session.
        public mutating func withConnection(
            to output: any CaptureOutput,
            _ body: (inout CaptureConnection) throws(CaptureError) -> Void
        ) throws(CaptureError) {
            guard let index = connections.firstIndex(where: { $0.output === output }) else {
                throw CaptureError(.invalidConfiguration, "the output is not part of the session")
            }
            try body(&connections[index])
        }
    }
}
