// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc
import TestSupport
import Testing

extension HostBoardTests {
    /// Tests of `vitrine library import`, with a running appliance and without, with the system's
    /// own programs.
    @Suite("import", .timeLimit(.common))
    struct ImportCommandTests {
        private let board: RunningBoard

        init() throws { board = try RunningBoard() }

        /// Makes a folder of a JPEG with a date, a PNG, a HEIF, a rotated MP4, an MKV, a MOV, and
        /// files that cannot be imported.
        private func makeFiles() throws -> String {
            let folder = board.path("in")
            let made = try board.shell(
                """
                set -e; mkdir -p '\(folder)/sub' && cd '\(folder)'
                ff() { ffmpeg -nostdin -v error -f lavfi -i "testsrc=size=320x240:rate=10" "$@"; }
                ff -frames:v 1 -pix_fmt yuvj420p a.jpg
                exiftool -q -overwrite_original -DateTimeOriginal='2019:05:04 03:02:01' \
                    -OffsetTimeOriginal=+01:00 -Orientation#=8 a.jpg
                ff -vf hue=h=90 -frames:v 1 'sub/b
                c.png'
                ff -vf hue=h=45 -frames:v 1 c.png
                heif-enc -q 50 c.png -o h.heic >/dev/null 2>&1; rm c.png
                ff -t 2 -pix_fmt yuv420p -metadata creation_time=2018-07-06T05:04:03Z straight.mp4
                ffmpeg -nostdin -v error -i straight.mp4 -c copy -metadata:s:v rotate=90 \
                    -metadata creation_time=2018-07-06T05:04:03Z -movflags use_metadata_tags \
                    -metadata location=Vienna \
                    -metadata com.apple.quicktime.location.ISO6709=-01.5+002.5/ \
                    -metadata com.apple.quicktime.content.identifier=4711 turned.mp4
                ff -t 1 -pix_fmt yuv420p -metadata location=+01.5-002.5/ clip.mkv
                ff -t 1 -pix_fmt yuv420p -metadata location=+48.25-016.5+171.5/ phone.mov
                ff -t 1 -c:v prores -pix_fmt yuv422p10le studio.mov
                head -c 6000 straight.mp4 > cut.mp4
                ffmpeg -nostdin -v error -i straight.mp4 -c copy -movflags +faststart fast.mp4
                head -c 6000 fast.mp4 > cutfast.mp4; head -c 4000 clip.mkv > cut.mkv; rm fast.mp4
                ffmpeg -nostdin -v error -f lavfi -i sine=duration=1 sound.mp4
                rm straight.mp4
                head -c 5000 /dev/urandom > noise.jpg
                echo text > notes.txt
                """)
            try #require(made.status == 0, "\(made.text)")
            return folder
        }

        @Test("a GIF holds 15 s of a video, within the memory limit of programs")
        func animation() throws {
            let movie = board.path("party.mp4")
            let made = try board.shell(
                """
                ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=1280x960:rate=25 -t 17 \
                    -pix_fmt yuv420p -preset ultrafast '\(movie)'
                """)
            try #require(made.status == 0, "\(made.text)")
            let report = try #require(try board.json("library", "import", movie).first)
            let id = try #require((report["imported"] as? [String])?.first)
            let gif = board.path("party.gif")
            _ = try board.run("library", "picture", id, gif)
            let told = try Program.run(
                "ffprobe",
                [
                    "-v", "error", "-count_packets", "-show_entries",
                    "stream=width,height,nb_read_packets", "-of", "csv=p=0", gif,
                ]
            ).output.split(separator: ",").compactMap { Int($0.filter(\.isNumber)) }
            #expect(
                told.prefix(2) == [640, 480] && (374...376).contains(told.last ?? 0), "\(told)")
        }

        @Test(
            "files and folders are imported, with and without an appliance",
            arguments: [true, false])
        func imports(isRunning: Bool) throws {
            let folder = try makeFiles()
            if isRunning { try board.start() }
            let first = try board.attempt("library", "import", folder, "--json")
            #expect(first.status == 74, "\(first.errors)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(first.output.utf8)) as? [String: Any])
            #expect((report["imported"] as? [String])?.count == 6, "\(first.output)")
            #expect(report["ignored"] as? [String] == [folder + "/notes.txt"])
            let failures = try #require(report["failures"] as? [[String: String]])
            let reasons = Dictionary(
                uniqueKeysWithValues: failures.map {
                    (($0["path"]! as NSString).lastPathComponent, $0["code"]!)
                })
            #expect(
                reasons == [
                    "cut.mp4": "import.truncated", "cutfast.mp4": "import.damaged",
                    "cut.mkv": "import.truncated", "noise.jpg": "import.notMedia",
                    "sound.mp4": "import.unsupported", "studio.mov": "import.unsupported",
                ], "\(failures)")
            #expect(failures.contains { $0["message"]?.contains("prores") == true })

            let assets = try board.json(["library", "list"])
            func asset(_ fileExtension: String) throws -> [String: Any] {
                try #require(
                    assets.first { ($0["fileName"] as? String)?.hasSuffix(fileExtension) == true })
            }
            let jpeg = try asset(".jpg")
            #expect(jpeg["createdAt"] as? String == "2019-05-04T03:02:01.000+01:00")
            #expect(jpeg["orientation"] as? Int == 8 && jpeg["width"] as? Int == 320)
            #expect(jpeg["timeConfidence"] as? String == "estimated")
            #expect(try asset(".heic")["height"] as? Int == 240)
            #expect(try asset(".png")["timeConfidence"] as? String == "unknown")
            let video = try asset(".mp4")
            #expect(video["mediaType"] as? String == "video")
            #expect(video["durationSeconds"] as? Double == 2)
            // FFmpeg's "rotate" counts counterclockwise.
            #expect(video["orientation"] as? Int == 8, "\(video)")
            #expect(
                (video["createdAt"] as? String)?.contains("2018-07-06T") == true, "\(video)")
            #expect(video["mediaSubtypes"] as? [String] == ["liveClip"], "\(video)")
            #expect(try asset(".mov")["durationSeconds"] as? Double == 1)
            for (kind, place) in [
                (".mov", ["latitude": 48.25, "longitude": -16.5, "altitude": 171.5]),
                (".mp4", ["latitude": -1.5, "longitude": 2.5]),
                (".mkv", ["latitude": 1.5, "longitude": -2.5]),
            ] {
                #expect(try asset(kind)["location"] as? [String: Double] == place, "\(kind)")
            }
            #expect(try asset(".mkv")["durationSeconds"] as? Double == 1)
            #expect(try asset(".mkv")["mediaSubtypes"] == nil)
            let shown = try board.json(["library", "show", try #require(video["id"] as? String)])
            let path = try #require(shown[0]["path"] as? String)
            #expect(
                try Data(contentsOf: URL(filePath: path))
                    == Data(contentsOf: URL(filePath: folder + "/turned.mp4")))

            let again = try board.attempt("library", "import", folder + "/a.jpg", folder)
            #expect(again.status == 74)
            #expect(again.output.contains("a.jpg: already in the library, as "))
            #expect(again.output.contains("b\\u{a}c.png: already in the library"))
            #expect(
                again.output.contains(
                    "0 imported, 6 already in the library, 1 ignored, 6 failed"))
            let changes = try board.json([
                "library", "changes", "--since", "0", "--origin", "import",
            ])
            #expect((changes[0]["inserted"] as? [Int])?.count == 6)
            _ = try board.run("library", "verify", "--deep")
            let missing = try board.attempt("library", "import", board.path("none"))
            #expect(missing.status == 66 && missing.errors.contains("none"))
            #expect(try board.attempt("library", "import").status == 64)
            let small = try board.attempt("library", "import", folder, "--memory-mb", "1")
            #expect(small.status == 64)
            if isRunning { try board.stop() }
        }

        @Test("a file whose program is missing is refused with the package to install")
        func noProgram() throws {
            let folder = try makeFiles()
            // The folder has all programs but the removed ones.
            let made = try board.shell(
                "mkdir '\(board.path("bin"))' && ln -s /usr/bin/* '\(board.path("bin"))' && cd '\(board.path("bin"))' && rm -f heif-convert ffmpeg ffprobe"
            )
            try #require(made.status == 0, "\(made.errors)")
            let files = ["h.heic", "clip.mkv", "a.jpg"].map { "'\(folder)/\($0)'" }
            let imported = try board.shell(
                "PATH='\(board.path("bin"))' exec \(board.command("library", "import", "--config", board.configuration)) \(files.joined(separator: " "))"
            )
            #expect(imported.status == 74)
            let said = imported.output + imported.errors
            #expect(said.contains("apt install libheif-examples"), "\(said)")
            #expect(said.contains("apt install ffmpeg"), "\(said)")
            #expect(said.contains("1 imported") && said.contains("2 failed"), "\(said)")
        }

        @Test("photos that are not JPEGs are rotated and cropped; their copies are JPEGs")
        func adjustsForeign() throws {
            let folder = try makeFiles()
            try board.start()
            let imported = try board.attempt(
                "library", "import", folder + "/h.heic", folder + "/sub")
            #expect(imported.status == 0, "\(imported.errors)")
            let ids = try board.json(["library", "list"]).map { try #require($0["id"] as? String) }
            _ = try board.run("library", "adjust", "--rotate", "90", "--crop", "0,0,0.5,1", ids[0])
            _ = try board.run("library", "adjust", "--rotate", "90", ids[1])
            let target = board.path("out")
            _ = try board.run("library", "export", target, "--name", "{sequence}")
            let sizes = try board.shell(
                "cd '\(target)' && ls && exiftool -q -s3 -FileType -ImageSize -Orientation# *")
            #expect(sizes.output.contains(/1_e\w+\.jpg\n.*2_e\w+\.jpg\n/))
            let values = sizes.output.split(separator: "\n").filter { !$0.contains(".jpg") }
            #expect(values == ["JPEG", "240x160", "1", "JPEG", "320x240", "6"], "\(sizes.text)")
            // The originals are unchanged, and are exported so.
            _ = try board.run("library", "export", target, "--originals", "--name", "{sequence}")
            let heif = try Data(contentsOf: URL(filePath: target + "/000001.heic"))
            #expect(heif == (try Data(contentsOf: URL(filePath: folder + "/h.heic"))))
            try board.stop()
        }

        @Test("a terminal shows a progress bar within its width; a pipe shows none")
        func bar() throws {
            let folder = board.path("in")
            let made = try board.shell(
                """
                set -e; mkdir '\(folder)'; cd '\(folder)'
                ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48 -frames:v 8 -pix_fmt yuvj420p %d.jpg
                """)
            try #require(made.status == 0, "\(made.text)")
            func steps(columns: Int) throws -> [String] {
                let command = board.command(
                    "library", "import", folder, "--config", board.configuration)
                let seen = try board.shell(
                    "script -qec 'stty rows 24 cols \(columns); \(command)' /dev/null || true"
                ).output
                return seen.split(separator: "\r")
                    .map { $0.replacingOccurrences(of: "\u{1b}[K", with: "") }
                    .filter { $0.hasSuffix(" of 8") }
            }
            let wide = try steps(columns: 70)
            #expect(wide.last == "[\(String(repeating: "#", count: 40))] 8 of 8", "\(wide)")
            #expect(wide.contains { $0.contains("#-") }, "\(wide)")
            let narrow = try steps(columns: 20)
            #expect(narrow.last == "[##########] 8 of 8", "\(narrow)")
            #expect(try steps(columns: 8).last == "8 of 8")
            let silent = try board.attempt("library", "import", folder)
            #expect(silent.status == 0 && !silent.errors.contains(" of 8"), "\(silent.errors)")
        }

        @Test("a false huge size refuses a HEIF and is ignored in a video")
        func bombs() throws {
            let folder = board.path("in")
            let made = try board.shell(
                """
                set -e; mkdir '\(folder)'; cd '\(folder)'
                ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48 -frames:v 1 a.png
                heif-enc -q 50 a.png -o a.heic >/dev/null 2>&1
                ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48:rate=10 -t 1 -pix_fmt yuv420p a.mp4
                python3 - <<'PYTHON'
                import struct
                def claim(name, box, offset, kind):
                    data = bytearray(open(name, "rb").read())
                    place = data.index(box) + 4 + offset
                    data[place:place + 2 * struct.calcsize(kind)] = struct.pack(">2" + kind, 65535, 65535)
                    open("huge-" + name, "wb").write(data)
                claim("a.heic", b"ispe", 4, "I")
                claim("a.mp4", b"avc1", 24, "H")
                PYTHON
                rm a.png
                """)
            try #require(made.status == 0, "\(made.text)")
            let outcome = try board.attempt("library", "import", folder, "--json")
            #expect(outcome.status == 74, "\(outcome.errors)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
                    as? [String: Any])
            let failures = try #require(report["failures"] as? [[String: String]])
            #expect(failures.map { ($0["path"]! as NSString).lastPathComponent } == ["huge-a.heic"])
            #expect(failures.first?["message"]?.hasPrefix("heif-convert: ") == true, "\(failures)")
            // A movie has the size of its pictures, not the one in the box around them.
            let widths = try board.json(["library", "list"]).compactMap { $0["width"] as? Int }
            #expect(widths == [64, 64, 64])
        }

        @Test(
            "a RAW is attached to its JPEG, shown with it and exported with the originals",
            arguments: [true, false])
        func raw(isRunning: Bool) throws {
            let folder = board.path("in")
            let made = try board.shell(
                """
                set -e; mkdir '\(folder)'; cd '\(folder)'
                ffmpeg -nostdin -v error -f lavfi -i testsrc=size=320x240 -frames:v 1 -pix_fmt yuvj420p P1.JPG
                printf 'II*\\0\\10\\0\\0\\0' >P1.DNG; head -c 100000 /dev/urandom >>P1.DNG; cp P1.DNG P2.DNG
                """)
            #expect(made.status == 0, "\(made.errors)")
            if isRunning { try board.start() }
            let imported = try board.attempt("library", "import", folder, "--json")
            #expect(imported.status == 74)
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(imported.output.utf8))
                    as? [String: Any])
            let ids = try #require(report["imported"] as? [String])
            #expect(ids.count == 1 && report["attached"] as? [String] == ids)
            let failures = try #require(report["failures"] as? [[String: String]])
            #expect(failures.map { $0["code"] } == ["import.noPicture"])
            #expect(failures.first?["message"]?.contains("import both") == true)
            let shown = try board.json("library", "show", "1")[0]
            let representations = try #require(shown["representations"] as? [[String: Any]])
            let raw = try #require(
                representations.first { $0["kind"] as? String == "alternatePhoto" })
            #expect(raw["bytes"] as? Int == 100_008)
            let path = try #require(raw["path"] as? String)
            #expect(try board.shell("cmp '\(path)' '\(folder)/P1.DNG'").status == 0)
            let none = try board.attempt(
                "library", "picture", "1", board.path("a.jpg"), "--representation",
                "alternatePhoto")
            #expect(none.status == 75 && none.errors.contains("RAW"), "\(none.text)")
            _ = try board.run("library", "export", board.path("out"), "--originals")
            #expect(
                try board.shell("cmp '\(board.path("out"))'/*.dng '\(folder)/P1.DNG'").status == 0)
            if isRunning { try board.stop() }
        }

        /// Adds a video to a folder, between its photos 009 and 010.
        ///
        /// - Returns: An environment in which an import stops at the video, and a function that
        ///   lets the import continue.
        private func stopAtVideo(
            in folder: String
        ) throws -> (environment: [String: String], goOn: () throws -> Void) {
            let video = try Program.run(
                "ffmpeg",
                [
                    "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=size=320x240",
                    "-frames:v", "5", "\(folder)/010-video.mp4",
                ])
            #expect(video.status == 0, "\(video.errors)")
            let (bin, mark) = (board.path("bin"), board.path("go-on"))
            let made = try board.shell(
                """
                mkdir '\(bin)'; cat >'\(bin)/ffmpeg' <<'END'
                #!/bin/sh
                while ! test -e '\(mark)'; do sleep 0.1; done
                exec /usr/bin/ffmpeg "$@"
                END
                chmod +x '\(bin)/ffmpeg'
                """)
            #expect(made.status == 0, "\(made.errors)")
            return (
                board.environment.merging(["PATH": "\(bin):/usr/bin:/bin"]) { $1 },
                { try "".write(toFile: mark, atomically: true, encoding: .utf8) }
            )
        }

        @Test("an import ends with its appliance, reports what came in, and can be resumed")
        func applianceGone() throws {
            let folder = board.path("in")
            let made = try board.shell(
                "mkdir '\(folder)' && ffmpeg -nostdin -v error -f lavfi -i testsrc=size=1280x720:rate=10 "
                    + "-frames:v 120 -pix_fmt yuvj420p '\(folder)/%03d.jpg'")
            #expect(made.status == 0, "\(made.errors)")
            let (environment, goOn) = try stopAtVideo(in: folder)
            try board.start()
            let (output, errors) = (board.path("output"), board.path("errors"))
            let command = board.command(
                "library", "import", folder, "--json", "--socket", board.path("control.sock"))
            let importing = try ChildProcess(
                "/bin/sh", ["-c", "exec \(command) >\(output) 2>\(errors)"],
                environment: environment)
            try board.waitUntil {
                try board.json("library", "list", "--count")[0]["count"] as? Int ?? 0 > 3
            }
            board.kill()
            try goOn()
            #expect(importing.wait() == 69)
            let told = try String(contentsOfFile: errors, encoding: .utf8)
            #expect(told.contains("the appliance ended") && told.contains("next: "), "\(told)")
            let report = try #require(
                try JSONSerialization.jsonObject(
                    with: try Data(contentsOf: URL(filePath: output))) as? [String: Any])
            let imported = try #require(report["imported"] as? [String]).count
            #expect((3..<121).contains(imported))
            #expect((report["failures"] as? [Any])?.isEmpty == true)
            let rest = try board.json("library", "import", folder)[0]
            let (new, known) = (rest["imported"] as? [Any], rest["duplicates"] as? [Any])
            // One file may have come in without its answer being received.
            #expect((known?.count ?? 0) - imported <= 1)
            #expect((new?.count ?? 0) + (known?.count ?? 0) == 121)
        }

        @Test("root imports what only root may read, and the library stays its owner's")
        func owner() throws {
            let isRoot = geteuid() == 0
            let owner = isRoot ? 65_534 : getuid()
            let library = board.path("library")
            try FileManager.default.createDirectory(
                atPath: library, withIntermediateDirectories: false)
            if isRoot {
                #expect(unsafe chown(library, owner, owner) == 0)
                // This lets the other user reach the library.
                _ = try board.shell("chmod 711 '\(board.path("."))'")
            }
            let source = board.path("secret.png")
            let made = try board.shell(
                "ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48 -frames:v 1 '\(source)' "
                    + "&& chmod 600 '\(source)'")
            #expect(made.status == 0, "\(made.errors)")
            let report = try board.json("library", "import", source)[0]
            #expect((report["imported"] as? [String])?.count == 1)
            let strangers = try Program.run("find", [library, "!", "-uid", "\(owner)"])
            #expect(strangers.output == "")
        }

        @Test(
            "programs inspect files as the library's owner and cannot change user again",
            arguments: [true, false])
        func identity(isRunning: Bool) throws {
            let owner = geteuid() == 0 ? 65_534 : getuid()
            let library = board.path("library")
            let made = try board.shell(
                """
                set -e; umask 0; mkdir -p '\(library)' '\(board.path("bin"))' '\(board.path("in"))'
                chmod 711 '\(board.path("."))'; [ "$(id -u)" != 0 ] || chown -R \(owner) '\(library)'
                cd '\(board.path("in"))'
                ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48 -t 1 -pix_fmt yuv420p a.mp4
                chmod 600 a.mp4; chmod 700 .
                for name in ffmpeg ffprobe; do
                    printf '#!/bin/sh\\ngrep ^Uid: /proc/self/status >>%s\\nexec /usr/bin/%s "$@"\\n' \
                        '\(board.path("bin/uids"))' $name >'\(board.path("bin"))'/$name
                    chmod 755 '\(board.path("bin"))'/$name
                done
                """)
            #expect(made.status == 0, "\(made.errors)")
            // This makes the library, all of which is the owner's.
            _ = try board.run("library", "import", board.path("bin"))
            if isRunning { try board.start() }
            let imported = try Program.run(
                board.program.path,
                ["library", "import", board.path("in"), "--config", board.configuration],
                environment: board.environment.merging([
                    "PATH": board.path("bin") + ":/usr/bin:/bin"
                ]) { $1 })
            #expect(imported.output.contains("1 imported"), "\(imported.text)")
            let uids = try String(contentsOfFile: board.path("bin/uids"), encoding: .utf8)
            let words = uids.split(whereSeparator: \.isWhitespace)
            #expect(Set(words) == ["Uid:", "\(owner)"], "\(uids)")
            if isRunning { try board.stop() }
        }

        @Test(
            "an import interrupted while a program inspects a file leaves no copy",
            arguments: ["INT", "TERM", "HUP"])
        func interrupted(signal: String) throws {
            let made = try board.shell(
                """
                set -e; mkdir '\(board.path("bin"))' '\(board.path("in"))'
                ffmpeg -nostdin -v error -f lavfi -i testsrc=size=64x48 -t 1 '\(board.path("in/a.mp4"))'
                cd '\(board.path("bin"))'; echo '#!/bin/sh' >ffmpeg; chmod 755 ffmpeg
                echo 'ls "\(board.path("library/incoming"))" >"\(board.path("copies"))"' >>ffmpeg
                echo 'kill -\(signal) $PPID; exec sleep 300' >>ffmpeg
                """)
            #expect(made.status == 0, "\(made.errors)")
            let path = board.path("bin") + ":/usr/bin:/bin"
            let ended = try Program.run(
                board.program.path,
                ["library", "import", board.path("in"), "--config", board.configuration],
                environment: board.environment.merging(["PATH": path]) { $1 })
            let number = ["INT": SIGINT, "TERM": SIGTERM, "HUP": SIGHUP][signal]
            #expect(ended.status == 128 + (number ?? 0), "\(ended.text)")
            let copies = try String(contentsOfFile: board.path("copies"), encoding: .utf8)
            #expect(copies.contains("import-"))
            let left = try FileManager.default.contentsOfDirectory(
                atPath: board.path("library/incoming"))
            #expect(left == [])
        }

        @Test("an interrupted import leaves nothing half done and resumes where it stopped")
        func resumed() throws {
            let folder = board.path("in")
            let made = try board.shell(
                "mkdir '\(folder)' && ffmpeg -nostdin -v error -f lavfi -i testsrc=size=640x480 "
                    + "-frames:v 150 '\(folder)/%03d.png'")
            #expect(made.status == 0, "\(made.errors)")
            let (environment, goOn) = try stopAtVideo(in: folder)
            try board.start()
            let process = try ChildProcess(
                board.program.path, ["library", "import", folder, "--config", board.configuration],
                environment: environment, output: "/dev/null", errors: "/dev/null")
            func count() throws -> Int {
                try board.json("library", "stats")[0]["assets"] as? Int ?? 0
            }
            try board.waitUntil { try count() > 5 }
            process.kill()
            process.wait()
            try goOn()
            let before = try count()
            #expect((6..<151).contains(before))
            let report = try board.json("library", "import", folder)[0]
            #expect((report["imported"] as? [String])?.count == 151 - before)
            #expect((report["duplicates"] as? [[String: Any]])?.count == before)
            #expect(try count() == 151)
            try board.stop()
            // The next opening removes a copy that was in progress.
            _ = try board.run("library", "verify", "--deep")
            let left = try FileManager.default.contentsOfDirectory(
                atPath: board.path("library/incoming"))
            #expect(left == [])
        }
    }
}
