// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Devices

struct Devices: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List this machine's devices, and set its cameras.",
        discussion: """
              vitrine devices
              vitrine devices set exposure=manual exposure_us=8000
            """,
        subcommands: [List.self, Controls.self, Set.self, Reset.self, Use.self],
        defaultSubcommand: List.self)

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List cameras, displays, GPIO chips, keyboards and microphones.",
            discussion: """
                  vitrine devices list --json

                The lines with a camera's serial and path can be copied into its match = { … } in \
                the configuration.
                """)

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
                .joined(separator: ", ")
            print("\(device.kind.padded(8)) \(device.path)  \(device.name)  [\(kind)]")
            // The line has the form of the configuration's `match`.
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
