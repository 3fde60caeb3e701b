// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
internal import FoundationEssentials
package import LinuxIO
internal import Logging
internal import Synchronization

/// Sets the controls of cameras and remembers the values. A camera that comes back, at the next
/// start too, gets them again.
///
/// A driver may hang, so each request runs on a thread of its own and is abandoned after a time. No
/// other request is made while an abandoned one still blocks its thread.
package actor CameraControlStore {
    private typealias Values = [CameraControl: CameraControlValue]

    private static let patience = Duration.seconds(10)
    private let file: String?
    /// The values to set, by camera.
    private var remembered: [String: Values] = [:]
    /// The values before an override, by camera.
    private var overriddenValues: [String: Values] = [:]
    /// The cameras whose controls this process overrides now.
    private var overridden: Set<String> = []
    /// The abandoned requests that still block their threads.
    private let hanging = Hanging()
    private let log = Logger(label: "camera")
    private let executor: ThreadExecutor
    /// The values are written to disk on this executor.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private final class Hanging: Sendable {
        let count = Atomic<Int>(0)
    }

    /// `folder` is created with the first value; `nil` keeps values in memory. `executor` may
    /// block.
    package init(folder: String?, executor: ThreadExecutor) {
        self.executor = executor
        file = folder.map { "\($0)/camera-controls.json" }
        remembered = Self.memory(file, log)
        overriddenValues = Self.memory(file.map(Self.overrideFile), log)
    }

    private static func overrideFile(_ file: String) -> String { "\(file).borrowed" }

    private static func memory(_ file: String?, _ log: Logger) -> [String: Values] {
        guard let file, let bytes = FileManager.default.contents(atPath: file) else { return [:] }
        do {
            return try Self.decoded(bytes)
        } catch {
            // The next stored value would overwrite the file.
            let kept = "\(file).damaged"
            try? FileTree.move(file, to: kept)
            log.error("controls are not remembered", metadata: ["file": "\(kept)"])
            return [:]
        }
    }

    /// Decodes the file; unknown controls, as of a later version, are skipped.
    private static func decoded(_ bytes: Data) throws -> [String: Values] {
        try JSONDecoder().decode([String: [String: CameraControlValue]].self, from: bytes)
            .mapValues { values in
                Dictionary(
                    uniqueKeysWithValues: values.compactMap { name, value in
                        CameraControl(rawValue: name).map { ($0, value) }
                    })
            }
    }

    /// Sets the remembered values of a camera that has just begun to stream, and ends an override
    /// that a killed process left behind. Refused values are logged. Ranges depend on the streamed
    /// format.
    /// - Parameter device: the device, here and below; `nil` for the camera's own node.
    package func apply(to camera: CameraIdentity, _ device: CaptureDevice? = nil) async {
        let isOverridden = overridden.contains(camera.memoryKey)
        let before = isOverridden ? [:] : overriddenValues[camera.memoryKey] ?? [:]
        let values = Self.counting(
            remembered[camera.memoryKey, default: [:]].merging(before) { $1 })
        if values.isEmpty { return }
        do throws(CaptureError) {
            let refusals = try await ask(device ?? camera.device) { controls in
                Self.setBeforeDisabled(before, controls)
                // Each control is set alone, so that a missing one does not prevent the others.
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
            for refusal in refusals {
                log.warning("control not set", metadata: ["reason": "\(refusal)"])
            }
            // An override may have begun meanwhile.
            if !isOverridden, !overridden.contains(camera.memoryKey) { forgetOverride(camera) }
        } catch {
            if Task.isCancelled { return }
            log.warning("controls not set", metadata: ["reason": "\(error)"])
        }
    }

    package func states(
        _ camera: CameraIdentity
    ) async throws(CaptureError) -> [CameraControlState] {
        try await ask(camera.device) { controls throws(CaptureError) in try controls.states() }
    }

    package func bracket(
        _ camera: CameraIdentity, _ biases: [Double]
    ) async throws(CaptureError) -> ExposureBracket {
        try await ask(camera.device) { controls throws(CaptureError) in
            try ExposureBracket(biases, of: controls)
        }
    }

    /// Overrides controls until ``endOverride(_:_:)``. The values before are stored on disk, so
    /// that the next process restores them if this one is killed.
    package func beginOverride(
        _ camera: CameraIdentity, _ values: [CameraControl: CameraControlValue],
        before: [CameraControl: CameraControlValue], _ device: CaptureDevice? = nil
    ) async throws(CaptureError) {
        // If the last override did not end, the stored values are still the ones before it.
        if overridden.insert(camera.memoryKey).inserted, overriddenValues[camera.memoryKey] == nil {
            overriddenValues[camera.memoryKey] = before
            store(overriddenValues, file.map(Self.overrideFile))
        }
        try await ask(device ?? camera.device) { controls throws(CaptureError) in
            try controls.set(values)
        }
    }

    /// Restores the values before ``beginOverride(_:_:before:_:)``. If that fails, they are
    /// restored when the camera appears the next time.
    package func endOverride(
        _ camera: CameraIdentity, _ device: CaptureDevice? = nil
    ) async throws(CaptureError) {
        defer { overridden.remove(camera.memoryKey) }
        guard let values = overriddenValues[camera.memoryKey] else { return }
        try await ask(device ?? camera.device) { controls throws(CaptureError) in
            Self.setBeforeDisabled(values, controls)
            try controls.set(Self.counting(values))
        }
        forgetOverride(camera)
    }

    /// Forgets stored values: those of the controls, their modes and what these govern; `nil` for
    /// all.
    private func forgetOverride(_ camera: CameraIdentity, _ chosen: [CameraControl]? = nil) {
        guard let before = overriddenValues[camera.memoryKey] else { return }
        let rest = before.filter { control, _ in
            guard let chosen else { return false }
            return !chosen.contains {
                $0 == control || $0 == control.master?.control || $0.master?.control == control
            }
        }
        overriddenValues[camera.memoryKey] = rest.isEmpty ? nil : rest
        store(overriddenValues, file.map(Self.overrideFile))
    }

    /// Sets controls and remembers them; returns their new states. Throws as
    /// ``CameraControls/set(_:)`` does; then nothing is set or remembered.
    package func set(
        _ camera: CameraIdentity, _ values: [CameraControl: CameraControlValue],
        _ device: CaptureDevice? = nil
    ) async throws(CaptureError) -> [CameraControlState] {
        let states = try await ask(device ?? camera.device) { controls throws(CaptureError) in
            try controls.set(values)
            return try Self.states(controls, Array(values.keys))
        }
        forgetOverride(camera, Array(values.keys))
        remembered[camera.memoryKey] = Self.counting(
            remembered[camera.memoryKey, default: [:]].merging(values) { $1 })
        store()
        return states
    }

    /// Resets controls, or all if `chosen` is empty, to the driver's defaults and forgets their
    /// values. Throws the first error; that control is forgotten nevertheless.
    package func reset(
        _ camera: CameraIdentity, _ chosen: [CameraControl], _ device: CaptureDevice? = nil
    ) async throws(CaptureError) -> [CameraControlState] {
        let chosen = chosen.isEmpty ? CameraControl.allCases : chosen
        let (states, failure) = try await ask(device ?? camera.device) {
            controls throws(CaptureError) in
            var failure: CaptureError?
            // Values come before modes, because another mode may disable them.
            for control in CameraControls.ordered(chosen).reversed() {
                do throws(CaptureError) {
                    try controls.reset(control)
                } catch {
                    failure = failure ?? error
                }
            }
            return (try Self.states(controls, chosen), failure)
        }
        forgetOverride(camera, chosen)
        let now = Dictionary(states.map { ($0.name, $0.value) }) { $1 }
        // Values that only a former mode enabled are forgotten too.
        remembered[camera.memoryKey] = Self.counting(
            remembered[camera.memoryKey, default: [:]].merging(now) { $1 }
        ).filter { !chosen.contains($0.key) }
        store()
        if let failure { throw failure }
        return states
    }

    /// The values that the modes among them enable; the camera would refuse the others.
    private static func counting(_ values: Values) -> Values {
        values.filter { control, _ in
            guard let master = control.master, let mode = values[master.control] else {
                return true
            }
            return mode == .word(master.word)
        }
    }

    /// Sets the controls that the new mode disables, while they are still active.
    private static func setBeforeDisabled(_ values: Values, _ controls: CameraControls) {
        let counting = counting(values)
        let rest = values.filter { counting[$0.key] == nil }
        if !rest.isEmpty { try? controls.set(rest) }
    }

    private static func states(
        _ controls: CameraControls, _ chosen: [CameraControl]
    ) throws(CaptureError) -> [CameraControlState] {
        try controls.states().filter { chosen.contains($0.name) }
    }

    private func ask<Value: Sendable>(
        _ device: CaptureDevice,
        _ body: @escaping @Sendable (CameraControls) throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        guard hanging.count.load(ordering: .relaxed) == 0 else { throw Self.noAnswer }
        let answer = PendingAnswer<Result<Value, CaptureError>>()
        _ = NamedThread("camera-controls") { [hanging] in
            let result = Result { () throws(CaptureError) in
                try device.withConfigurationLock { controls throws(CaptureError) in
                    // An abandoned request has failed already, so it must not take effect.
                    if answer.isGivenUp { throw Self.noAnswer }
                    return try body(controls)
                }
            }
            if !answer.give(result) { hanging.count.subtract(1, ordering: .relaxed) }
        }
        guard let result = await answer.value(within: Self.patience) else {
            hanging.count.add(1, ordering: .relaxed)
            throw Self.noAnswer
        }
        return try result.get()
    }

    private static var noAnswer: CaptureError {
        CaptureError(.stalled, "the camera's driver does not answer")
    }

    private func store() { store(remembered, file) }

    private func store(_ memory: [String: Values], _ file: String?) {
        guard let file else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        let named = memory.filter { !$0.value.isEmpty }.mapValues { values in
            Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
        }
        do {
            try FileManager.default.createDirectory(
                atPath: PathName(file).parent, withIntermediateDirectories: true)
            try DurableFile.replace(file, with: Array(try encoder.encode(named)), mode: 0o640)
        } catch {
            log.error(
                "controls are not remembered", metadata: ["reason": "\(error)"])
        }
    }
}

extension CameraIdentity {
    /// The camera's key: its serial number if it has one, else its port. The key includes the name,
    /// because cheap cameras of different kinds share a serial number.
    fileprivate var memoryKey: String {
        serial.isEmpty ? "path:\(busPath)" : "serial:\(name):\(serial)"
    }

    /// This camera alone, even if the configuration matches several.
    fileprivate var device: CaptureDevice {
        // A simulated camera has no device node.
        if driver == "simulated" {
            return CaptureDevice(uniqueID: path) { [name] () throws(CaptureError) in
                throw CaptureError(.unsupported, "camera \"\(name)\" has no controls")
            }
        }
        return CaptureDevice(uniqueID: path, match: CaptureDevice.Match(path: path))
    }
}
