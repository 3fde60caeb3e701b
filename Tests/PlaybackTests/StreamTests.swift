// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Media
import Network
import Playback
import TestSupport
import Testing

@Suite("Streams", .ownThread, .timeLimit(.common))
struct StreamTests {
    private let target = NotingTarget()
    private let sound = NotingSound()
    private let loader: ResourceLoader

    init() throws {
        loader = try ResourceLoader(ResourceServer(silence: 1) { HTTPClient.Configuration() })
    }

    private func item(_ url: String) -> PlayerItem {
        PlayerItem(MediaAsset(url: url, loader: loader))
    }

    /// Lets a server have a file; returns its name there.
    private func add(_ video: TestVideo, to server: MediaServer) throws -> String {
        let name = URL(filePath: video.path).lastPathComponent
        try FileManager.default.copyItem(atPath: video.path, toPath: server.path(of: name))
        return name
    }

    private func player(
        _ items: PlayerItem..., withSound: Bool = true
    ) throws -> (QueuePlayer, PlayerDiary) {
        let sound = sound
        var open: Player.SoundOpener?
        if withSound { open = { () throws(SystemCallError) in try sound.open() } }
        let player = try QueuePlayer(items: [], sound: open)
        player.layer = try PlayerLayer(target: target)
        let diary = PlayerDiary(player)
        for item in items { player.insert(item) }
        return (player, diary)
    }

    private func expectNoFailure(
        _ diary: PlayerDiary, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let failures = await diary.events.compactMap(\.failure)
        try #require(failures.isEmpty, "\(failures)", sourceLocation: location)
    }

    /// Plays an item to its end, and compares every sample and the pictures.
    private func expectWhole(_ item: PlayerItem, _ video: TestVideo) async throws {
        let (player, diary) = try player(item)
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        try await expectNoFailure(diary)
        expectInOrder(target.numbers, upTo: 19)
        expectSame(sound.heard, try video.samples())
    }

    @Test("a file on a server is played like one here, and its server is asked for parts")
    func file() async throws {
        let server = try MediaServer()
        // The index lies at the end.
        let video = try TestVideo.withTone("a.mov")
        let name = try add(video, to: server)
        try await expectWhole(item(server.url(name)), video)
        let answers = try server.answers(name)
        #expect(answers.count >= 2 && answers.allSatisfy { $0.contains(" 206 ") }, "\(answers)")
    }

    @Test("seeks in a file on a server are exact")
    func seeks() async throws {
        let server = try MediaServer()
        let name = try add(try TestVideo.withTone("a.mkv", seconds: 4), to: server)
        let (player, diary) = try player(item(server.url(name)), withSound: false)
        await diary.wait { $0.isReady }
        var random = Seeded(7)
        for _ in 0..<20 {
            let number = Int.random(in: 0..<40, using: &random)
            #expect(await player.seek(to: MediaTime(value: Int64(number), timescale: 10)))
            #expect(target.numbers.last == number)
        }
    }

    @Test("a server that breaks off is asked for the rest, and no sample is lost")
    func broken() async throws {
        let server = try MediaServer(faults: "cut", rate: 0.5)
        let video = try TestVideo.withTone("a.mov")
        let name = try add(video, to: server)
        try await expectWhole(item(server.faultyURL(name)), video)
        // Control: one answer would do without faults.
        #expect(try server.answers(name).count > 3)
    }

    @Test("a server that falls silent is asked for the rest")
    func silent() async throws {
        let server = try MediaServer(faults: "stall", rate: 0.25)
        let video = try TestVideo.withTone("a.mov")
        let name = try add(video, to: server)
        try await expectWhole(item(server.faultyURL(name)), video)
    }

    @Test("without byte ranges a file is played from its beginning, but cannot be sought in")
    func noParts() async throws {
        let server = try MediaServer()
        let video = try TestVideo.withTone("a.mkv")
        let name = try add(video, to: server)
        try await expectWhole(item(server.url("whole/\(name)")), video)
        let (player, diary) = try player(item(server.url("whole/\(name)")), withSound: false)
        await diary.wait { $0.isReady }
        #expect(await player.seek(to: MediaTime(value: 1, timescale: 1)) == false)
        try await expectNoFailure(diary)
    }

    @Test("media that cannot be had fail with the reason, and the next item plays")
    func failures() async throws {
        let server = try MediaServer(faults: "wrong-part")
        let name = try add(try TestVideo.withTone("a.mov", seconds: 1), to: server)
        let unserved = MediaAsset(url: server.url(name), loader: try Self.noService())
        let (player, diary) = try player(
            item(server.url("denied/a.mov")), item(server.url("page/a.mov")),
            item(server.faultyURL(name)),
            item("http://127.0.0.1:1/a.mov"), item(server.url("b.mov")), PlayerItem(unserved),
            item(server.url(name)), withSound: false)
        player.play()
        await diary.wait { $0.isEnd }
        let failures = await diary.events.compactMap(\.failure)
        #expect(
            failures.map(\.code) == [
                .permission, .unsupported, .unreachable, .unreachable, .notFound, .unreachable,
            ])
        #expect(failures.allSatisfy { $0.next?.isEmpty == false }, "\(failures)")
        expectInOrder(target.numbers, upTo: 9)
    }

    /// Returns a loader whose server has ended.
    private static func noService() throws -> ResourceLoader {
        let loader = try ResourceLoader(ResourceServer { HTTPClient.Configuration() })
        let (here, there) = try PacketSocket.pair()
        loader.connect(here)
        there.shutdown()
        return loader
    }

    // MARK: HTTP Live Streaming

    /// Makes a stream of two variants, 160 and 320 pixels wide; returns its name.
    private func makeVariants(_ server: MediaServer, seconds: Int = 4) throws -> String {
        let folder = server.folder.path(of: "www")
        let made = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", TestVideo.counting(seconds: seconds),
                "-f", "lavfi", "-i", "aevalsrc=0.4*sin(330*2*PI*t):s=48000:d=\(seconds)",
                "-map", "0:v", "-map", "1:a", "-map", "0:v", "-map", "1:a",
                "-c:v", "libx264", "-qp", "8", "-bf", "2", "-g", "10", "-keyint_min", "10",
                "-sc_threshold", "0", "-c:a", "aac", "-filter:v:1", "scale=320:240",
                "-b:v:0", "300k", "-b:v:1", "900k", "-f", "hls", "-hls_time", "1",
                "-hls_playlist_type", "vod", "-hls_segment_filename", "\(folder)/v%v-%d.ts",
                "-master_pl_name", "master.m3u8", "-var_stream_map", "v:0,a:0 v:1,a:1",
                "\(folder)/v%v.m3u8",
            ])
        try #require(made.status == 0, "\(made.text)")
        return "master.m3u8"
    }

    @Test("the best variant within the limits is played, and seeks in it are exact")
    func variants() async throws {
        let server = try MediaServer()
        let name = try makeVariants(server)
        let (best, small) = (item(server.url(name)), item(server.url(name)))
        small.preferredMaximumResolution = Dimensions(width: 200, height: 200)
        for item in [best, small] {
            let (player, diary) = try player(item, withSound: false)
            await diary.wait { $0.isReady || $0.failure != nil }
            try await expectNoFailure(diary)
            #expect(abs(item.duration.seconds - 4) < 0.1)
            for number in [25, 3, 39, 17] {
                // The sound begins a little before the pictures.
                let time = MediaTime(value: Int64(2 * number + 1), timescale: 20)
                #expect(await player.seek(to: time))
                #expect(target.numbers.last == number)
                try await expectNoFailure(diary)
            }
        }
        #expect(best.presentationSize == Dimensions(width: 320, height: 240))
        #expect(small.presentationSize == Dimensions(width: 160, height: 120))
        // Nothing of the other variant was asked for before.
        let answers = try server.answers("/v")
        let first = try #require(answers.firstIndex { $0.contains("/v0") })
        #expect(answers[..<first].allSatisfy { $0.contains("/v1") })
        #expect(answers[first...].allSatisfy { $0.contains("/v0") })
    }

    @Test("what playlists name counts from where their servers have led to")
    func redirectedPlaylists() async throws {
        let server = try MediaServer()
        let name = try makeVariants(server, seconds: 1)
        let master = server.path(of: name)
        let text = try String(contentsOfFile: master, encoding: .utf8)
        for variant in 0...1 {
            // The variant's server leads to a folder that the master playlist does not name.
            try FileManager.default.createDirectory(
                atPath: server.path(of: "far\(variant)"), withIntermediateDirectories: true)
            for part in ["v\(variant).m3u8", "v\(variant)-0.ts"] {
                try FileManager.default.moveItem(
                    atPath: server.path(of: part), toPath: server.path(of: "far\(variant)/\(part)"))
            }
        }
        try text.replacing("v0.m3u8", with: "moved/far0/v0.m3u8")
            .replacing("v1.m3u8", with: "moved/far1/v1.m3u8?token=a.b")
            .write(toFile: master, atomically: true, encoding: .utf8)
        let (player, diary) = try player(
            item(server.url("moved/\(name)?token=a.b")), withSound: false)
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        try await expectNoFailure(diary)
        expectInOrder(target.numbers, upTo: 9)
    }

    @Test("an encrypted stream is decrypted, and a wrong key is told", arguments: [true, false])
    func encrypted(isRight: Bool) async throws {
        let server = try MediaServer()
        let folder = server.folder.path(of: "www")
        let key = (0..<16).map { UInt8($0 * 7 + 1) }
        try Data(key).write(to: URL(filePath: "\(folder)/key"))
        try "\(server.url("moved/key"))\n\(folder)/key\n"
            .write(toFile: "\(folder)/key.info", atomically: true, encoding: .utf8)
        let made = try Program.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", TestVideo.counting(seconds: 4),
                "-c:v", "libx264", "-qp", "8", "-bf", "2", "-g", "10", "-keyint_min", "10",
                "-sc_threshold", "0", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod",
                "-hls_key_info_file", "\(folder)/key.info",
                "-hls_segment_filename", "\(folder)/s%d.ts", "\(folder)/list.m3u8",
            ])
        try #require(made.status == 0, "\(made.text)")
        // Control: the segments are not readable as they are.
        #expect(try server.folder.contents(of: "www/s0.ts").first != 0x47)
        if !isRight { try Data(key.reversed()).write(to: URL(filePath: "\(folder)/key")) }
        let (player, diary) = try player(item(server.url("list.m3u8")), withSound: false)
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        guard isRight else {
            let failure = await diary.events.compactMap(\.failure).first
            #expect(
                [.damaged, .unsupported].contains(failure?.code), "\(String(describing: failure))")
            return
        }
        try await expectNoFailure(diary)
        expectInOrder(target.numbers, upTo: 39)
        for number in [25, 3, 39, 17] {
            #expect(await player.seek(to: MediaTime(value: Int64(2 * number + 1), timescale: 20)))
            #expect(target.numbers.last == number)
        }
    }

    @Test("times that jump between two parts of a stream are joined", arguments: [0, 100_000])
    func discontinuity(start: Int) async throws {
        let server = try MediaServer()
        let folder = server.folder.path(of: "www")
        for (part, offset) in [(0, 2), (1, start)] {
            let filter = TestVideo.counting(seconds: 2)
                .replacing("*N", with: "*(N+\(part * 20))")
            let made = try Program.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", filter,
                    "-f", "lavfi", "-i", "aevalsrc=0.4*sin(330*2*PI*t):s=48000:d=2",
                    "-c:v", "libx264", "-qp", "8", "-bf", "2", "-g", "10", "-c:a", "aac",
                    "-output_ts_offset", "\(offset)", "\(folder)/p\(part).ts",
                ])
            try #require(made.status == 0, "\(made.text)")
        }
        try """
        #EXTM3U
        #EXT-X-VERSION:3
        #EXT-X-TARGETDURATION:2
        #EXT-X-PLAYLIST-TYPE:VOD
        #EXTINF:2.0,
        p0.ts
        #EXT-X-DISCONTINUITY
        #EXTINF:2.0,
        p1.ts
        #EXT-X-ENDLIST

        """.write(toFile: "\(folder)/list.m3u8", atomically: true, encoding: .utf8)
        let (player, diary) = try player(item(server.url("list.m3u8")))
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        try await expectNoFailure(diary)
        expectInOrder(target.numbers, upTo: 39)
        // Each part's encoder adds up to three frames of 1024 samples.
        #expect(abs(sound.heard.count / 2 - 4 * 48_000) <= 2 * 3072)
    }

    @Test("pictures and sound of a stream in segments are played to the end")
    func segments() async throws {
        let server = try MediaServer()
        let item = item(server.url(try makeVariants(server)))
        let (player, diary) = try player(item)
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        try await expectNoFailure(diary)
        expectInOrder(target.numbers, upTo: 39)
        // The encoder adds up to three frames of 1024 samples.
        #expect(abs(sound.heard.count / 2 - 4 * 48_000) <= 3072)
        let levels = sound.heard.map { abs(Int($0)) }
        #expect((12_000...15_000).contains(levels.max() ?? 0))
    }

    @Test("a network that is too slow for a variant gets a smaller one")
    func tooSlow() async throws {
        let server = try MediaServer()
        let name = try makeVariants(server)
        let master = server.path(of: name)
        let text = try String(contentsOfFile: master, encoding: .utf8)
        try text.replacing("v1.m3u8", with: server.url("slow/v1.m3u8"))
            .write(toFile: master, atomically: true, encoding: .utf8)
        let item = item(server.url(name))
        let (player, diary) = try player(item)
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        try await expectNoFailure(diary)
        expectInOrder(target.numbers, upTo: 39)
        #expect(target.layouts.count == 2)
        #expect(item.presentationSize == Dimensions(width: 160, height: 120))
        #expect(player.statistics.stalls >= 1)
        // nginx notes a request when it has ended.
        try await waitUntil("the smaller variant's end is noted") {
            try !server.answers("/v0-3.ts").isEmpty
        }
        // No sound is heard twice, and none is left out.
        #expect(abs(sound.heard.count / 2 - 4 * 48_000) <= 3072)
    }

    @Test("a network that has recovered gets the larger variant again")
    func recovered() async throws {
        let server = try MediaServer()
        let name = try makeVariants(server, seconds: 24)
        let large = server.path(of: "v1.m3u8")
        let text = try String(contentsOfFile: large, encoding: .utf8)
        // Those before it are read when the stream is opened.
        try text.replacing("v1-7.ts", with: server.url("slow/v1-7.ts"))
            .write(toFile: large, atomically: true, encoding: .utf8)
        let item = item(server.url(name))
        let (player, diary) = try player(item)
        player.play()
        for width in [320, 160, 320] {
            try await waitUntil("the variant of \(width) pixels") {
                // A busy machine waits longer.
                let isLate = player.currentTime.seconds > 20
                if isLate { _ = await player.seek(to: MediaTime(value: 9, timescale: 1)) }
                return item.presentationSize?.width == width
            }
        }
        let target = target
        try await waitUntil("three kinds of pictures") { target.layouts.count >= 3 }
        try await expectNoFailure(diary)
    }

    @Test("segments that cannot be had at first are asked for again")
    func brokenSegments() async throws {
        let server = try MediaServer(faults: "reset", "cut", rate: 0.4)
        let name = try makeVariants(server)
        // The playlists come at once.
        let text = try String(
            contentsOfFile: server.path(of: "v1.m3u8"), encoding: .utf8)
        try text.replacing("v1-", with: server.faultyURL("v1-"))
            .write(toFile: server.path(of: "v1.m3u8"), atomically: true, encoding: .utf8)
        let (player, diary) = try player(item(server.url(name)), withSound: false)
        player.play()
        await diary.wait { $0.isEnd || $0.failure != nil }
        try await expectNoFailure(diary)
        expectInOrder(target.numbers, upTo: 39)
    }

    @Test("a live stream has no length, and goes on")
    func live() async throws {
        let server = try MediaServer()
        let folder = server.folder.path(of: "www")
        // The brightness begins anew after 50 pictures.
        let pictures = TestVideo.counting(seconds: 600).replacing("*N", with: "*mod(N\\,50)")
        let camera = try ChildProcess(
            "/usr/bin/env",
            [
                "ffmpeg", "-v", "error", "-re", "-f", "lavfi", "-i",
                pictures,
                "-c:v", "libx264", "-qp", "8", "-g", "5", "-sc_threshold", "0", "-f", "hls",
                "-hls_time", "0.5", "-hls_list_size", "20", "-hls_flags", "delete_segments",
                "-hls_segment_filename", "\(folder)/live-%d.ts", "\(folder)/live.m3u8",
            ], errors: server.folder.path(of: "camera"))
        defer {
            camera.kill()
            camera.wait()
        }
        try await waitUntil("the stream begins") {
            let playlist = try? String(contentsOfFile: "\(folder)/live.m3u8", encoding: .utf8)
            return (playlist ?? "").split(separator: "#EXTINF").count > 3
        }
        let item = item(server.url("live.m3u8"))
        let (player, diary) = try player(item, withSound: false)
        player.play()
        let target = target
        try await waitUntil("the stream goes on") {
            if let failure = await diary.events.compactMap(\.failure).first { throw failure }
            return target.numbers.count >= 20
        }
        #expect(item.duration == .indefinite)
        try await expectNoFailure(diary)
        let steps = zip(target.numbers, target.numbers.dropFirst()).map { ($1 - $0 + 50) % 50 }
        #expect(steps.allSatisfy { (1...25).contains($0) }, "\(target.numbers)")
    }
}
