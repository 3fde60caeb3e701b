// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Foundation
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of `vitrine library`, with a running appliance and without.
    @Suite("library", .timeLimit(.common))
    struct LibraryCommandTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        private func sequences(_ arguments: String...) throws -> [Int] {
            try board.json(["library", "list"] + arguments).compactMap { $0["sequence"] as? Int }
        }

        @Test("a long list comes in pages, with and without an appliance")
        func pages() throws {
            try board.ingest(620)
            for isRunning in [true, false] {
                if isRunning {
                    try board.start()
                    let page = try ControlClient(paths: [board.path("control.sock")]).request(
                        "library.list", ["limit": .integer(100_000)], as: [JSONValue].self)
                    #expect(page.count == 500, "at the most so many an answer")
                }
                #expect(try sequences() == Array(1...620))
                #expect(try sequences("--newest-first") == (1...620).reversed())
                #expect(try sequences("--after", "90", "--limit", "510") == Array(91...600))
                #expect(try sequences("--newest-first", "--after", "600") == (1...599).reversed())
                #expect(try sequences("--limit", "0") == [])
                if isRunning { try board.stop() }
            }
        }

        @Test("a list that is read slowly does not hold the library")
        func slowReader() throws {
            try board.ingest(1500)
            let list = board.command("library", "list", "--config", board.configuration)
            let result = try board.shell(
                """
                \(list) | { read -r first; flock -w 300 \(board.path("library"))/lock true
                echo "free $?"; wc -l; }
                """)
            #expect(result.output.contains("free 0"), "\(result.output) \(result.errors)")
            // These are the lines after the first.
            #expect(result.output.contains("1499"))
        }

        @Test("a negative number is a usage error", arguments: ["--limit=-3", "--after=-1"])
        func negative(option: String) throws {
            try board.ingest(1)
            let result = try board.attempt("library", "list", option)
            #expect(result.status == 64)
            #expect(result.errors.contains("allowed: 0 and above"))
            #expect(result.output == "")
        }

        @Test("a list is filtered, sorted and counted, with and without an appliance")
        func selection() throws {
            try board.ingest(30)
            _ = try board.shell(
                """
                sqlite3 \(board.path("library"))/library.sqlite "
                UPDATE asset SET favorite = 1, bytes = 1000 - sequence WHERE sequence % 3 = 0;
                UPDATE asset SET hidden = 1 WHERE sequence = 6;
                UPDATE asset SET deleted_at = 1 WHERE sequence = 9;
                UPDATE asset SET caption = 'Gärten im Mai', media_type = 'video' WHERE sequence = 12;
                INSERT INTO asset_keyword VALUES ('mai', 12, 'Mai'), ('mai', 13, 'mai');"
                """)
            for isRunning in [true, false] {
                if isRunning { try board.start() }
                #expect(
                    try sequences("--favorite") == [3, 12, 15, 18, 21, 24, 27, 30])
                #expect(
                    try sequences("--favorite", "--sort", "bytes", "--limit", "2") == [30, 27])
                #expect(
                    try sequences("--favorite", "--sort", "bytes:desc", "--limit", "2") == [3, 12])
                #expect(try sequences("--favorite", "--hidden", "--limit", "2") == [3, 6])
                #expect(try sequences("--deleted") == [9])
                #expect(try sequences("--keyword", "MAI") == [12, 13])
                #expect(try sequences("--keyword", "MAI", "--type", "photo") == [13])
                #expect(try sequences("--caption", "GÄRTEN") == [12])
                #expect(try sequences("--since", "2100-01-01") == [])
                #expect(try sequences("--until", "2100-01-01T10:00", "--limit", "1") == [1])
                // Times are printed in milliseconds and compared in nanoseconds.
                let visible = (1...30).filter { $0 != 6 && $0 != 9 }
                for order in ["createdAt", "addedAt:desc", "modifiedAt"] {
                    #expect(try sequences("--sort", order).sorted() == visible)
                }
                let count = try board.json(["library", "list", "--favorite", "--count"])
                #expect(count.count == 1 && count[0]["count"] as? Int == 8)
                if isRunning { try board.stop() }
            }
        }

        @Test("photos are marked, deleted, restored and purged, with and without an appliance")
        func changes() throws {
            try board.ingest(6)
            for isRunning in [true, false] {
                if isRunning { try board.start() }
                let show = try board.json(["library", "show", "2"])
                let id = try #require(show.first?["id"] as? String)
                let changed = try board.json(["library", "favorite", "1", id])[0]["changed"]
                #expect(changed as? Int == 2)
                #expect(try sequences("--favorite") == [1, 2])
                _ = try board.json(["library", "favorite", "--off", "1", "2"])
                _ = try board.json(["library", "hide", "3"])
                #expect(try sequences() == [1, 2, 4, 5, 6])
                _ = try board.json(["library", "hide", "--off", "3"])
                _ = try board.json(["library", "caption", "4", "--text", "Grüße"])
                #expect(try sequences("--caption", "GRÜSSE") == [])
                #expect(try sequences("--caption", "grüß") == [4])
                _ = try board.json(["library", "caption", "4"])
                _ = try board.json(["library", "keyword", "4", "5", "--add", "Fest"])
                #expect(try sequences("--keyword", "fest") == [4, 5])
                _ = try board.json(["library", "keyword", "4", "5", "--remove", "FEST"])
                _ = try board.json(["library", "delete", "4", "5"])
                #expect(try sequences() == [1, 2, 3, 6] && sequences("--deleted") == [4, 5])
                _ = try board.json(["library", "restore", "4", "5"])
                #expect(try sequences() == Array(1...6))
                if isRunning { try board.stop() }
            }
            _ = try board.json(["library", "delete", "6"])
            let path = try #require(try board.json(["library", "show", "6"])[0]["path"] as? String)
            let unasked = try board.attempt("library", "purge", "6")
            #expect(unasked.status == 64 && unasked.errors.contains("--yes"))
            #expect(FileManager.default.fileExists(atPath: path))
            _ = try board.json(["library", "purge", "--yes", "6"])
            #expect(!FileManager.default.fileExists(atPath: path))
            for (arguments, status, word) in [
                (["purge", "--yes", "1"], 64, "vitrine library delete"),
                (["favorite", "1", "77"], 66, "77"), (["favorite"], 64, "ids"),
                (["keyword", "1"], 64, "--add"), (["keyword", "1", "--add", " "], 64, "keyword"),
            ] as [([String], Int32, String)] {
                let result = try board.attempt(["library"] + arguments)
                #expect(result.status == status && result.errors.contains(word), "\(result.errors)")
            }
            #expect(try sequences("--favorite") == [])
        }

        @Test(
            "an unknown value is a usage error that names its option",
            arguments: [
                ["--sort", "size"], ["--type", "film"], ["--since", "yesterday"],
                ["--since", "200000d"], ["--until", "9999-12-31"],
                ["--sort", "bytes", "--newest-first"], ["--subtype", "hdr2"],
            ])
        func unknownSelection(arguments: [String]) throws {
            let result = try board.attempt(["library", "list"] + arguments)
            #expect(result.status == 64 && result.output == "")
            #expect(result.errors.contains(arguments[0]))
        }

        @Test("photos are rotated and cropped, exported either way, and reverted")
        func adjusted() throws {
            try board.start()
            defer { try? board.stop() }
            _ = try board.json(["press", "shutter", "--wait"])
            func adjustment() throws -> [String: Any]? {
                try board.json(["library", "show", "1"])[0]["adjustment"] as? [String: Any]
            }
            _ = try board.json(["library", "adjust", "1", "--rotate", "90"])
            _ = try board.json(["library", "adjust", "1", "--rotate", "180"])
            #expect(try adjustment()?["rotationDegrees"] as? Int == 270)
            let details = try board.run("library", "show", "1")
            #expect(details.contains("adjustment") && details.contains("270"))
            _ = try board.json(["library", "adjust", "1", "--crop", "0,0.25,0.5,0.5"])
            #expect((try adjustment()?["crop"] as? [String: Double])?["y"] == 0.25)
            for wrong in [["--crop", "0,0,2,1"], ["--crop", "0,0,1"], ["--rotate", "45"], []] {
                #expect(try board.attempt(["library", "adjust", "1"] + wrong).status == 64)
            }
            let target = board.path("out")
            _ = try board.json(["library", "export", target])
            _ = try board.json(["library", "export", target, "--originals"])
            let names = try FileManager.default.contentsOfDirectory(atPath: target)
            #expect(names.count == 2 && names.filter { $0.contains("_e") }.count == 1)
            _ = try board.json(["library", "adjust", "1", "--revert"])
            #expect(try adjustment() == nil)
        }

        @Test(
            "the findings of verify are repaired as planned, with and without an appliance",
            arguments: [true, false])
        func repairs(isRunning: Bool) throws {
            try board.ingest(3)
            if isRunning { try board.start() }
            let orphan = UUID().uuidString.lowercased()
            let made = try board.shell(
                """
                cd '\(board.path("library/originals"))' && day=$(find . -name '*.jpg' | head -1 | xargs dirname) &&
                cp "$(find . -name '*.jpg' | head -1)" "$day/\(orphan).jpg" && echo more >>"$day/\(orphan).jpg" &&
                echo note >"$day/note.txt"
                """)
            try #require(made.status == 0, "\(made.errors)")
            let found = try board.attempt("library", "verify")
            #expect(found.status == 74 && found.output.contains("2 findings"), "\(found.output)")
            let plan = try board.attempt("library", "repair", "--dry-run")
            #expect(plan.status == 0, "\(plan.errors)")
            #expect(
                plan.output.contains(
                    "\(orphan).jpg: an original that belongs to no asset: add it to the library"))
            #expect(
                plan.output.contains(
                    "note.txt: does not belong to the library: move it to quarantine/"))
            #expect(try board.json(["library", "repair", "--dry-run"]).count == 2)
            // Without a terminal nobody can be asked, so nothing was done.
            #expect(try board.attempt("library", "repair").status == 64)
            #expect(try sequences() == [1, 2, 3])
            let done = try board.json(["library", "repair", "--yes"])
            #expect(done.map { $0["result"] as? String } == ["repaired", "repaired"], "\(done)")
            #expect(try sequences() == [1, 2, 3, 4])
            let quarantine = try board.shell("find '\(board.path("library/quarantine"))' -type f")
            #expect(quarantine.output.hasSuffix("/note.txt\n"), "\(quarantine.output)")
            #expect(try board.run("library", "repair").contains("nothing to repair"))
            #expect(try board.run("library", "verify", "--deep").contains(" 0 findings"))
            if isRunning { try board.stop() }
        }

        @Test("a photo is saved with its thumbnail")
        func thumbnail() throws {
            try board.start()
            let photo = try board.json(["press", "shutter", "--wait"])[0]
            let id = try #require(photo["id"] as? String)
            let probed = try board.shell(
                "exiftool -s3 -FileType -ImageSize '\(board.path("library/derived/thumbnails"))/\(id).jpg'"
            )
            #expect(
                probed.output == "JPEG\n160x90\n" || probed.output == "JPEG\n120x68\n",
                "\(probed.text)")
            try board.stop()
        }

        @Test("snapshots are taken and listed, and one replaces a damaged database")
        func snapshots() throws {
            try board.ingest(5)
            _ = try board.json(["library", "caption", "2", "--text", "Größe"])
            let taken = try #require(try board.json(["library", "snapshot"]).first)
            #expect(taken["number"] as? Int == 1)
            #expect(try board.run("library", "snapshot").contains("nothing has changed"))
            #expect(try board.json(["library", "snapshot", "--list"]).count == 1)
            let database = board.path("library/library.sqlite")
            try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: database))
            let refused = try board.attempt("library", "list")
            #expect(refused.status == 74 && refused.errors.contains("vitrine library repair"))
            let plan = try board.attempt("library", "repair", "--dry-run")
            #expect(plan.status == 74 && plan.output.contains("the best copy"))
            #expect(try board.attempt("library", "repair").status == 64)
            let done = try board.run("library", "repair", "--yes")
            #expect(done.contains("the snapshot of") && done.contains("nothing to repair"))
            #expect(try sequences() == Array(1...5))
            #expect(try board.json(["library", "show", "2"])[0]["caption"] as? String == "Größe")
            // A running appliance restores the database by itself.
            try Data(repeating: 0x5A, count: 8192).write(to: URL(fileURLWithPath: database))
            try board.start()
            try board.waitUntil {
                let status = try board.json(["status"])[0]
                let problems = status["problems"] as? [[String: Any]] ?? []
                return problems.contains { $0["code"] as? String == "library.restored" }
            }
            _ = try board.json(["press", "shutter", "--wait"])
            #expect(try sequences().count == 6)
            #expect(try board.run("library", "verify", "--deep").contains(" 0 findings"))
            try board.stop()
        }

        @Test("retention prints what would go, and deletes it only when told to apply")
        func retention() throws {
            try board.ingest(8)
            let rules = try String(contentsOfFile: board.configuration, encoding: .utf8)
                .replacing("reserve_mb = 1", with: "reserve_mb = 1\nretention_assets = 5")
            try rules.write(toFile: board.configuration, atomically: true, encoding: .utf8)
            // Nothing is synced, and deleting unsynced assets has to be allowed.
            let waiting = try board.json(["library", "retention", "--apply"])[0]
            #expect(waiting["waitingForSync"] as? Int == 3)
            #expect(try sequences() == Array(1...8))
            try rules.replacing("= 5", with: "= 5\nrequire_sync = false")
                .write(toFile: board.configuration, atomically: true, encoding: .utf8)
            let plan = try board.json(["library", "retention", "--dry-run"])[0]
            #expect((plan["counts"] as? [String: Int]) == ["count": 3])
            let said = try board.attempt("library", "retention")
            #expect(said.output.contains("too many") && said.output.contains("3 would be removed"))
            #expect(try sequences() == Array(1...8))
            #expect(try board.attempt("library", "retention", "--apply", "--dry-run").status == 64)
            let applied = try board.attempt("library", "retention", "--apply")
            #expect(applied.output.contains("3 removed"))
            #expect(try sequences() == Array(4...8))
            // The appliance applies the rules by itself.
            _ = try board.json(["library", "favorite", "4"])
            try rules.replacing("= 5", with: "= 2\nrequire_sync = false")
                .write(toFile: board.configuration, atomically: true, encoding: .utf8)
            try board.start()
            try board.waitUntil { try sequences() == [4, 7, 8] }
            let report = try board.json(["library", "retention"])[0]
            #expect((report["items"] as? [[String: Any]])?.isEmpty == true)
            try board.stop()
        }

        @Test(
            "a list that cannot be written ends with 74, however long it is", arguments: [1, 620])
        func fullOutput(count: Int) throws {
            try board.ingest(count)
            let list = board.command("library", "list", "--config", board.configuration)
            let result = try board.shell("\(list) >/dev/full")
            #expect(result.status == 74)
            #expect(result.errors.contains("standard output cannot be written"))
        }

        @Test("export writes where the caller is, not where the appliance is")
        func otherNamespace() throws {
            try board.ingest(3)
            try board.start()
            // Only the caller sees this file system, like a home that is hidden from a sandboxed
            // service.
            let target = board.path("target")
            let script = """
                mkdir \(target) && mount -t tmpfs tmpfs \(target) &&
                \(board.command("library", "export", target + "/out")) && ls \(target)/out
                """
            let result = try Program.run(
                "/usr/bin/unshare", ["--map-root-user", "--mount", "sh", "-c", script],
                environment: board.environment)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("3 exported, 0 skipped"))
            #expect(result.output.split(separator: "\n").filter { $0.hasSuffix(".jpg") }.count == 3)
            #expect(try FileManager.default.contentsOfDirectory(atPath: target) == [])
            try board.stop()
        }

        @Test(
            "`show` prints a photo's EXIF; an export has its names, size and manifest",
            arguments: [true, false])
        func exportOptions(isRunning: Bool) throws {
            try board.start()
            _ = try board.json(["press", "shutter", "--wait"])
            if !isRunning { try board.stop() }
            let exif = try board.json(["library", "show", "1", "--metadata"])[0]
            let unique = (exif["Exif"] as? [String: String])?["ImageUniqueID"]
            let id = try board.json(["library", "show", "1"])[0]["id"] as? String
            #expect(unique == id?.replacing("-", with: ""))
            let target = board.path("out")
            let report = try board.json([
                "library", "export", target, "--name", "{type}/{sequence}", "--size", "64x64",
                "--manifest",
            ])[0]
            #expect(report["manifest"] as? String == target + "/manifest.jsonl")
            let copy = target + "/photo/000001_64x64.jpg"
            #expect(FileManager.default.fileExists(atPath: copy))
            let line = try String(contentsOfFile: target + "/manifest.jsonl", encoding: .utf8)
            #expect(line.contains("\"file\":\"photo/000001_64x64.jpg\""))
            for wrong in [["--name", "{nam}"], ["--size", "64"], ["--size", "0x64"]] {
                let refused = try board.attempt(["library", "export", target] + wrong)
                #expect(refused.status == 64 && refused.errors.contains(wrong[1]))
            }
            if isRunning { try board.stop() }
        }

        @Test("`access` reports the appliance's rights, or the files' rights without one")
        func access() throws {
            let levels = ["addOnly", "read", "readWrite"]
            func report() throws -> [String: String] {
                try #require(try board.json("library", "access").first as? [String: String])
            }
            func all(_ status: String) -> [String: String] {
                Dictionary(uniqueKeysWithValues: levels.map { ($0, status) })
            }
            #expect(try report() == all("notDetermined"))
            try board.ingest(1)
            #expect(try report() == all("authorized"))
            try board.start()
            #expect(
                try report() == all("authorized").merging(["role": "operator"]) { $1 })
            try board.stop()
            // Root without its capabilities has rights only to its own files.
            let takesRights =
                getuid() == 0
                ? "chown -R 65534 FILE && setpriv --bounding-set=-all" : "chmod 500 FILE &&"
            let folder = board.path("library")
            let access = board.command("library", "access", "--config", board.configuration)
            let result = try board.shell(
                "chmod -R go-rwx FILE && \(takesRights) \(access); status=$?; chmod 700 FILE; exit $status"
                    .replacingOccurrences(of: "FILE", with: folder))
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.output.hasSuffix("add\tdenied\nlook\tdenied\nchange\tdenied\n"),
                "\(result.output)")
        }

        @Test("an unknown id is named, and ends with 66", arguments: [true, false])
        func unknownID(isRunning: Bool) throws {
            try board.ingest(2)
            if isRunning { try board.start() }
            let result = try board.attempt(
                "library", "export", board.path("out"), "2", "ffffffff", "--json")
            #expect(result.status == 66)
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(result.output.utf8))
                    as? [String: Any])
            #expect(report["exported"] as? Int == 1)
            #expect(report["directory"] as? String == board.path("out"))
            let failure = try #require((report["failures"] as? [[String: Any]])?.first)
            #expect(failure["name"] as? String == "ffffffff")
            #expect(failure["code"] as? String == "library.notFound")
            if isRunning { try board.stop() }
        }

        @Test("an unusable target has a next step of its own", arguments: [true, false])
        func unusableTarget(isRunning: Bool) throws {
            try board.ingest(6)
            if isRunning { try board.start() }
            let missing = try board.attempt("library", "export", "/nonexistent/a")
            #expect(missing.status == 66)
            #expect(missing.errors.contains("next: Create the folder above it"))
            let file = try board.attempt("library", "export", board.configuration)
            #expect(file.status == 66)
            #expect(file.errors.contains("next: Name a directory"))
            let target = board.path("target")
            let export = board.command(
                "library", "export", target, "--config", board.configuration)
            let full = try Program.run(
                "/usr/bin/unshare",
                [
                    "--map-root-user", "--mount", "sh", "-c",
                    "mkdir \(target) && mount -t tmpfs -o size=12k tmpfs \(target) && \(export)",
                ], environment: board.environment)
            #expect(full.status == 75)
            #expect(full.errors.contains("next: Free some space there"), "\(full.errors)")
            #expect(!full.errors.contains("reserve_mb"))
            if isRunning { try board.stop() }
        }

        @Test(
            "a read-only medium is reported, is readable, and is used once it is writable",
            arguments: [("TERM", 0), ("KILL", 137)])
        func mountedReadOnly(end: (signal: String, status: Int)) throws {
            let folder = board.path("library")
            let script = """
                mkdir \(folder); mount -t tmpfs -o size=64m tmpfs \(folder)
                export V="\(board.command())" C="--config \(board.configuration)"
                within() { for try in $(seq 300); do eval "$1" >/dev/null 2>&1 && return; sleep 0.1; done; false; }
                start() { $V run $C 2>>\(board.path("log")) & }
                start; within "$V press shutter --wait"; kill -\(end.signal) $!; wait $!; echo "before $?"
                mount -o remount,bind,ro \(folder)
                $V library list $C 2>&1; echo "list alone $?"
                $V library access $C
                $V library export \(board.path("out")) $C 2>&1; echo "export alone $?"
                $V library picture 1 \(board.path("small.jpg")) --size 320x320 $C 2>&1; echo "picture alone $?"
                $V library verify --deep $C 2>&1; echo "verify alone $?"
                $V library favorite 1 $C 2>&1; echo "change alone $?"
                start; within "$V status --json | grep -q library.readonly"; echo "said $?"
                within "$V status --json | grep -q framesCaptured"
                $V press shutter --wait 2>&1; echo "press $?"
                for try in $(seq 16); do $V library list --json >/dev/null || echo "list fails"; sleep 0.3; done
                $V library export \(board.path("out2")) 2>&1; echo "export $?"
                mount -o remount,bind,rw \(folder)
                within "$V press shutter --wait"; echo "again $?"
                $V library verify --deep $C; echo "verify $?"
                kill $!; wait $!; echo "ended $?"
                ls -R \(folder)/originals | grep -c jpg
                """
            try script.write(toFile: board.path("script"), atomically: true, encoding: .utf8)
            let result = try board.shell(
                "unshare --map-root-user --mount sh \(board.path("script"))")
            let lines = result.output.split(separator: "\n").map { String($0) }
            for line in [
                "before \(end.status)", "add\trestricted", "look\tauthorized", "change\trestricted",
                "list alone 0", "export alone 0", "picture alone 0",
                "verify alone 0",
                "change alone 75", "said 0", "press 75", "export 0", "again 0", "verify 0",
                "ended 0",
            ] {
                #expect(lines.contains(line), "\(line): \(result.output) \(result.errors)")
            }
            #expect(!lines.contains("list fails"), "\(result.output) \(result.errors)")
            let refusals = lines.filter { $0.contains("; next: ") }
            #expect(refusals.count == 2, "\(refusals)")
            #expect(refusals.filter { $0.contains("mount the file system for writing") }.count == 1)
            let copies = try FileManager.default.contentsOfDirectory(atPath: board.path("out"))
            #expect(copies.count == 1)
            #expect(lines.last == "2", "as many photos as presses were accepted")
        }

        @Test("each photo that is not exported has its next step")
        func conflict() throws {
            try board.ingest(1)
            let name = try #require(
                try board.json("library", "list").first?["fileName"] as? String)
            try FileManager.default.createDirectory(
                atPath: board.path("out"), withIntermediateDirectories: false)
            try Data([1]).write(to: URL(filePath: board.path("out/" + name)))
            let result = try board.attempt("library", "export", board.path("out"))
            #expect(result.status == 74)
            #expect(
                result.errors.contains("another file has this name; next: Move what is there away"))
        }

        @Test("an export without an appliance closes the library before it copies")
        func letsGo() throws {
            try board.ingest(2)
            let trace = board.path("trace")
            let result = try board.shell(
                "strace -f -y -e trace=close,linkat -o \(trace) "
                    + board.command(
                        "library", "export", board.path("out"), "--config", board.configuration))
            #expect(result.output.contains("2 exported"), "\(result.errors)")
            let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
            let letGo = try #require(calls.lastIndex { $0.contains("/library/lock>") })
            let copied = try #require(
                calls.firstIndex { $0.contains("linkat(") && $0.contains("/out/") })
            #expect(letGo < copied)
        }

        @Test("an export counts its files on a terminal")
        func progress() throws {
            try board.ingest(2)
            let line = board.command(
                "library", "export", board.path("out"), "--config", board.configuration)
            let result = try board.shell("script -qec '\(line)' /dev/null")
            #expect(result.output.contains("1 of 2"))
            #expect(result.output.contains("2 of 2"))
        }

        @Test("a missing library is not created", arguments: ["list", "show 1", "export out"])
        func noLibrary(verb: String) throws {
            let words = verb.split(separator: " ").map(String.init)
            let result = try board.attempt(["library"] + words)
            #expect(result.status == 66)
            #expect(result.errors.contains("there is no library at \(board.path("library"))"))
            #expect(result.errors.contains("next: "))
            #expect(!FileManager.default.fileExists(atPath: board.path("library")))
        }

        @Test(
            "a library whose database was moved away is read again",
            arguments: ["list", "export"])
        func databaseMovedAway(verb: String) throws {
            try board.ingest(3)
            for name in ["library.sqlite", "library.sqlite-wal", "library.sqlite-shm"] {
                try? FileManager.default.removeItem(atPath: board.path("library/" + name))
            }
            if verb == "list" {
                #expect(try sequences() == [1, 2, 3])
            } else {
                let result = try board.run("library", "export", board.path("out"))
                #expect(result.contains("3 exported"))
            }
        }

        @Test("a library that another process holds ends with 75")
        func busy() throws {
            try board.ingest(1)
            let holder = try ChildProcess(
                "/usr/bin/flock", ["--no-fork", board.path("library/lock"), "sleep", "100"],
                environment: board.environment)
            defer { holder.terminate() }
            try board.waitUntil {
                try board.attempt("library", "list").status == 75
            }
            try board.start()
            let result = try board.attempt("library", "list")
            #expect(result.status == 75)
            #expect(result.errors.contains("next: "))
            try board.stop()
        }
    }
}
