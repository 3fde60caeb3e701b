// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Controls
internal import DRM
internal import GPIO
internal import Input
internal import LinuxIO

/// What is plugged into this machine.
public struct DeviceList {
    /// One device; what cannot be opened says so in its details.
    public struct Device: Sendable, Codable {
        /// camera, display, gpio, keyboard or microphone.
        public var kind: String
        /// The device file; of a display, its card's; of a microphone, what names it in the configuration.
        public var path: String
        /// What it or its driver calls itself; of a display the connector, for example `HDMI-A-1`.
        /// Of what cannot be opened, that.
        public var name: String
        /// The kernel driver, a chip's kernel name, or `evdev`; empty where it cannot be opened.
        public var driver: String
        /// Of a camera how it is connected: `usb`, `csi`, `hdmiBridge` or `simulated`.
        public var deviceType: String?
        /// Of a camera which way it looks, as its driver says: `front`, `back`, else `external`.
        public var position: String?
        /// Of a camera what to write into the configuration's `match`; `nil` where it has none.
        public var serial: String?
        /// Where it is plugged in: `path` there. `nil` for displays and chips; empty when unknown.
        public var busPath: String?
        /// Formats, modes, lines or keys; of what cannot be opened, why.
        public var details: [String]
        /// Whether this user may not open it; only there when so.
        public var isDenied: Bool?
    }

    /// Everything that is there now, cameras first.
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
                // A card without display hardware is none.
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
