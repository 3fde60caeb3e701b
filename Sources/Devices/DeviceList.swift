// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Controls
internal import DRM
internal import GPIO
internal import Input
internal import LinuxIO

/// Lists the devices of this machine.
public struct DeviceList {
    /// One device. If it cannot be opened, its details say why.
    public struct Device: Sendable, Codable {
        /// The kind: camera, display, gpio, keyboard or microphone.
        public var kind: String
        /// The device file, for a display its card's; a microphone's name in the configuration.
        public var path: String
        /// The device's or driver's own name; for a display the connector, for example `HDMI-A-1`.
        /// "cannot be opened" if opening failed.
        public var name: String
        /// The kernel driver, a chip's kernel name, or `evdev`; empty if opening failed.
        public var driver: String
        /// How a camera is connected: `usb`, `csi`, `hdmiBridge` or `simulated`.
        public var deviceType: String?
        /// The direction in which a camera looks, from its driver: `front`, `back`, else
        /// `external`.
        public var position: String?
        /// The serial number for the configuration's `match`; `nil` if there is none.
        public var serial: String?
        /// The bus path for `path` in the configuration's `match`; `nil` for displays and chips,
        /// empty if unknown.
        public var busPath: String?
        /// The formats, modes, lines or keys; or why opening failed.
        public var details: [String]
        /// `true` if this user may not open it; else `nil`.
        public var isDenied: Bool?
    }

    /// All devices now, cameras first.
    public static func current() -> [Device] {
        cameras() + displays() + chips() + keyboards() + microphones()
    }

    private static func cameras() -> [Device] {
        let found = CaptureDevice.DiscoverySession()
        return found.cameras.map { camera in
            let identity = camera.identity
            return Device(
                kind: "camera", path: identity.path, name: identity.name, driver: identity.driver,
                deviceType: identity.deviceType.rawValue, position: identity.position.rawValue,
                serial: identity.serial.isEmpty ? nil : identity.serial, busPath: identity.busPath,
                details: camera.formats.map(\.description))
        } + found.refusals.map { refused("camera", $0) }
    }

    private static func displays() -> [Device] {
        Card.paths().flatMap { path -> [Device] in
            do throws(SystemCallError) {
                let card = try Card(path: path)
                return try card.connectors().map { connector in
                    Device(
                        kind: "display", path: path, name: connector.name, driver: card.driver,
                        details: connector.isConnected
                            ? connector.modes.map(\.name) : ["disconnected"])
                }
            } catch {
                // A card without display hardware is not listed.
                return error.isGone || error.isUnsupported ? [] : [refused("display", error)]
            }
        }
    }

    private static func chips() -> [Device] {
        ((try? Chip.paths()) ?? []).map { path in
            do throws(SystemCallError) {
                let chip = try Chip(path: path)
                return Device(
                    kind: "gpio", path: path, name: chip.label, driver: chip.name,
                    details: try chip.lines().map { line in
                        "\(line.offset) \(line.name)"
                            + (line.isUsed ? " used by \(line.consumer)" : "")
                    })
            } catch {
                return refused("gpio", error)
            }
        }
    }

    private static func keyboards() -> [Device] {
        ((try? InputDescription.paths()) ?? []).compactMap { path in
            do throws(SystemCallError) {
                let device = try InputDescription(path: path)
                if device.keys.isEmpty { return nil }
                return Device(
                    kind: "keyboard", path: path, name: device.name, driver: "evdev",
                    serial: device.serial.isEmpty ? nil : device.serial,
                    busPath: device.physicalPath, details: ["\(device.keys.count) keys"])
            } catch {
                return refused("keyboard", error)
            }
        }
    }

    private static func microphones() -> [Device] {
        Microphone.devices.map { device in
            Device(
                kind: "microphone", path: device.id, name: device.name, driver: "alsa", details: [])
        }
    }

    private static func refused(_ kind: String, _ error: SystemCallError) -> Device {
        Device(
            kind: kind, path: error.path, name: "cannot be opened", driver: "",
            details: ["\(error)"], isDenied: error.isPermission ? true : nil)
    }
}
