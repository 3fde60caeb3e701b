// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Capture
internal import CommandProtocol
internal import Verbs
internal import LinuxIO

struct TunedCamera: ParsableArguments {
    @Option(help: "Id of the camera in the configuration; it must be the camera in use.")
    var camera: String?

    @OptionGroup var client: ClientOptions

    func request(_ verb: String, _ more: [String: JSONValue]) throws {
        var arguments = more
        if let camera { arguments["camera"] = .string(camera) }
        let states: [CameraControlState] = try client.request(verb, arguments)
        try ControlTable.print(states, json: client.json)
    }
}

extension Devices {
    struct Controls: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the cameras' controls, such as exposure and zoom, with their ranges.",
            discussion: """
                  vitrine devices controls /dev/video0

                The command needs no appliance. An inactive control is overridden by another one.
                """)

        @Argument(
            help: "Only this camera: its device file, or its bus path.",
            completion: .file())
        var path: String?

        @Flag(help: "Print JSON: one object per line, nothing else.")
        var json = false

        func run() throws {
            let found = CaptureDevice.DiscoverySession()
            let cameras = found.cameras.map(\.identity).filter {
                path == nil || path == $0.path || path == $0.busPath
            }
            let denied = found.refusals.first(where: \.isPermission)
            if let path, cameras.isEmpty, denied == nil {
                throw CommandError(
                    "camera.unknown", "there is no camera \(path)",
                    next: "See: vitrine devices", exit: .noInput)
            }
            var refusal: CommandError?
            for identity in cameras {
                if !json { print("\(identity.path)  \(identity.name)") }
                let device = CaptureDevice(
                    uniqueID: identity.path, match: CaptureDevice.Match(path: identity.path))
                let states: [CameraControlState]
                do throws(CaptureError) {
                    states = try device.withConfigurationLock { controls throws(CaptureError) in
                        try controls.states()
                    }
                } catch {
                    // The other cameras are still listed.
                    refusal = refusal ?? CommandError(control: error)
                    continue
                }
                try ControlTable.print(states, of: identity.path, json: json)
            }
            if let denied, path == nil || cameras.isEmpty {
                throw CommandError(
                    "camera.denied", "\(denied)", next: "Run as a member of group video.",
                    exit: .notPermitted)
            }
            if let refusal { throw refusal }
            if cameras.isEmpty, !json { print("no cameras") }
        }
    }

    struct Set: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set controls of the camera in use.",
            discussion: """
                  vitrine devices set exposure=manual exposure_us=8000 zoom=2

                The running appliance remembers the values by the camera's serial number, or by \
                the port it is plugged into. It sets them again whenever the camera appears. \
                vitrine devices controls lists the controls.
                """)

        @Argument(help: "Controls to set, each as NAME=VALUE.")
        var values: [String]

        @OptionGroup var camera: TunedCamera

        func validate() throws {
            if values.isEmpty { throw ValidationError("give NAME=VALUE at least once") }
            for text in values where Self.parts(of: text) == nil {
                throw ValidationError("\"\(text)\" is not NAME=VALUE")
            }
        }

        private static func parts(of text: String) -> (name: String, value: String)? {
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
            let value = text[text.index(after: sign)...]
            return value.isEmpty ? nil : (String(text[..<sign]), String(value))
        }

        func run() throws {
            var given: [String: JSONValue] = [:]
            for (name, value) in values.compactMap(Self.parts) {
                let control = try CameraControl(named: name)
                given[control.rawValue] = try JSONValue(encoding: CameraControlValue(value))
            }
            try camera.request("devices.set", ["values": .object(given)])
        }
    }

    struct Reset: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reset controls to the driver's defaults, and forget the values set.",
            discussion: """
                  vitrine devices reset zoom exposure
                """)

        @Argument(help: "Names of controls (default: all).")
        var names: [String] = []

        @OptionGroup var camera: TunedCamera

        func run() throws {
            let controls = try names.map { try CameraControl(named: $0) }
            try camera.request(
                "devices.reset", ["names": .array(controls.map { .string($0.rawValue) })])
        }
    }
}

extension Devices {
    struct Use: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switch to another camera of the configuration.",
            discussion: """
                  vitrine devices use back

                Everything else keeps running. After the next start, or a change of the \
                configuration, the first camera is in use again.
                """)

        @Argument(help: "Id of the camera (default: the next one).")
        var camera: String?

        @OptionGroup var client: ClientOptions

        func run() throws {
            let used: StatusReport.Camera = try client.request(
                "devices.use", camera.map { ["camera": .string($0)] } ?? [:])
            print(client.json ? try jsonLine(used) : "camera \(used.id ?? "")")
        }
    }
}

/// Prints the state of controls, for a person or as JSON lines.
enum ControlTable {
    private struct Line: Encodable {
        let camera: String?
        let state: CameraControlState

        private enum CodingKeys: CodingKey { case camera }

        func encode(to encoder: any Encoder) throws {
            try state.encode(to: encoder)
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encodeIfPresent(camera, forKey: .camera)
        }
    }

    static func print(_ states: [CameraControlState], of camera: String? = nil, json: Bool) throws {
        if json {
            for state in states {
                Swift.print(try jsonLine(Line(camera: camera, state: state)))
            }
            return
        }
        let width = states.map(\.name.rawValue.count).max() ?? 0
        for state in states {
            let name = state.name.rawValue
            let padding = String(repeating: " ", count: width - name.count)
            var facts = ["default \(state.defaultValue)"]
            if let choices = state.choices {
                facts.insert(choices.joined(separator: ", "), at: 0)
            } else if let least = state.minimum, let most = state.maximum {
                facts.insert(
                    "\(CameraControlValue.number(least)) to \(CameraControlValue.number(most))",
                    at: 0)
            }
            if !state.isActive { facts.append("inactive") }
            Swift.print(
                "  \(name)\(padding)  \(state.value)  (\(facts.joined(separator: "; ")))")
        }
        if states.isEmpty { Swift.print("  no controls") }
    }
}
