// SPDX-License-Identifier: GPL-3.0-or-later

internal import Appliance
internal import ArgumentParser
internal import CommandProtocol

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "What this machine has, and how its cameras are set.",
        subcommands: [List.self, Controls.self, Set.self, Reset.self, Use.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cameras, displays, GPIO chips and keyboards that this machine has.")

        @Flag(help: "Print JSON: one object per line, nothing else.")
        var json = false

        func run() throws { try Devices.list(json: json) }
    }

    private static func list(json: Bool) throws {
        let devices = DeviceList.current()
        for device in devices {
            if json {
                print(try jsonLine(device))
                continue
            }
            let kind = [device.driver, device.deviceType, device.position].compactMap(\.self)
            print(
                "\(device.kind.padded(8)) \(device.path)  \(device.name)  [\(kind.joined(separator: ", "))]"
            )
            // As the configuration's `match` wants it.
            if device.kind == "camera", let bus = device.busPath {
                let serial = device.serial.map { "serial = \"\($0)\"  " } ?? ""
                print("         \(serial)path = \"\(bus)\"")
            }
            for detail in device.details { print("         \(detail)") }
        }
        if devices.isEmpty && !json { print("no devices") }
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
