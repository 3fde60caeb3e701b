// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Diagnostics
internal import Library
internal import LibraryService
internal import Settings
internal import Sync

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check everything that the kiosk needs, and name the next steps.",
        discussion: """
              vitrine doctor

            A remote of [sync] is tried with a small object, which is written, read back and \
            deleted. The exit status is 0 if photos can be taken, and 75 if not.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var client: ClientOptions

    func run() async throws {
        var findings: [Doctor.Finding] = []
        let status = try status()
        let doctor: Doctor
        var settings = Settings()
        do throws(SettingsError) {
            settings = try configuration.load()
            doctor = Doctor(settings)
        } catch {
            let problem = error.problems.first.map { "\($0)" } ?? "\(error)"
            // A running appliance that takes photos uses the last good configuration.
            let takesPhotos = status.map { $0.health != "failed" } ?? false
            findings.append(
                finding(
                    "configuration", takesPhotos ? .warning : .failure, problem,
                    "See: vitrine config docs"))
            doctor = Doctor(Settings())
        }
        if let status {
            findings += judge(status)
        } else {
            findings.append(
                finding(
                    "appliance", .warning, "not running",
                    "Start it: sudo systemctl enable --now vitrine"))
            findings += doctor.devices()
        }
        findings += doctor.surroundings(besides: status?.camera.id)
        if !settings.sync.remote.isEmpty { findings.append(await remote(settings.sync)) }
        for finding in findings { print(try client.json ? jsonLine(finding) : line(finding)) }
        if findings.contains(where: { $0.state == .failure }) {
            throw ExitCode(ExitStatus.temporary.rawValue)
        }
    }

    /// Tries the remote.
    private func remote(_ settings: SyncSettings) async -> Doctor.Finding {
        guard let remote = SyncRemote(settings) else {
            return finding(
                "remote", .warning, "this machine has no id",
                "Name the kiosk in the configuration: [sync] device_id = \"entrance\"")
        }
        let rclone = Rclone(settings, remote, configuration: settings.rcloneConfiguration)
        do throws(SyncFailure) {
            let probe = try await SyncProbe(
                rclone: rclone, remote: remote, records: recordFolder()
            ).run()
            let seconds = (probe.seconds * 10).rounded() / 10
            return finding(
                "remote", .ok,
                "\(settings.remote) keeps what is written (\(seconds) s); copies are proven by "
                    + (probe.hasHashes ? "its hashes" : "reading them back"), "")
        } catch {
            return finding(
                "remote", .warning, "\(error.code): \(oneLine(error.message))", error.next)
        }
    }

    private func status() throws -> StatusReport? {
        do {
            return try client.request("status", as: StatusReport.self)
        } catch let error as CommandError where error.isNobody {
            return nil
        }
    }

    private func judge(_ status: StatusReport) -> [Doctor.Finding] {
        var findings = [
            finding(
                "appliance", status.health == "ok" ? .ok : .warning,
                "\(status.health), up \(Int(status.uptimeSeconds)) s",
                status.health == "ok" ? "" : "See: vitrine status")
        ]
        let prefixes = [
            ("camera", "camera."), ("display", "display."),
            ("second display", "second_display."), ("buttons", "button."),
            ("lamps", "lamp."), ("library", "library."), ("configuration", "configuration."),
            ("recording", "recording."), ("recording", "microphone."),
        ]
        for (check, prefix) in prefixes
        where check != "second display" || status.secondDisplay != nil {
            let problems = status.problems.filter { $0.code.hasPrefix(prefix) }
            for problem in problems {
                // Lost photos do not prevent new ones.
                let failed =
                    status.health == "failed" && ["camera", "library"].contains(check)
                    && !["library.incomplete", "library.restored"].contains(problem.code)
                findings.append(
                    Doctor.Finding(
                        check: check, state: failed ? .failure : .warning,
                        problem: "\(problem.code): \(problem.message)",
                        otherwise: "See the log: vitrine logs"))
            }
            if problems.isEmpty, !["lamps", "configuration", "recording"].contains(check) {
                findings.append(finding(check, .ok, fact(check, status), ""))
            }
        }
        return findings + [status.recording.flatMap(Doctor.encoder)].compactMap(\.self)
    }

    private func fact(_ check: String, _ status: StatusReport) -> String {
        switch check {
        case "camera": "\(status.camera.name), \(status.camera.framesCaptured) frames"
        case "display":
            fact(status.preview)
        case "second display": status.secondDisplay.map(fact) ?? ""
        case "buttons": status.buttons.map(\.name).joined(separator: ", ")
        default:
            "\(status.library.photos) photos, \(status.library.freeBytes / 1_000_000) MB free"
        }
    }

    private func fact(_ preview: StatusReport.Preview) -> String {
        "\(preview.connector) \(preview.mode), \(preview.framesShown) shown"
    }

    private func finding(
        _ check: String, _ state: Doctor.Finding.State, _ message: String, _ next: String
    ) -> Doctor.Finding {
        Doctor.Finding(check: check, state: state, message: message, next: next)
    }

    private func line(_ finding: Doctor.Finding) -> String {
        let sign =
            switch finding.state {
            case .ok: "ok  "
            case .warning: "WARN"
            case .failure: "FAIL"
            }
        let next = finding.next.isEmpty ? "" : "\n                   \(finding.next)"
        let name = finding.check + String(repeating: " ", count: max(0, 13 - finding.check.count))
        return "\(sign) \(name) \(finding.message)\(next)"
    }
}
