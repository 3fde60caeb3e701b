// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

extension CaptureSession {
    /// What a session is made of. Changed as a whole by ``configure(_:)``.
    public struct Configuration: Sendable {
        /// The camera; `nil` until ``addInput(_:)``.
        public private(set) var input: CaptureDeviceInput?
        /// The microphone, likewise.
        public private(set) var audioInput: CaptureDeviceInput?
        /// One for each output, in the order in which they were added.
        public private(set) var connections: [CaptureConnection] = []
        /// Decides the size where the input does not (AVCaptureSession.sessionPreset).
        public var preset: Preset = .high

        /// Nothing yet.
        public init() {}

        /// Why an input cannot be added, or `nil` when it can.
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

        /// Whether ``addInput(_:)`` takes it: a session has one camera and one microphone.
        public func canAddInput(_ input: CaptureDeviceInput) -> Bool { refusal(of: input) == nil }

        /// Makes the camera the session's source, or lets the outputs hear the microphone, which is open only while one
        /// of them needs it.
        ///
        /// - Throws: the reason when the session has one already; nothing is changed then.
        public mutating func addInput(_ input: CaptureDeviceInput) throws(CaptureError) {
            if let refusal = refusal(of: input) { throw refusal }
            switch input.device.mediaType {
            case .video: self.input = input
            case .audio: audioInput = input
            }
        }

        /// Takes the camera away, if there is one, or the microphone. A running session closes its camera, and streams
        /// again as soon as it is given another; whoever made the microphone closes it.
        public mutating func removeInput(_ mediaType: CaptureDevice.MediaType = .video) {
            switch mediaType {
            case .video: input = nil
            case .audio: audioInput = nil
            }
        }

        /// Asks the camera for exactly this of its formats, whatever the preset is (AVCaptureDevice.activeFormat).
        ///
        /// - Parameter minFrameDuration: from frame to frame at least (activeVideoMinFrameDuration); `nil` for as little
        ///   as the format has, down to a sixtieth of a second.
        /// - Throws: without an input, and for a duration that the format does not have; nothing is changed then.
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
                // Drivers tell intervals, which are rounded.
                let isThere = ranges.contains {
                    $0.lowerBound * 0.999 <= rate && rate <= $0.upperBound * 1.001
                }
                guard rate > 0, ranges.isEmpty || isThere else {
                    throw CaptureError(
                        .unsupported, "the format \(format) has no \(rate) frames a second")
                }
            }
            input = asked
        }

        /// In the order in which they were added.
        public var outputs: [any CaptureOutput] { connections.map(\.output) }

        /// Those among them that show frames: two displays at the most.
        public var previews: [PreviewOutput] { outputs.compactMap { $0 as? PreviewOutput } }
        /// The first of them.
        public var preview: PreviewOutput? { previews.first }
        private static let mostPreviews = 2

        /// Why an output cannot be added, or `nil` when it can.
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

        /// Whether ``addOutput(_:)`` takes it.
        public func canAddOutput(_ output: any CaptureOutput) -> Bool {
            refusal(of: output) == nil
        }

        /// Connects an output with the camera.
        ///
        /// - Throws: the reason when it is connected already, or is a third preview, or a second one of the same display;
        ///   nothing is changed then.
        public mutating func addOutput(_ output: any CaptureOutput) throws(CaptureError) {
            if let refusal = refusal(of: output) { throw refusal }
            connections.append(CaptureConnection(output: output))
        }

        /// Disconnects the output, and a preview's display, which shows nothing of the camera then; nothing changes when
        /// it is no part of the session.
        public mutating func removeOutput(_ output: any CaptureOutput) {
            connections.removeAll { $0.output === output }
        }

        /// How frames reach an output; `nil` when it is no part of the session.
        public func connection(with output: any CaptureOutput) -> CaptureConnection? {
            connections.first { $0.output === output }
        }

        /// Changes how frames reach an output.
        ///
        /// - Throws: what `body` throws, or that the output is no part of the session.
        public mutating func withConnection(
            to output: any CaptureOutput,
            _ body: (inout CaptureConnection) throws(CaptureError) -> Void
        ) throws(CaptureError) {
            guard let index = connections.firstIndex(where: { $0.output === output }) else {
                throw CaptureError(.invalidConfiguration, "the output is no part of the session")
            }
            try body(&connections[index])
        }
    }
}
