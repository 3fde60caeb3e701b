// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
internal import FoundationEssentials
package import LinuxIO
internal import Logging
internal import Synchronization

/// Sets cameras' controls, and remembers what was set: a camera that comes back, at the next start too, stands as it did.
///
/// Drivers may take their time: each question is asked on a thread of its own, and not waited for too long. While one is not
/// answered that was given up, no other is asked.
package actor CameraTuner {
    private typealias Values = [CameraControl: CameraControlValue]

    private static let patience = Duration.seconds(10)
    private let file: String?
    /// By camera.
    private var remembered: [String: Values] = [:]
    /// How cameras stood that are set otherwise for a moment: by camera.
    private var borrowed: [String: Values] = [:]
    /// Of these cameras that moment is now.
    private var lent: Set<String> = []
    /// Questions that were given up, and hold their thread still.
    private let hanging = Hanging()
    private let log = Logger(label: "camera")
    private let executor: ThreadExecutor
    /// The memory is written there.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    private final class Hanging: Sendable {
        let count = Atomic<Int>(0)
    }

    /// Whether somebody still waits for an answer.
    private final class Question: Sendable {
        private let isOver = Mutex(false)

        var isOpen: Bool { isOver.withLock { !$0 } }

        /// - Returns: whether it was not over before.
        func end() -> Bool {
            isOver.withLock { isOver in
                defer { isOver = true }
                return !isOver
            }
        }
    }

    /// - Parameters:
    ///   - folder: where what was set is kept, made when something is; `nil` keeps it no longer than this runs.
    ///   - executor: may wait for the disk.
    package init(folder: String?, executor: ThreadExecutor) {
        self.executor = executor
        file = folder.map { "\($0)/camera-controls.json" }
        remembered = Self.memory(file, log)
        borrowed = Self.memory(file.map(Self.borrowedFile), log)
    }

    private static func borrowedFile(_ file: String) -> String { "\(file).borrowed" }

    private static func memory(_ file: String?, _ log: Logger) -> [String: Values] {
        guard let file, let bytes = FileManager.default.contents(atPath: file) else { return [:] }
        do {
            return try Self.decoded(bytes)
        } catch {
            // The next that is set would take its place.
            let kept = "\(file).damaged"
            try? FileTree.move(file, to: kept)
            log.error("controls are not remembered", metadata: ["file": "\(kept)"])
            return [:]
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

    /// Sets what is remembered of the camera, which has just begun to stream, and how it stood before somebody who was
    /// ended set it otherwise for a moment; what it refuses is logged. Ranges are those of the format that it streams.
    ///
    /// - Parameter device: where the camera is found, here and below; `nil` for its node.
    package func restore(_ camera: CameraIdentity, _ device: CaptureDevice? = nil) async {
        let isLent = lent.contains(camera.memoryKey)
        let before = isLent ? [:] : borrowed[camera.memoryKey] ?? [:]
        let values = Self.counting(
            remembered[camera.memoryKey, default: [:]].merging(before) { $1 })
        if values.isEmpty { return }
        do throws(CaptureError) {
            let refusals = try await ask(device ?? camera.device) { controls in
                Self.setWhatCountsNow(before, controls)
                // One by one: what a camera has no more need not keep the others.
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
            // Meanwhile somebody may have borrowed it.
            if !isLent, !lent.contains(camera.memoryKey) { forgetBorrowed(camera) }
        } catch {
            if Task.isCancelled { return }
            log.warning("controls not set", metadata: ["reason": "\(error)"])
        }
    }

    /// How all controls of the camera stand.
    package func states(
        _ camera: CameraIdentity
    ) async throws(CaptureError) -> [CameraControlState] {
        try await ask(camera.device) { controls throws(CaptureError) in try controls.states() }
    }

    /// Works out an exposure bracket from how the camera stands now.
    func bracket(
        _ camera: CameraIdentity, _ biases: [Double]
    ) async throws(CaptureError) -> ExposureBracket {
        try await ask(camera.device) { controls throws(CaptureError) in
            try ExposureBracket(biases, of: controls)
        }
    }

    /// Sets controls for a moment: what was set before is noted until ``giveBack(_:_:)``. Where this process is ended in
    /// between, the next one sets that.
    package func borrow(
        _ camera: CameraIdentity, _ values: [CameraControl: CameraControlValue],
        before: [CameraControl: CameraControlValue], _ device: CaptureDevice? = nil
    ) async throws(CaptureError) {
        // Where the last one was not given back, that is how it stood.
        if lent.insert(camera.memoryKey).inserted, borrowed[camera.memoryKey] == nil {
            borrowed[camera.memoryKey] = before
            store(borrowed, file.map(Self.borrowedFile))
        }
        try await ask(device ?? camera.device) { controls throws(CaptureError) in
            try controls.set(values)
        }
    }

    /// Sets what was set before ``borrow(_:_:before:_:)``. Where that fails, it is set when the camera comes the next time.
    package func giveBack(
        _ camera: CameraIdentity, _ device: CaptureDevice? = nil
    ) async throws(CaptureError) {
        defer { lent.remove(camera.memoryKey) }
        guard let values = borrowed[camera.memoryKey] else { return }
        try await ask(device ?? camera.device) { controls throws(CaptureError) in
            Self.setWhatCountsNow(values, controls)
            try controls.set(Self.counting(values))
        }
        forgetBorrowed(camera)
    }

    /// - Parameter chosen: these, what counts in them, and what they count in; `nil` for all.
    private func forgetBorrowed(_ camera: CameraIdentity, _ chosen: [CameraControl]? = nil) {
        guard let before = borrowed[camera.memoryKey] else { return }
        let rest = before.filter { control, _ in
            guard let chosen else { return false }
            return !chosen.contains {
                $0 == control || $0 == control.master?.control || $0.master?.control == control
            }
        }
        borrowed[camera.memoryKey] = rest.isEmpty ? nil : rest
        store(borrowed, file.map(Self.borrowedFile))
    }

    /// Sets controls, and remembers them.
    ///
    /// - Returns: how they stand then.
    /// - Throws: as ``CameraControls/set(_:)``; nothing is set or remembered then.
    package func set(
        _ camera: CameraIdentity, _ values: [CameraControl: CameraControlValue],
        _ device: CaptureDevice? = nil
    ) async throws(CaptureError) -> [CameraControlState] {
        let states = try await ask(device ?? camera.device) { controls throws(CaptureError) in
            try controls.set(values)
            return try Self.states(controls, Array(values.keys))
        }
        forgetBorrowed(camera, Array(values.keys))
        remembered[camera.memoryKey] = Self.counting(
            remembered[camera.memoryKey, default: [:]].merging(values) { $1 })
        store()
        return states
    }

    /// Gives controls back to the driver's own values, and forgets what was set; without any, all that it has.
    ///
    /// - Throws: what the first one that could not be reset says; it is forgotten all the same.
    package func reset(
        _ camera: CameraIdentity, _ chosen: [CameraControl], _ device: CaptureDevice? = nil
    ) async throws(CaptureError) -> [CameraControlState] {
        let chosen = chosen.isEmpty ? CameraControl.allCases : chosen
        let (states, failure) = try await ask(device ?? camera.device) {
            controls throws(CaptureError) in
            var failure: CaptureError?
            // Values first: in another mode they would not count.
            for control in CameraControls.ordered(chosen).reversed() {
                do throws(CaptureError) {
                    try controls.reset(control)
                } catch {
                    failure = failure ?? error
                }
            }
            return (try Self.states(controls, chosen), failure)
        }
        forgetBorrowed(camera, chosen)
        let now = Dictionary(states.map { ($0.name, $0.value) }) { $1 }
        // Nor what counted only in a mode that was.
        remembered[camera.memoryKey] = Self.counting(
            remembered[camera.memoryKey, default: [:]].merging(now) { $1 }
        ).filter { !chosen.contains($0.key) }
        store()
        if let failure { throw failure }
        return states
    }

    /// Of controls those that count in the modes among them: others would only be refused.
    private static func counting(_ values: Values) -> Values {
        values.filter { control, _ in
            guard let master = control.master, let mode = values[master.control] else {
                return true
            }
            return mode == .word(master.word)
        }
    }

    /// What does not count in the modes to come, where it counts in those of now: a camera keeps it, and may say it.
    private static func setWhatCountsNow(_ values: Values, _ controls: CameraControls) {
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
        let question = Question()
        let result = await firstAnswer(within: Self.patience) {
            [hanging] (answer: @escaping @Sendable (Result<Value, CaptureError>) -> Void) in
            _ = NamedThread("camera-controls") {
                answer(
                    Result { () throws(CaptureError) in
                        try device.withConfigurationLock { controls throws(CaptureError) in
                            // Nobody is to be surprised by what was said to have failed.
                            guard question.isOpen else { throw Self.noAnswer }
                            return try body(controls)
                        }
                    })
                if !question.end() { hanging.count.subtract(1, ordering: .relaxed) }
            }
        }
        guard let result else {
            if question.end() { hanging.count.add(1, ordering: .relaxed) }
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
    /// The same wherever it is plugged in, if it has a serial number; else where it is. Cheap cameras of different kinds
    /// share one number.
    fileprivate var memoryKey: String {
        serial.isEmpty ? "path:\(busPath)" : "serial:\(name):\(serial)"
    }

    /// This one, of several that a configuration's match may fit.
    fileprivate var device: CaptureDevice {
        // It has no node to be found by.
        if driver == "simulated" {
            return CaptureDevice(uniqueID: path) { [name] () throws(CaptureError) in
                throw CaptureError(.unsupported, "camera \"\(name)\" has no controls")
            }
        }
        return CaptureDevice(uniqueID: path, match: CaptureDevice.Match(path: path))
    }
}
