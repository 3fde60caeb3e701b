// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
internal import FoundationEssentials
internal import LinuxIO
internal import Logging

/// Sets cameras' controls, and remembers what was set: a camera that comes back, at the next start too, stands as it did.
///
/// Drivers may take their time: each question is asked on a thread of its own, and not waited for too long.
package actor CameraTuner {
    private typealias Values = [CameraControl: CameraControlValue]

    private static let patience = Duration.seconds(10)
    private let file: String?
    /// By camera.
    private var remembered: [String: Values] = [:]
    private let log = Logger(label: "camera")

    /// - Parameter folder: where what was set is kept, made when something is; `nil` keeps it no longer than this runs.
    package init(folder: String?) {
        file = folder.map { "\($0)/camera-controls.json" }
        guard let file, let bytes = FileManager.default.contents(atPath: file) else { return }
        do {
            remembered = try Self.decoded(bytes)
        } catch {
            // The next that is set would take its place.
            let kept = "\(file).damaged"
            try? FileTree.move(file, to: kept)
            log.error("controls are not remembered", metadata: ["file": "\(kept)"])
        }
    }

    /// Names of controls that a later version remembers are no damage.
    private static func decoded(_ bytes: Data) throws -> [String: Values] {
        try JSONDecoder().decode([String: [String: CameraControlValue]].self, from: bytes)
            .mapValues { values in
                Dictionary(
                    uniqueKeysWithValues: values.compactMap { name, value in
                        CameraControl(rawValue: name).map { ($0, value) }
                    })
            }
    }

    /// Sets what is remembered of the camera, which has just begun to stream; what it refuses is logged. Ranges are those of
    /// the format that it streams.
    package func restore(_ device: CaptureDevice, _ identity: CameraIdentity) async {
        guard let values = remembered[identity.memoryKey], !values.isEmpty else { return }
        let refusals = try? await ask(device) { controls in
            var refusals: [String] = []
            for control in CameraControls.ordered(values.keys) {
                guard let value = values[control] else { continue }
                do throws(CaptureError) {
                    try controls.set(control, to: value)
                } catch {
                    refusals.append("\(error)")
                }
            }
            return refusals
        }
        for refusal in refusals ?? ["the camera does not answer"] {
            log.warning("control not set", metadata: ["reason": "\(refusal)"])
        }
    }

    /// How all controls of the camera stand.
    package func states(_ device: CaptureDevice) async throws(CaptureError) -> [CameraControlState]
    {
        try await ask(device) { controls throws(CaptureError) in try controls.states() }
    }

    /// Sets controls, and remembers them.
    ///
    /// - Returns: how they stand then.
    /// - Throws: as ``CameraControls/set(_:to:)``; those before the one that is refused are set, and nothing is remembered.
    package func set(
        _ device: CaptureDevice, _ values: [CameraControl: CameraControlValue]
    ) async throws(CaptureError) -> [CameraControlState] {
        let (identity, states) = try await ask(device) { controls throws(CaptureError) in
            try controls.set(values)
            return (controls.identity, try Self.states(controls, Array(values.keys)))
        }
        remembered[identity.memoryKey, default: [:]].merge(values) { $1 }
        store()
        return states
    }

    /// Gives controls back to the driver's own values, and forgets what was set; without any, all that it has.
    package func reset(
        _ device: CaptureDevice, _ chosen: [CameraControl]
    ) async throws(CaptureError) -> [CameraControlState] {
        let chosen = chosen.isEmpty ? CameraControl.allCases : chosen
        let (identity, states) = try await ask(device) { controls throws(CaptureError) in
            // Values first: in another mode they would not count.
            for control in CameraControls.ordered(chosen).reversed() {
                try controls.reset(control)
            }
            return (controls.identity, try Self.states(controls, chosen))
        }
        for control in chosen { remembered[identity.memoryKey]?[control] = nil }
        store()
        return states
    }

    private static func states(
        _ controls: CameraControls, _ chosen: [CameraControl]
    ) throws(CaptureError) -> [CameraControlState] {
        var states: [CameraControlState] = []
        for control in CameraControl.allCases where chosen.contains(control) {
            if let state = try controls.state(of: control) { states.append(state) }
        }
        return states
    }

    private func ask<Value: Sendable>(
        _ device: CaptureDevice,
        _ body: @escaping @Sendable (CameraControls) throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let result = await firstAnswer(within: Self.patience) {
            (answer: @escaping @Sendable (Result<Value, CaptureError>) -> Void) in
            _ = NamedThread("camera-controls") {
                answer(
                    Result { () throws(CaptureError) in
                        try device.withConfigurationLock(body)
                    })
            }
        }
        guard let result else {
            throw CaptureError(.stalled, "the camera's driver does not answer")
        }
        return try result.get()
    }

    private func store() {
        guard let file else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let named = remembered.filter { !$0.value.isEmpty }.mapValues { values in
            Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
        }
        do {
            try FileManager.default.createDirectory(
                atPath: DurableFile.parent(of: file), withIntermediateDirectories: true)
            try DurableFile.replace(file, with: Array(try encoder.encode(named)), mode: 0o640)
        } catch {
            log.error(
                "controls are not remembered", metadata: ["reason": "\(error)"])
        }
    }
}

extension CameraIdentity {
    /// The same wherever it is plugged in, if it has a serial number; else where it is.
    fileprivate var memoryKey: String {
        serial.isEmpty ? "path:\(busPath)" : "serial:\(serial)"
    }
}
