// SPDX-License-Identifier: GPL-3.0-or-later

extension StatusReport {
    /// The state as OpenMetrics text (version 1.0.0), for a collector that reads a file or a
    /// command.
    public var openMetrics: String {
        var text = OpenMetricsText()
        text.family("vitrine", .info, "Version of the program, and name of the board.")
        text.sample("vitrine_info", 1, ["version": version, "board": board])
        text.family(
            "vitrine_uptime_seconds", .gauge, "Time since the appliance started.", unit: "seconds")
        text.sample("vitrine_uptime_seconds", uptimeSeconds)
        text.family("vitrine_health", .stateset, "Health: failed if no photos can be taken.")
        for word in ["ok", "degraded", "failed"] {
            text.sample("vitrine_health", word == health ? 1 : 0, ["vitrine_health": word])
        }
        text.family("vitrine_problem", .gauge, "Current problems, by code.")
        for problem in problems { text.sample("vitrine_problem", 1, ["code": problem.code]) }

        text.family("vitrine_camera_running", .gauge, "Whether the camera delivers frames.")
        text.sample("vitrine_camera_running", camera.state == "running" ? 1 : 0)
        text.counter(
            "vitrine_camera_frames", "Frames that the camera delivered.", camera.framesCaptured)
        text.family("vitrine_camera_frames_dropped", .counter, "Frames that were lost, by cause.")
        for (cause, count) in camera.framesDropped.sorted(by: { $0.key < $1.key }) {
            text.sample("vitrine_camera_frames_dropped_total", Double(count), ["cause": cause])
        }
        text.counter(
            "vitrine_camera_stream_restarts", "Stream restarts because no frame arrived.",
            camera.streamRestarts)
        text.counter("vitrine_preview_frames", "Frames on the screen.", preview.framesShown)
        if let secondDisplay {
            text.counter(
                "vitrine_second_display_frames", "Frames on the second display.",
                secondDisplay.framesShown)
        }
        if let latency = preview.latencyMilliseconds {
            text.family(
                "vitrine_preview_latency_seconds", .summary,
                "Time from a frame's timestamp to its page flip.",
                unit: "seconds")
            for (quantile, value) in [("0.5", latency.p50), ("0.99", latency.p99)] {
                text.sample(
                    "vitrine_preview_latency_seconds", value / 1000, ["quantile": quantile])
            }
        }
        if let recording {
            text.family("vitrine_recording_active", .gauge, "Whether a clip is being recorded.")
            text.sample("vitrine_recording_active", recording.active ? 1 : 0)
            text.counter(
                "vitrine_recording_frames", "Frames that were compressed.",
                recording.framesEncoded)
            text.family(
                "vitrine_recording_frames_dropped", .counter,
                "Frames that are missing in clips, by cause.")
            for (cause, count) in recording.framesDropped.sorted(by: { $0.key < $1.key }) {
                text.sample(
                    "vitrine_recording_frames_dropped_total", Double(count), ["cause": cause])
            }
        }
        if let microphone = recording?.microphone {
            text.family(
                "vitrine_microphone_level_decibels", .gauge, "Peak level, below full scale.",
                unit: "decibels")
            text.sample("vitrine_microphone_level_decibels", microphone.levelDecibels)
            text.counter(
                "vitrine_microphone_overruns", "Number of times samples were lost.",
                microphone.overruns)
        }
        text.family("vitrine_button_presses", .counter, "Presses, by button.")
        for button in buttons {
            text.sample(
                "vitrine_button_presses_total", Double(button.presses), ["button": button.name])
        }
        text.family(
            "vitrine_button_working", .gauge, "Whether the button works, by button.")
        for button in buttons {
            let works = ["ready", "pressed"].contains(button.state)
            text.sample("vitrine_button_working", works ? 1 : 0, ["button": button.name])
        }
        text.family("vitrine_library_assets", .gauge, "Assets in the library, by type.")
        text.sample("vitrine_library_assets", Double(library.photos), ["type": "photo"])
        text.sample("vitrine_library_assets", Double(library.videos), ["type": "video"])
        text.family("vitrine_library_bytes", .gauge, "Size of the originals.", unit: "bytes")
        text.sample("vitrine_library_bytes", Double(library.bytes))
        text.family(
            "vitrine_library_free_bytes", .gauge, "Free space on the library's file system.",
            unit: "bytes")
        text.sample("vitrine_library_free_bytes", Double(library.freeBytes))
        if let sync {
            text.family("vitrine_sync_state", .stateset, "State of the copies at a remote.")
            for word in Sync.states {
                text.sample(
                    "vitrine_sync_state", word == sync.state ? 1 : 0,
                    ["vitrine_sync_state": word])
            }
            text.family("vitrine_sync_pending_assets", .gauge, "Assets that no remote has.")
            text.sample("vitrine_sync_pending_assets", Double(sync.pending))
            text.family(
                "vitrine_sync_pending_bytes", .gauge, "Size of these assets.", unit: "bytes")
            text.sample("vitrine_sync_pending_bytes", Double(sync.bytesPending))
            text.family(
                "vitrine_sync_oldest_pending_seconds", .gauge, "How long the oldest has waited.",
                unit: "seconds")
            text.sample(
                "vitrine_sync_oldest_pending_seconds", Double(sync.oldestPendingSeconds ?? 0))
        }
        text.family("vitrine_clock_synchronized", .gauge, "Whether the clock is synchronized.")
        text.sample("vitrine_clock_synchronized", clock.synchronized ? 1 : 0)
        return text.finished
    }
}

extension StatusReport.Sync {
    fileprivate static let states = [
        "off", "stopped", "idle", "waiting", "sending", "paused", "outsideWindow", "offline",
        "waitingForDisk", "failing",
    ]
}

struct OpenMetricsText {
    enum Kind: String {
        case counter, gauge, info, stateset, summary
    }
    private var text = ""

    /// The text with the end mark that OpenMetrics requires.
    var finished: String { text + "# EOF\n" }

    mutating func family(_ name: String, _ kind: Kind, _ help: String, unit: String? = nil) {
        text += "# TYPE \(name) \(kind.rawValue)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped(help))\n"
    }

    mutating func sample(_ name: String, _ value: Double, _ labels: [String: String] = [:]) {
        let pairs = labels.sorted { $0.key < $1.key }
            .map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
        let list = pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        let isWhole = value == value.rounded() && abs(value) < 1e15
        text += "\(name)\(list) \(isWhole ? String(Int64(value)) : String(value))\n"
    }

    mutating func counter(_ name: String, _ help: String, _ count: Int) {
        family(name, .counter, help)
        sample(name + "_total", Double(count))
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
