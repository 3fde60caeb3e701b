// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO
internal import Synchronization
internal import V4L2

/// A camera's controls, lent to one caller of this process at a time by
/// ``CaptureDevice/withConfigurationLock(_:)``. Their methods throw
/// ``CaptureError/Code/invalidConfiguration`` after that call has returned. Source: the kernel's
/// userspace-api/media/v4l/control.html and ext-ctrls-camera.html.
public final class CameraControls {
    /// The camera that the controls belong to.
    public let identity: CameraIdentity
    private let port: any ControlPort
    private var isHeld = true

    package init(_ identity: CameraIdentity, _ port: any ControlPort) {
        self.identity = identity
        self.port = port
    }

    /// Runs `body` with these controls, which are invalid afterwards.
    fileprivate func held<Value>(
        during body: (CameraControls) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        defer { isHeld = false }
        return try body(self)
    }

    /// Returns the states of the camera's controls, in the order of ``CameraControl``. A control
    /// that cannot be read is left out. Throws when the camera is gone.
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

    /// Returns the state of a control; `nil` if the camera lacks it.
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

    /// Returns whether the camera has the control.
    public func isSupported(_ control: CameraControl) throws(CaptureError) -> Bool {
        try scale(of: control) != nil
    }

    /// Sets a control, or changes nothing if that fails. A number is rounded to the driver's
    /// nearest step; a zoom factor out of range becomes the nearest in it. Throws
    /// ``CaptureError/Code/unsupported`` if the camera lacks the control or the control is
    /// inactive; ``CaptureError/Code/invalidConfiguration`` for a value that is not allowed; the
    /// driver's errors.
    public func set(
        _ control: CameraControl, to value: CameraControlValue
    ) throws(CaptureError) {
        try set([control: value])
    }

    /// Sets several controls, modes first: all of them, or none. Throws the errors of
    /// ``set(_:to:)-(CameraControl,_)``.
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
            // Restore in reverse: a value can be set only in its mode.
            for step in before.reversed() {
                try? port.setControl(step.identifier, to: step.raw)
            }
            throw CaptureError(identity.name, error)
        }
    }

    /// Returns the driver's value for a control that is set together with others.
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
                "\(name): \(control.rawValue) is inactive; next: set \(master) with it")
        }
        return raw
    }

    /// Sets a control to the driver's default; an inactive control stays as it is.
    public func reset(_ control: CameraControl) throws(CaptureError) {
        guard let scale = try scale(of: control), try isActive(control, scale.raw) else { return }
        try ask { () throws(SystemCallError) in
            try port.setControl(control.identifier, to: scale.raw.defaultValue)
        }
    }

    /// Returns the controls with modes first.
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

    /// Returns whether the control will be active once all `values` are set.
    private func counts(
        _ control: CameraControl, _ raw: VideoControl,
        among values: [CameraControl: CameraControlValue]
    ) throws(CaptureError) -> Bool {
        guard let master = control.master, let mode = values[master.control] else {
            return try isActive(control, raw)
        }
        return mode == .word(master.word)
    }

    /// Returns whether the control is active. Some drivers do not flag it, so the mode is read too.
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
                "\(name): its controls are no longer locked; next: use withConfigurationLock")
        }
        do {
            return try body()
        } catch {
            throw CaptureError(identity.name, error)
        }
    }
}

extension CaptureDevice {
    /// One lock for all devices: it is held for milliseconds.
    private static let configuring = Mutex(())
    /// The thread that holds the lock; 0 for none.
    private static let configurer = Atomic<UInt>(0)

    /// Runs `body` with the camera's controls; no other caller in this process has controls
    /// meanwhile (AVCaptureDevice.lockForConfiguration). A running stream continues. The calling
    /// thread blocks until the driver answers. Other programs can still set controls: V4L2 has no
    /// lock. `body` may call this method again, for this or another camera. Throws the errors of
    /// ``find()`` and `body`; ``CaptureError/Code/unsupported`` for a camera without controls.
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
