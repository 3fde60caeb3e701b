// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
internal import Media
internal import Synchronization

/// The display's appearance, loss and standby.
extension ScreenLoop {
    mutating func openDeviceIfDue() {
        guard device == nil, Clock.monotonic >= nextSearch else { return }
        nextSearch = Clock.monotonic + Self.retryInterval
        do throws(DisplayError) {
            let device = try open()
            do {
                try sleep.watch(device.flipDescriptor)
            } catch {
                device.close()
                throw DisplayError(.failed, "display", underlying: error)
            }
            self.device = device
            commitTime = Clock.monotonic
            statistics.commitTime.store(commitTime, ordering: .relaxed)
            lastRefusal = ""
            announce(device)
            if !isActive { switchOff(device) }
        } catch {
            if "\(error)" != lastRefusal { emit(.lost(error)) }
            lastRefusal = "\(error)"
        }
    }

    mutating func announce(_ device: any ScanoutDevice) {
        let current = (device.modeName, device.size)
        if let announced, announced == current { return }
        announced = current
        // The new mode has its own picture, so nothing of the old one is on screen any more.
        forgetFrames()
        overlay.discard()
        emit(.ready(connector: device.connectorName, mode: current.0, size: current.1))
    }

    mutating func lose(_ reason: any Error) {
        let error =
            reason as? DisplayError ?? DisplayError(.failed, "display", underlying: reason)
        failure = nil
        // The device must show something else before the pictures may be released.
        device?.close()
        letGo()
        overlay.discard()
        device = nil
        announced = nil
        flight = .over
        nextSearch = Clock.monotonic + Self.retryInterval
        lastRefusal = "\(error)"
        emit(.lost(error))
    }

    /// Handles a hotplug event, of this display or another one.
    mutating func rescan() {
        // Some monitors look unplugged in standby.
        if device != nil, !isActive { return }
        do throws(DisplayError) {
            try device?.checkConnection()
            if device != nil { return }
        } catch {
            lose(error)
        }
        nextSearch = 0
    }

    mutating func setActive(_ isActive: Bool) {
        if self.isActive == isActive { return }
        self.isActive = isActive
        guard let device else { return }
        if !isActive { return switchOff(device) }
        do {
            try device.setActive(true)
            try device.checkConnection()
            commitTime = Clock.monotonic
        } catch {
            lose(error)
        }
    }

    mutating func switchOff(_ device: any ScanoutDevice) {
        do {
            try waitForFlip(device)
            try standBy(device)
            forgetFrames()
            overlay.discard()
            mustClear = false
        } catch {
            lose(error)
        }
    }

    private func standBy(_ device: any ScanoutDevice) throws {
        do {
            try device.setActive(false)
        } catch let refusal as StandbyRefused {
            let what = "\(device.connectorName) is black in standby, but not off"
            emit(.standbyRefused(DisplayError(.unsupported, what, underlying: refusal.reason)))
        }
    }

    mutating func end() { isEnding = true }

    /// Drops the video without a commit, because the display is gone or closed.
    mutating func letGo() {
        dropAll()
        forgetFrames()
        mustClear = false
    }

    /// Forgets all frames; none of them is on screen any more.
    private mutating func forgetFrames() {
        next = ShownFrame()
        shown = ShownFrame()
        leaving = ShownFrame()
        owesCommit = false
    }
}
