// SPDX-License-Identifier: GPL-3.0-or-later

import Health
import TestSupport
import Testing

/// A folder with files like those of a board's `/sys`.
private struct SimulatedBoard {
    let folder: TemporaryFolder
    var sensors: BoardSensors { BoardSensors(root: folder.path) }

    init(_ files: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        for (path, text) in files { try folder.write(Array(text.utf8), to: "sys/\(path)") }
    }
}

@Suite("BoardSensors")
struct BoardSensorsTests {
    private let throttled = "devices/platform/soc/soc:firmware/get_throttled"

    @Test("a board without sensors has no findings")
    func nothing() throws {
        let board = try SimulatedBoard()
        #expect(board.sensors.celsius == nil && board.sensors.isUndervolted == nil)
        #expect(board.sensors.findings.isEmpty && board.sensors.history == nil)
    }

    @Test("the hottest zone is reported from 80 °C on")
    func heat() throws {
        for (text, isHot) in [("79999\n", false), ("80000\n", true), ("nonsense\n", false)] {
            let board = try SimulatedBoard([
                "class/thermal/thermal_zone0/temp": "41000\n",
                "class/thermal/thermal_zone1/temp": text,
                "class/thermal/cooling_device0/temp": "99000\n",
            ])
            #expect(board.sensors.findings.map(\.code) == (isHot ? ["board.hot"] : []), "\(text)")
        }
    }

    @Test("under-voltage is reported once, even if meter and firmware both report it")
    func supply() throws {
        let meter = ["class/hwmon/hwmon1/name": "rpi_volt\n", "class/hwmon/hwmon0/name": "cpu\n"]
        for (alarm, bits, isWeak) in [("0", "0", false), ("1", "0", true), ("1", "1", true)] {
            let board = try SimulatedBoard(
                meter.merging([
                    "class/hwmon/hwmon1/in0_lcrit_alarm": "\(alarm)\n", throttled: "\(bits)\n",
                ]) { $1 })
            #expect(
                board.sensors.findings.map(\.code) == (isWeak ? ["board.undervoltage"] : []))
        }
    }

    @Test("a present condition of the firmware is a finding, a past one is history")
    func firmware() throws {
        let now = try SimulatedBoard([throttled: "4\n"])
        #expect(now.sensors.findings.map(\.code) == ["board.throttled"])
        #expect(now.sensors.history == nil)
        let past = try SimulatedBoard([throttled: "50000\n"])
        #expect(past.sensors.findings.isEmpty)
        #expect(past.sensors.history == "under-voltage, throttling")
    }
}
