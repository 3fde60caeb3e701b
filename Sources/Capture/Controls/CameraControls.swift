// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Synchronization
internal import V4L2

/// A camera's controls, held by one caller of this process at a time: see
/// ``CaptureDevice/withConfigurationLock(_:)``. Who keeps them is told ``CaptureError/Code/invalidConfiguration``
/// afterwards.
///
/// Source: the kernel's userspace-api/media/v4l/control.html and ext-ctrls-camera.html.
public final class CameraControls {
    /// Whose they are.
    public let identity: CameraIdentity
    private let port: any ControlPort
    private var isHeld = true

    package init(_ identity: CameraIdentity, _ port: any ControlPort) {
        self.identity = identity
        self.port = port
    }

    /// Runs `body` with them, and has them of no use afterwards.
    fileprivate func held<Value>(
        during body: (CameraControls) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        defer { isHeld = false }
        return try body(self)
    }

    /// All that the camera has, in the order of ``CameraControl``; what cannot be read is left out.
    ///
    /// - Throws: when the camera has gone.
    public func states() throws(CaptureError) -> [CameraControlState] {
        var states: [CameraControlState] = []
        for control in CameraControl.allCases {
            do throws(CaptureError) {
                if let state = try state(of: control) { states.append(state) }
            } catch {
                if error.code == .disconnected { throw error }
            }
        }
        return states
    }

    /// How a control stands; `nil` where the camera does not have it.
    public func state(of control: CameraControl) throws(CaptureError) -> CameraControlState? {
        guard let scale = try scale(of: control) else { return nil }
        let raw = try ask { () throws(SystemCallError) in
            try port.value(ofControl: control.identifier)
        }
        let isActive = try isActive(control, scale.raw)
        return CameraControlState(
            name: control, value: scale.value(of: raw),
            defaultValue: scale.value(of: scale.raw.defaultValue),
            minimum: scale.range?.lowerBound, maximum: scale.range?.upperBound, step: scale.step,
            choices: scale.choices, isActive: isActive)
    }

    /// Whether the camera has it.
    public func isSupported(_ control: CameraControl) throws(CaptureError) -> Bool {
        try scale(of: control) != nil
    }

    /// Sets a control, or nothing. A number becomes the nearest that the driver has a step for; a zoom factor out of range becomes the
    /// nearest in it.
    ///
    /// - Throws: ``CaptureError/Code/unsupported`` where the camera does not have it, or another control rules it now;
    ///   ``CaptureError/Code/invalidConfiguration`` for a value that it does not take; what the driver says.
    public func set(
        _ control: CameraControl, to value: CameraControlValue
    ) throws(CaptureError) {
        try set([control: value])
    }

    /// Sets several, modes before the values that count in them: all, or none of them.
    ///
    /// - Throws: as ``set(_:to:)-(CameraControl,_)``.
    public func set(_ values: [CameraControl: CameraControlValue]) throws(CaptureError) {
        var steps: [(identifier: UInt32, raw: Int64)] = []
        for control in Self.ordered(values.keys) {
            guard let value = values[control] else { continue }
            steps.append((control.identifier, try raw(of: value, for: control, among: values)))
        }
        var before: [(identifier: UInt32, raw: Int64)] = []
        do throws(SystemCallError) {
            for step in steps {
                before.append((step.identifier, try port.value(ofControl: step.identifier)))
                try port.setControl(step.identifier, to: step.raw)
            }
        } catch {
            // A value counts as long as its mode does.
            for step in before.reversed() {
                try? port.setControl(step.identifier, to: step.raw)
            }
            throw CaptureError(identity.name, error)
        }
    }

    /// What the driver is given for a value that is set together with others.
    private func raw(
        of value: CameraControlValue, for control: CameraControl,
        among values: [CameraControl: CameraControlValue]
    ) throws(CaptureError) -> Int64 {
        guard let scale = try scale(of: control) else {
            throw CaptureError(.unsupported, "\(name) has no \(control.rawValue)")
        }
        guard let raw = scale.raw(of: value, clamps: control == .videoZoomFactor) else {
            throw CaptureError(
                .invalidConfiguration,
                "\(name): \(control.rawValue) = \(value) is not allowed, allowed: \(scale.allowed)")
        }
        guard try counts(control, scale.raw, among: values) else {
            let master = control.master.map { "\($0.control.rawValue)=\($0.word)" } ?? "its mode"
            throw CaptureError(
                .unsupported,
                "\(name): \(control.rawValue) does not count now; next: set \(master) with it")
        }
        return raw
    }

    /// Sets a control to what the driver gives it; one that another rules now stays.
    public func reset(_ control: CameraControl) throws(CaptureError) {
        guard let scale = try scale(of: control), try isActive(control, scale.raw) else { return }
        try ask { () throws(SystemCallError) in
            try port.setControl(control.identifier, to: scale.raw.defaultValue)
        }
    }

    /// Modes first.
    package static func ordered(_ controls: some Sequence<CameraControl>) -> [CameraControl] {
        let given = Set(controls)
        let all = CameraControl.allCases.filter(given.contains)
        return all.filter { $0.words != nil } + all.filter { $0.words == nil }
    }

    private var name: String { "camera \"\(identity.name)\"" }

    private func scale(of control: CameraControl) throws(CaptureError) -> ControlScale? {
        try ask { () throws(SystemCallError) in
            guard let raw = try port.control(control.identifier), raw.isSettable,
                ControlScale.makesSense(raw)
            else { return nil }
            return ControlScale(control, raw, raw.isMenu ? try port.menu(of: raw) : [])
        }
    }

    /// Whether it will, when the others are set with it.
    private func counts(
        _ control: CameraControl, _ raw: VideoControl,
        among values: [CameraControl: CameraControlValue]
    ) throws(CaptureError) -> Bool {
        guard let master = control.master, let mode = values[master.control] else {
            return try isActive(control, raw)
        }
        return mode == .word(master.word)
    }

    /// Not every driver says of what another control rules that it is.
    private func isActive(
        _ control: CameraControl, _ raw: VideoControl
    ) throws(CaptureError) -> Bool {
        if raw.isInactive { return false }
        guard let master = control.master, let scale = try scale(of: master.control) else {
            return true
        }
        let mode = try ask { () throws(SystemCallError) in
            try port.value(ofControl: master.control.identifier)
        }
        return scale.value(of: mode) == .word(master.word)
    }

    @discardableResult
    private func ask<Value>(
        _ body: () throws(SystemCallError) -> Value
    ) throws(CaptureError) -> Value {
        guard isHeld else {
            throw CaptureError(
                .invalidConfiguration,
                "\(name): its controls are not held any more; next: withConfigurationLock")
        }
        do {
            return try body()
        } catch {
            throw CaptureError(identity.name, error)
        }
    }
}

extension CaptureDevice {
    /// One caller at a time, whichever device: it takes milliseconds.
    private static let configuring = Mutex(())
    /// The thread of that caller; 0 for none.
    private static let configurer = Atomic<UInt>(0)

    /// Runs `body` with the camera's controls; no other caller in this process has them meanwhile
    /// (AVCaptureDevice.lockForConfiguration). A stream goes on; blocks the thread as long as the driver takes to answer.
    /// Other programs can set controls all the same: V4L2 lets them. Within `body` this or another camera's can be had, too.
    ///
    /// - Throws: as ``find()``; ``CaptureError/Code/unsupported`` for a camera without controls; what `body` throws.
    public func withConfigurationLock<Value>(
        _ body: (CameraControls) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        let driver = try find()
        guard let camera = driver as? any ControllableCamera else {
            throw CaptureError(
                .unsupported, "camera \"\(driver.identity.name)\" has no controls")
        }
        let thread = UInt(pthread_self())
        if Self.configurer.load(ordering: .relaxed) == thread {
            return try CameraControls(camera.identity, camera.openControls()).held(during: body)
        }
        var result: Result<Value, CaptureError>?
        Self.configuring.withLock { _ in
            Self.configurer.store(thread, ordering: .relaxed)
            result = Result { () throws(CaptureError) in
                try CameraControls(camera.identity, camera.openControls()).held(during: body)
            }
            Self.configurer.store(0, ordering: .relaxed)
        }
        guard let result else { preconditionFailure("the lock ran nothing") }
        return try result.get()
    }
}
