// SPDX-License-Identifier: GPL-3.0-or-later

internal import Diagnostics
public import Capture
public import CommandProtocol
internal import Devices
internal import Health
internal import Photography

extension ControlVerbs {
    func answer(
        devices verb: String, _ arguments: [String: JSONValue]
    ) async throws -> [CameraControlState] {
        let camera = try await camera(arguments["camera"]?.stringValue)
        let controls = parts.camera.controls
        do {
            switch verb {
            case "devices.controls": return try await controls.states(camera)
            case "devices.set":
                guard case .object(let given)? = arguments["values"] else {
                    throw CommandError(
                        "request.invalid", "request: no values", exit: .usage)
                }
                var values: [CameraControl: CameraControlValue] = [:]
                for (name, value) in given {
                    values[try CameraControl(named: name)] = try value.decoded()
                }
                try parts.camera.refuseDuringBracket()
                return try await controls.set(camera, values)
            case "devices.reset":
                let names: [String] = try arguments["names"]?.decoded() ?? []
                try parts.camera.refuseDuringBracket()
                return try await controls.reset(
                    camera, names.map { try CameraControl(named: $0) })
            default:
                throw CommandError("verb.unknown", "unknown verb: \(verb)", exit: .usage)
            }
        } catch let error as CaptureError {
            throw CommandError(control: error)
        }
    }

    private func camera(_ name: String?) async throws -> CameraIdentity {
        let chosen = parts.board.camera.id
        if let name, name != chosen {
            throw CommandError(
                "camera.unknown", "camera \"\(name)\" is not used now",
                next: "Go over to it: vitrine devices use \(name)", exit: .usage)
        }
        guard let running = await parts.camera.session.running else {
            throw CommandError(
                "camera.missing", "the camera does not run", next: "See: vitrine status",
                exit: .temporary)
        }
        return running.identity
    }
}

extension CameraControl {
    /// Finds a control by its name, or throws a ``CommandError`` that lists the names.
    public init(named name: String) throws(CommandError) {
        guard let control = CameraControl(rawValue: name) else {
            throw CommandError(
                "control.unknown", "there is no control \"\(name)\"",
                next: "There is: " + Self.allCases.map(\.rawValue).joined(separator: ", "),
                exit: .usage)
        }
        self = control
    }
}

extension CommandError {
    /// Says why a control cannot be read or set.
    public init(control error: CaptureError) {
        let explanation = Explanation("\(error)", otherwise: "see: vitrine devices controls")
        let exit: ExitStatus =
            switch error.code {
            case .invalidConfiguration, .unsupported: .usage
            case .notPermitted: .notPermitted
            default: .temporary
            }
        self.init(
            "camera.control", explanation.reason, next: explanation.next ?? "", exit: exit)
    }
}
