// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

/// Tests of the program on the host board, through its command line as a person would use it.
@Suite("Host board", .serialized, .ownThread, .timeLimit(.common))
struct HostBoardTests {
    private let board: RunningBoard

    init() throws { board = try RunningBoard() }

    @Test("a press becomes a photo that external tools accept")
    func photo() throws {
        try board.start()
        let answer = try board.json("press", "shutter", "--wait")
        let asset = try #require(answer.first)
        #expect(asset["width"] as? Int == 1280)
        #expect(asset["mediaType"] as? String == "photo")
        let offset = try #require(asset["shutterOffsetMicroseconds"] as? Int)
        // A frame that is farther away makes no photo.
        #expect(abs(offset) <= 1_000_000)
        _ = try board.run("library", "export", board.path("out"))
        let file = board.path("out/" + (asset["fileName"] as? String ?? ""))
        #expect(try Program.run("jpeginfo", ["-c", file]).output.contains("OK"))
        let tags = try Program.run("exiftool", ["-validate", "-warning", "-a", "-s", file])
        #expect(tags.output.contains("Validate") && tags.output.contains(": OK"))
        let sum = try Program.run("sha256sum", [file]).output.prefix(64)
        #expect(String(sum) == asset["sha256"] as? String)
        try board.stop()
    }

    @Test("a burst by command prints its photos in order; lists show its representative")
    func burst() throws {
        try board.start()
        let before = try board.framesDroppedByDriver()
        let photos = try board.json("capture", "burst", "--count", "6")
        let dropped = try board.framesDroppedByDriver() - before
        let frames = photos.compactMap { $0["frameSequence"] as? Int }
        #expect(frames.count == 6 && frames == Set(frames).sorted())
        // Only frames that the camera dropped are missing.
        #expect((frames.last ?? 0) - (frames.first ?? 0) - 5 <= dropped, "\(frames)")
        #expect(Set(photos.compactMap { $0["burstId"] as? String }).count == 1)
        let standing = photos.filter { $0["representsBurst"] as? Bool == true }
        #expect(standing.count == 1)
        let listed = try board.json("library", "list")
        #expect(
            listed.compactMap { $0["id"] as? String } == standing.compactMap { $0["id"] as? String }
        )
        let other = try #require(photos.first { $0["representsBurst"] == nil }?["id"] as? String)
        _ = try board.run("library", "represent", other)
        #expect(try board.json("library", "list").first?["id"] as? String == other)
        #expect(try board.attempt("capture", "burst", "--count", "1").status == 64)
        // The simulated camera has no exposure control.
        let refused = try board.attempt("capture", "bracket")
        #expect(refused.status == 69 && refused.errors.contains("has no controls"))
        #expect(try board.attempt("capture", "bracket", "--ev", "-2").status == 64)
        try board.stop()
    }

    @Test("status names every part of the appliance")
    func status() throws {
        try board.start()
        let status = try #require(try board.json("status").first)
        for key in [
            "version", "board", "state", "uptimeSeconds", "health", "problems", "camera", "preview",
            "buttons", "library", "clock",
        ] {
            #expect(status[key] != nil, "\(key)")
        }
        #expect(status["health"] as? String == "ok")
        let preview = try #require(status["preview"] as? [String: Any])
        #expect(preview["path"] as? String == "exported")
        try board.stop()
    }

    @Test("systemd is told that the appliance is ready, alive and stopping")
    func serviceManager() throws {
        let systemd = try NotifySocket(path: board.path("notify"))
        try board.start(environment: [
            "NOTIFY_SOCKET": board.path("notify"), "WATCHDOG_USEC": "400000",
        ])
        try systemd.wait(for: "READY=1")
        try systemd.wait(for: "WATCHDOG=1", count: 5)
        try board.stop()
        try systemd.wait(for: "STOPPING=1")
        #expect(systemd.heard.first == "READY=1" || systemd.heard.first == "WATCHDOG=1")
    }

    @Test("a screenshot is a PNG of the screen's size")
    func screenshot() throws {
        try board.start()
        _ = try board.run("screenshot", board.path("screen.png"))
        #expect(
            try Program.run("file", [board.path("screen.png")]).output.contains(
                "PNG image data, 1280 x 720"))
        let threads = try board.shell(
            "cat /proc/\(try #require(board.appliance).identifier)/task/*/comm")
        #expect(
            threads.output.split(separator: "\n").contains("screenshot"),
            "the file is made on a thread of its own")
        try board.stop()
    }

    @Test("the number in a photo or on the mirrored screen is that of its frame")
    func burntInNumbers() throws {
        try board.start()
        var last = 0
        for index in 1...5 {
            let screen = board.path("\(index).png")
            var shown = 0
            try board.waitUntil {
                _ = try board.run("screenshot", screen)
                shown = try #require(try FrameNumber.read(screen, isMirrored: true))
                return shown > last
            }
            #expect(try FrameNumber.read(screen, isMirrored: false) == nil, "a control")
            let asset = try #require(try board.json("press", "shutter", "--wait").first)
            _ = try board.run("library", "export", board.path("out"))
            let file = board.path("out/" + (asset["fileName"] as? String ?? ""))
            let taken = try #require(try FrameNumber.read(file, isMirrored: false))
            #expect(taken == asset["frameSequence"] as? Int)
            #expect(shown <= taken)
            last = taken
        }
        try board.stop()
    }

    @Test("a second display shows the camera's picture unmirrored, unlike the first")
    func secondDisplay() throws {
        try board.start()
        #expect(try board.attempt("screenshot", "--second", board.path("none.png")).status == 64)
        try board.stop()
        try board.write(more: "[second_display]\nconnector = \"memory\"\nmode = \"1280x720\"")
        try board.start()
        var shown: [String: Any] = [:]
        try board.waitUntil {
            shown = try board.json("status").first?["secondDisplay"] as? [String: Any] ?? [:]
            return (shown["framesShown"] as? Int ?? 0) > 2
        }
        #expect(shown["mode"] as? String == "1280x720@60" && shown["path"] as? String == "exported")
        let (first, second) = (board.path("first.png"), board.path("second.png"))
        _ = try board.run("screenshot", first)
        _ = try board.run("screenshot", "--second", second)
        #expect(try board.run("status").contains("second   Virtual-1 1280x720@60 exported"))
        #expect(
            try board.run("status", "--metrics").contains("vitrine_second_display_frames_total"))
        #expect(try board.attempt("doctor").text.contains("second display"))
        #expect(try FrameNumber.read(second, isMirrored: false) != nil)
        #expect(try FrameNumber.read(first, isMirrored: true) != nil)
        try board.stop()
    }

    @Test("a library held by another process is a problem, and is opened once it is free")
    func busyLibrary() throws {
        try board.start()
        let second = try RunningBoard()
        try second.write(library: board.path("library"))
        try second.start()
        let status = try #require(try second.json("status").first)
        let problems = status["problems"] as? [[String: Any]] ?? []
        let codes = problems.compactMap { $0["code"] as? String }
        #expect(codes.filter { $0.hasPrefix("library.") } == ["library.busy"])
        let press = try second.attempt("press", "shutter", "--wait")
        #expect(press.status == 75)
        #expect(press.errors.contains("; next: "))
        #expect(press.errors.split(separator: "\n").count == 1)
        try board.stop()
        try second.waitUntil {
            try second.json("status").first?["health"] as? String == "ok"
        }
        #expect(try second.json("press", "shutter", "--wait").count == 1)
        try second.stop()
    }

    @Test("thirty presses are thirty photos, in order")
    func thirtyPresses() throws {
        try board.start()
        for number in 1...30 {
            _ = try board.run("press", "shutter")
            // More than 18 unsaved photos would be refused.
            try board.waitUntil { try board.json("library", "list").count >= number - 10 }
        }
        try board.waitUntil { try board.json("library", "list").count == 30 }
        let sequences = try board.json("library", "list").compactMap { $0["sequence"] as? Int }
        #expect(sequences == Array(1...30))
        try board.stop()
        #expect(try board.json("library", "list").count == 30, "read again without the appliance")
    }

    @Test("stopping the appliance cancels a countdown, and the waiting command is told")
    func stopsInCountdown() throws {
        try board.write(countdown: 30)
        try board.start()
        let press = try ChildProcess(
            board.program.path, ["press", "shutter", "--wait"], environment: board.environment,
            output: "/dev/null", errors: board.path("answer"))
        try board.waitUntil { try board.json("status").first?["state"] as? String == "countdown" }
        try board.stop()
        #expect(press.wait() == 75)
        let answer = try String(contentsOfFile: board.path("answer"), encoding: .utf8)
        #expect(answer.contains("the countdown was cancelled"))
    }

    @Test("`capture photo` works without an appliance, and ends with 75 without a camera")
    func alone() throws {
        #expect(try board.json("capture", "photo", "--config", board.configuration).count == 1)
        try board.write(camera: "match = { driver = \"uvcvideo\" }")
        let refused = try board.attempt("capture", "photo", "--config", board.configuration)
        #expect(refused.status == 75)
        #expect(refused.errors.contains("no camera"))
        try board.write(camera: "match = { driver = \"simulated\" }\npixel_format = \"YUYV\"")
        let unsupported = try board.attempt("capture", "photo", "--config", board.configuration)
        #expect(unsupported.status == 75)
        #expect(unsupported.errors.contains("has no format for the configuration"))
        try board.write(preset: "3840x2160")
        let fallback = try board.json("capture", "photo", "--config", board.configuration)
        #expect(fallback.first?["width"] as? Int == 1920, "as \"high\", the nearest that it has")
    }

    @Test("`capture photo` makes no library without a camera, and reports a missing flash")
    func aloneWithout() throws {
        try board.write(camera: "match = { driver = \"uvcvideo\" }")
        let refused = try board.attempt("capture", "photo", "--config", board.configuration)
        #expect(refused.status == 75)
        #expect(!FileManager.default.fileExists(atPath: board.path("library")))
        try board.write()
        let text = try String(contentsOfFile: board.configuration, encoding: .utf8)
        try "flash.line = \"nobody:1\"\n\(text)".write(
            toFile: board.configuration, atomically: true, encoding: .utf8)
        let dark = try board.attempt("capture", "photo", "--config", board.configuration)
        #expect(dark.status == 0)
        #expect(dark.errors.contains("no flash: ") && dark.errors.contains("; next: "))
    }

    @Test("wrong usage, files and configurations have their exit status and a next step")
    func exitStatus() throws {
        #expect(try board.attempt("dance").status == 64)
        let offline = try board.attempt("status")
        #expect(offline.status == 69 && offline.errors.contains("vitrine run"))
        let missing = try board.attempt("config", "check", "/nonexistent")
        #expect(missing.status == 66 && missing.errors.contains("next: Name a file"))
        let alone = try board.attempt("capture", "photo", "--config", "/nonexistent")
        #expect(alone.status == 66 && alone.errors.contains("next: Name a file"))
        #expect(try board.attempt("config", "check", "/nonexistent", "--json").status == 66)
        try board.write(camera: "qualty = 3")
        let unknown = try board.attempt("config", "check", board.configuration)
        #expect(unknown.status == 78 && unknown.errors.contains("qualty"))
        #expect(try board.attempt("run", "--config", board.configuration).status == 78)
        try board.write()
        try board.start()
        let photo = try board.attempt("library", "show", "ffffffff")
        #expect(photo.status == 66 && photo.errors.contains("next: See: vitrine library list"))
        let picture = try board.attempt("screenshot", "/nonexistent/screen.png")
        #expect(picture.status == 74)
        #expect(picture.errors.contains("No such file or directory; next: Name a file"))
        #expect(try board.attempt("press", "nobody").status == 64)
        let second = try board.attempt("run", "--config", board.configuration)
        #expect(second.status == 75)
        try board.stop()
    }

    @Test("a configuration that may not be read ends with 77")
    func unreadable() throws {
        // Root without its capabilities reads only its own files.
        let takesRights =
            getuid() == 0 ? "chown 65534 FILE && setpriv --bounding-set=-all" : "chmod 0 FILE &&"
        let script = "chmod 600 FILE && \(takesRights) \(board.command("config", "check")) FILE"
        let result = try board.shell(
            script.replacingOccurrences(of: "FILE", with: board.configuration))
        #expect(result.status == 77, "\(result.errors)")
    }

    @Test("a press that takes no photo reports the reason")
    func noPhoto() throws {
        try board.start()
        let ignored = try board.attempt("press", "back", "--wait")
        #expect(ignored.status == 75)
        #expect(ignored.errors.contains("nothing to do"))
        let answer = try board.attempt("press", "back", "--wait", "--json")
        #expect(answer.status == 75)
        #expect(answer.output == "{\"accepted\":false}\n")
        try board.stop()
    }

    @Test("a press while the appliance stops is performed or refused, never lost silently")
    func pressAtStop() throws {
        try board.start()
        // The presses and SIGTERM are waiting when the process continues.
        let script = """
            kill -STOP \(try #require(board.appliance).identifier)
            for n in 1 2 3 4 5 6 7 8; do
                (\(board.command("press", "shutter", "--json")); echo "ended $?") & done
            sleep 0.5
            kill -TERM \(try #require(board.appliance).identifier)
            kill -CONT \(try #require(board.appliance).identifier)
            wait
            """
        let result = try board.shell(script)
        try board.waitForEnd()
        let lines = result.output.split(separator: "\n")
        #expect(!lines.contains("{\"accepted\":false}"))
        let ends = lines.filter { $0.hasPrefix("ended") }
        #expect(ends.count == 8)
        #expect(ends.allSatisfy { ["ended 0", "ended 69", "ended 75"].contains($0) }, "\(ends)")
        #expect(
            lines.filter { $0 == "{\"accepted\":true}" }.count
                == ends.filter { $0 == "ended 0" }.count)
    }

    @Test("SIGHUP with an unchanged or invalid file changes nothing and is logged")
    func hangUp() throws {
        try board.start()
        let process = try #require(board.appliance).identifier
        func log() throws -> String {
            try String(contentsOfFile: board.path("log"), encoding: .utf8)
        }
        Glibc.kill(process, SIGHUP)
        try board.waitUntil { try log().contains("the file has not changed") }
        try board.write(camera: "qualty = 3")
        Glibc.kill(process, SIGHUP)
        try board.waitUntil { try log().contains("qualty") }
        #expect(try board.json("capture", "photo").count == 1)
        try board.stop()
    }

    @Test("a user's library stays the user's when root works with it")
    func root() throws {
        let library = board.path("library")
        // An ordinary user cannot make files of another user.
        let isRoot = getuid() == 0
        try FileManager.default.createDirectory(
            atPath: library, withIntermediateDirectories: false)
        let owner = isRoot ? 65534 : getuid()
        if isRoot { #expect(unsafe chown(library, owner, owner) == 0) }
        _ = try board.run("capture", "photo", "--config", board.configuration)
        _ = try board.run("library", "list")
        _ = try board.run("library", "show", "1")
        #expect(try board.run("library", "export", board.path("out")).contains("1 exported"))
        let strangers = try Program.run("find", [library, "!", "-uid", "\(owner)"])
        #expect(strangers.output == "")
        #expect(try Program.run("find", [library, "-name", "*.jpg"]).output != "")
        let copies = try Program.run("find", [board.path("out"), "!", "-uid", "\(getuid())"])
        #expect(copies.output == "", "an export is the caller's")
    }

    @Test("a table has columns on a terminal and tabs in a pipe")
    func table() throws {
        _ = try board.run("capture", "photo", "--config", board.configuration)
        let piped = try board.run("library", "list")
        #expect(piped.split(separator: "\t").count == 6)
        #expect(piped.hasPrefix("1\t"))
        let list = board.command("library", "list", "--config", board.configuration)
        let shown = try board.shell("script -qec 'stty cols 120 rows 24; \(list)' /dev/null").output
        let lines = shown.split(whereSeparator: \.isNewline)
        #expect(lines.count == 2)
        #expect(lines.first?.contains("taken") == true)
        #expect(!shown.contains("\t"))
        // Each heading is above its column.
        let heading = try #require(lines.first)
        let place = try #require(heading.range(of: "file")).lowerBound
        let name = try #require(piped.split(separator: "\t").last?.dropLast())
        let column = heading.distance(from: heading.startIndex, to: place)
        #expect(lines.last?.dropFirst(column) == name)
        let show = board.command("library", "show", "1", "--config", board.configuration)
        let details = try board.shell("script -qec '\(show)' /dev/null").output
        #expect(details.contains("id:" + String(repeating: " ", count: 24)))
        #expect(try board.run("library", "show", "1").contains("\nid: "))
    }

    @Test("kill -9 loses nothing that was reported as saved", arguments: 1...5)
    func kill(_ round: Int) throws {
        try board.start()
        var saved: [String] = []
        for _ in 0..<round {
            let asset = try board.json("press", "shutter", "--wait").first
            saved.append(asset?["sha256"] as? String ?? "")
        }
        _ = try board.attempt("press", "shutter")
        board.kill()
        try board.start()
        let present = try board.json("library", "list").compactMap { $0["sha256"] as? String }
        #expect(Set(saved).isSubset(of: present))
        try board.stop()
    }

    @Test(
        "output that cannot be written ends with 74",
        arguments: ["--version", "config check FILE", "capture photo --config FILE", "status"])
    func fullOutput(verb: String) throws {
        if verb == "status" { try board.start() }
        let words = verb.replacingOccurrences(of: "FILE", with: board.configuration)
        let result = try board.shell("\(board.command(words)) >/dev/full")
        #expect(result.status == 74)
        #expect(result.errors.contains("standard output cannot be written: No space left"))
        let complaints = result.errors.split(separator: "\n").filter { $0.hasPrefix("vitrine: ") }
        #expect(complaints.count == 1, "\(result.errors)")
        if verb == "status" { try board.stop() }
    }

    @Test("`run --json` prints one line when it answers, and nothing else")
    func readyLine() throws {
        let run = board.command("run", "--config", board.configuration, "--json")
        let script = """
            cd \(board.path("")) && mkfifo ready || exit
            \(run) >ready 2>log & process=$!
            exec 3<ready; read -r line <&3; echo "$line"
            \(board.command("status")) >/dev/null && echo answers
            kill $process; cat <&3; wait $process; echo "ended $?"
            """
        let lines = try board.shell(script).output.split(separator: "\n")
        try #require(lines.count == 3, "\(lines)")
        let ready = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: String])
        #expect(ready.keys.sorted() == ["board", "socket", "version"])
        #expect(ready["socket"] == board.path("control.sock"))
        #expect(ready["board"] == "host")
        #expect(lines.dropFirst().map(String.init) == ["answers", "ended 0"])
    }

    @Test("completions are generated for the shells, and bash uses them")
    func completions() throws {
        for shell in ["bash", "zsh", "fish"] {
            #expect(
                try board.run("--generate-completion-script", shell).contains("screenshot"),
                "\(shell)")
        }
        // The script is loaded as bash-completion loads it, and a word is completed.
        let folder = board.program.deletingLastPathComponent().path
        let repository = URL(filePath: #filePath).appending(path: "../../..").standardized.path
        let typed = try Program.run(
            "/bin/bash",
            [
                "-c",
                """
                source '\(repository)/rootfs-overlay/usr/share/bash-completion/completions/vitrine'
                COMP_WORDS=(vitrine capt) COMP_CWORD=1 COMP_LINE='vitrine capt' COMP_POINT=12
                $(complete -p vitrine | sed 's/.*-F \\([^ ]*\\) .*/\\1/') vitrine capt vitrine
                echo "${COMPREPLY[@]}"
                """,
            ], environment: ["PATH": "\(folder):/usr/bin:/bin"])
        #expect(typed.output.split(separator: "\n") == ["capture"], "\(typed.errors)")
    }
}
