// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Input
internal import LinuxIO

extension ButtonLoop {
    /// Drops every source whose hardware has gone without an event.
    mutating func checkPresent() {
        for source in sources {
            do throws(SystemCallError) {
                try drain(source)
                for index in source.buttons {
                    _ = try source.source.isActive(buttons[index].contact)
                }
            } catch {
                drop(source.tag, error)
            }
        }
    }

    mutating func drop(_ tag: UInt64, _ error: SystemCallError) {
        guard let position = sources.firstIndex(where: { $0.tag == tag }) else { return }
        let source = sources.remove(at: position)
        for index in source.buttons where !sources.contains(where: { $0.buttons.contains(index) }) {
            miss(index, advice(error))
        }
        scheduleRetry()
    }

    /// Marks the button's hardware as missing and ends its current gesture.
    private mutating func miss(_ index: Int, _ problem: String) {
        buttons[index].problem = problem
        if let debouncer = buttons[index].debouncer {
            buttons[index].earlierBounces += debouncer.bounces
            if !buttons[index].health.isMuted { endGesture(of: index) }
            buttons[index].health.hardwareLost()
            buttons[index].debouncer = nil
        }
        board.publish(buttons[index].statistics, at: index)
    }

    private mutating func scheduleRetry() {
        let isMissing = buttons.contains { !$0.isVirtual && $0.debouncer == nil }
        nextRetry = isMissing ? Clock.monotonic + ButtonBoard.retryInterval : nil
    }

    mutating func openMissing() {
        var devices: Result<[InputDescription], SystemCallError>?
        for index in buttons.indices {
            let configuration = buttons[index].configuration
            do throws(SystemCallError) {
                switch configuration.source {
                case .virtual:
                    break
                case .line(let chip, let line):
                    guard buttons[index].debouncer == nil else { continue }
                    let source = try board.hardware.openLine(
                        chip: chip, line: line, bias: configuration.bias,
                        activeLow: configuration.activeLow)
                    try adopt(source, path: nil, for: index)
                case .key(let key, let device):
                    let known = devices ?? keyDevices()
                    devices = known
                    try openKeys(key, of: device, known.get(), for: index)
                }
            } catch {
                if buttons[index].debouncer == nil { miss(index, advice(error)) }
            }
        }
        scheduleRetry()
    }

    private func keyDevices() -> Result<[InputDescription], SystemCallError> {
        do throws(SystemCallError) {
            return .success(try board.hardware.keyDevices())
        } catch {
            return .failure(error)
        }
    }

    /// Attaches the button to every matching device that it does not have; throws if it then has
    /// none.
    private mutating func openKeys(
        _ key: String, of wanted: String?, _ devices: [InputDescription], for index: Int
    ) throws(SystemCallError) {
        var refusal: SystemCallError?
        let contact = buttons[index].contact
        for device in devices where device.keys.contains(where: { $0.number == contact.number }) {
            guard wanted.map(device.matches) ?? true else { continue }
            do throws(SystemCallError) {
                if let open = sources.firstIndex(where: { $0.path == device.path }) {
                    try share(open, with: index)
                } else {
                    let source = try board.hardware.openKeys(path: device.path)
                    try adopt(source, path: device.path, for: index)
                }
            } catch {
                refusal = error
            }
        }
        guard buttons[index].debouncer == nil else { return }
        if let refusal { throw refusal }
        let names = devices.map { "\"\($0.name)\"" }.joined(separator: ", ")
        let what = wanted.map { "\(key) on \"\($0)\"" } ?? key
        throw SystemCallError(
            call: "find key", code: ENOENT,
            path: "\(what), there " + (names.isEmpty ? "is no input device" : "are \(names)"))
    }

    private mutating func share(_ position: Int, with index: Int) throws(SystemCallError) {
        guard !sources[position].buttons.contains(index) else { return }
        try begin(index, sources[position].source)
        sources[position].buttons.append(index)
    }

    private mutating func adopt(
        _ source: any ButtonSource, path: String?, for index: Int
    ) throws(SystemCallError) {
        lastTag += 1
        try source.watch(with: board.poller, tag: lastTag)
        try begin(index, source)
        sources.append(OpenSource(tag: lastTag, source: source, path: path, buttons: [index]))
    }

    private mutating func begin(
        _ index: Int, _ source: any ButtonSource
    ) throws(SystemCallError) {
        guard buttons[index].debouncer == nil else { return }
        let configuration = buttons[index].configuration
        buttons[index].debouncer = Debouncer(
            debounce: Int64(configuration.debounceMilliseconds) * 1_000_000,
            shortest: configuration.shortestPress,
            level: try source.isActive(buttons[index].contact), at: Clock.monotonic)
        buttons[index].problem = ""
        tell(Debouncer.Outcome(), of: index)
    }
}

extension InputDescription {
    /// Returns whether `text` names this device: by name, serial number, physical path or device
    /// file.
    func matches(_ text: String) -> Bool {
        [name, serial, physicalPath, path].contains(text)
    }
}
