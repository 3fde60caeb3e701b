// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxIO
import Media
import Playback
import Synchronization
import TestSupport
import Testing

@Suite("Player", .timeLimit(.common))
struct PlayerTests {
    private let target = NotingTarget()
    private let sound = NotingSound()

    private func player(
        _ videos: [TestVideo], sound: NotingSound?
    ) throws -> (QueuePlayer, PlayerDiary) {
        let items = videos.map { PlayerItem(MediaAsset(path: $0.path)) }
        var open: Player.SoundOpener?
        if let sound { open = { () throws(SystemCallError) in try sound.open() } }
        let player = try QueuePlayer(items: [], sound: open)
        player.layer = try PlayerLayer(target: target)
        let diary = PlayerDiary(player)
        for item in items { player.insert(item) }
        return (player, diary)
    }

    @Test("pictures and sound are played from the first to the last")
    func whole() async throws {
        let video = try TestVideo.withTone("a.mov")
        let (player, diary) = try player([video], sound: sound)
        player.play()
        await diary.wait(for: 1) { $0.isEnd }
        await diary.wait { $0.status == .paused }
        expectInOrder(target.numbers, upTo: 19)
        let statistics = player.statistics
        #expect(
            statistics.picturesShown + statistics.picturesLate + statistics.picturesUnshown == 20)
        expectSame(sound.heard, try video.samples())
        #expect(player.rate == 0 && player.timeControlStatus == .paused)
        #expect(player.currentTime == MediaTime(value: 2, timescale: 1))
        let item = try #require(player.currentItem)
        #expect(item.duration.seconds == 2)
        #expect(item.presentationSize == Dimensions(width: 160, height: 120))
        #expect(await diary.events.contains { $0.isReady })
    }

    @Test("without a sound device, time passes by the machine's clock")
    func silent() async throws {
        let video = try TestVideo.withTone("a.mov", seconds: 1)
        let (player, diary) = try player([video], sound: nil)
        player.play()
        await diary.wait { $0.isEnd }
        expectInOrder(target.numbers, upTo: 9)
    }

    @Test("media that are damaged anywhere are played or told, and the next ones follow")
    func damagedMedia() async throws {
        let corpus = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../Fuzz/Corpus/PlayedMedia").standardized
        let folder = try TemporaryFolder()
        var random = Seeded(7)
        let (player, diary) = try player([], sound: sound)
        let names = try FileManager.default.contentsOfDirectory(atPath: corpus.path).sorted()
        for name in names {
            let whole = try [UInt8](Data(contentsOf: corpus.appending(path: name)))
            for number in 0..<8 {
                var bytes = whole
                for _ in 0..<number {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                        in: 0...255, using: &random)
                }
                if number % 4 == 3 { bytes.removeLast(bytes.count / number) }
                try folder.write(bytes, to: "\(number)-\(name)")
                player.insert(PlayerItem(MediaAsset(path: folder.path(of: "\(number)-\(name)"))))
            }
        }
        player.insert(PlayerItem(MediaAsset(path: folder.path(of: "missing.mp4"))))
        let last = try TestVideo.withTone("last.mov", seconds: 1)
        let items = player.items + [PlayerItem(MediaAsset(path: last.path))]
        player.insert(items[items.count - 1])
        player.play()
        for (number, item) in items.dropLast().enumerated() {
            // Damaged times may be long: what can be played makes way.
            await diary.wait { event in
                switch event {
                case .readyToPlay(let ready): ready === item
                case .failed(let failed, _): failed === item
                default: false
                }
            }
            if player.currentItem === item { player.remove(item) }
            if case .failed(let error) = item.status { #expect(!error.message.isEmpty) }
            #expect(player.items.count <= items.count - number - 1)
        }
        await diary.wait {
            if case .didPlayToEnd(let ended) = $0 { ended === items.last } else { false }
        }
        #expect(target.numbers.last == 9)
        let failures = await diary.events.compactMap(\.failure)
        // Those of the corpus that have nothing to play, and the missing one at least.
        #expect(failures.count >= 3 && failures.last?.code == .notFound, "\(failures.count)")
    }

    @Test("pictures of another size are shown at once")
    func otherSize() async throws {
        let small = try TestVideo("a.mp4", TestVideo.counting(seconds: 1), TestVideo.x264)
        let large = try TestVideo(
            "b.mp4", TestVideo.counting(size: "320x240", seconds: 1), TestVideo.x264)
        let (player, diary) = try player([small], sound: nil)
        await diary.wait { $0.isReady }
        for (count, video) in [large, small, large].enumerated() {
            player.replaceCurrentItem(with: PlayerItem(MediaAsset(path: video.path)))
            await diary.wait(for: count + 2) { $0.isReady }
            #expect(await player.seek(to: MediaTime(value: 3, timescale: 10)))
            #expect(target.numbers.last == 3 && target.layouts.count == count + 2)
        }
    }

    @Test("without a sound device, music passes unheard")
    func silentMusic() async throws {
        let music = try TestVideo("a.m4a", "sine=duration=1", "-c:a aac")
        let (player, diary) = try player([music], sound: nil)
        player.play()
        await diary.wait { $0.isEnd }
        #expect(player.currentTime.seconds == 1)
        #expect(await !diary.events.contains { $0.failure != nil })
    }

    @Test("pictures go on when the sound device goes")
    func unplugged() async throws {
        let video = try TestVideo.withTone("a.mov")
        let (player, diary) = try player([video], sound: sound)
        sound.stop(after: MediaTime(value: 1, timescale: 2))
        player.play()
        try await sound.reachStop()
        sound.unplug()
        await diary.wait { $0.isEnd }
        expectInOrder(target.numbers, upTo: 19)
        #expect(sound.heard.count == 2 * 24_000)
        #expect(
            await diary.events.contains { if case .soundFailed = $0 { true } else { false } })
    }

    @Test("a device that has run out of samples loses none")
    func underrun() async throws {
        let video = try TestVideo.withTone("a.mov")
        let (player, diary) = try player([video], sound: sound)
        sound.stop(after: MediaTime(value: 1, timescale: 2))
        player.play()
        try await sound.reachStop()
        sound.stop(after: nil)
        sound.underrun()
        await diary.wait { $0.isEnd }
        expectSame(sound.heard, try video.samples())
        expectInOrder(target.numbers, upTo: 19)
        #expect(player.statistics.soundUnderruns >= 1 && player.statistics.stalls >= 1)
    }

    @Test("a pause loses no sample and repeats none")
    func pause() async throws {
        let video = try TestVideo.withTone("a.mov")
        let (player, diary) = try player([video], sound: sound)
        for pause in 1...3 {
            let stop = MediaTime(value: Int64(4 * pause), timescale: 10)
            sound.stop(after: stop)
            player.play()
            try await sound.reachStop()
            player.pause()
            await diary.wait(for: pause) { $0.status == .paused }
            #expect(player.currentTime == stop)
        }
        sound.stop(after: nil)
        player.play()
        await diary.wait { $0.isEnd }
        expectSame(sound.heard, try video.samples())
        expectInOrder(target.numbers, upTo: 19)
    }

    @Test("the sound of a queue has no sample too many or too few, nor has that of a loop")
    func gapless() async throws {
        let folder = try TemporaryFolder()
        var expected: [Int16] = []
        var videos: [TestVideo] = []
        for number in 0..<5 {
            let video = try TestVideo(
                "\(number).m4a", "aevalsrc=0.4*sin((300+\(number)*50)*2*PI*t):s=48000:d=0.7",
                "-c:a aac")
            videos.append(video)
            // This version of the program keeps the encoder's padding at the end.
            expected += try video.samples().prefix(2 * 33_600)
        }
        let (player, diary) = try player(videos, sound: sound)
        player.play()
        await diary.wait(for: 5) { $0.isEnd }
        #expect(expected.count == 5 * 2 * 33_600)
        expectSame(sound.heard, expected)
        #expect(player.statistics.stalls == 0 || player.statistics.soundUnderruns > 0)

        let round = NotingSound()
        let looping = try QueuePlayer(items: []) { () throws(SystemCallError) in
            try round.open()
        }
        let loopDiary = PlayerDiary(looping)
        let looper = PlayerLooper(
            looping, template: PlayerItem(MediaAsset(path: videos[0].path)), times: 4)
        looping.play()
        await loopDiary.wait(for: 4) { $0.isEnd }
        await loopDiary.wait { $0.status == .paused }
        let once = Array(try videos[0].samples().prefix(2 * 33_600))
        expectSame(round.heard, once + once + once + once)
        _ = (folder, looper)
    }

    @Test("sound that is shorter than the pictures is followed by silence")
    func shortSound() async throws {
        let first = try TestVideo.withTone("a.mov", seconds: 1, sound: 0.5)
        let second = try TestVideo.withTone("b.mov", seconds: 1)
        let (player, diary) = try player([first, second], sound: sound)
        player.play()
        await diary.wait(for: 2) { $0.isEnd }
        let silence = [Int16](repeating: 0, count: 2 * 24_000)
        expectSame(
            sound.heard, try first.samples() + silence + second.samples())
        #expect(target.numbers.last == 9)
    }

    @Test("a seek leads to the exact picture, and the sound goes on from there")
    func seek() async throws {
        let video = try TestVideo.withTone("a.mov")
        let (player, diary) = try player([video], sound: sound)
        await diary.wait { $0.isReady }
        for tenth in [17, 3, 12, 11, 13, 0, 19] {
            #expect(await player.seek(to: MediaTime(value: Int64(2 * tenth) + 1, timescale: 20)))
            #expect(target.numbers.last == tenth)
            #expect(player.currentTime.seconds == (Double(tenth) + 0.5) / 10)
        }
        // With a tolerance, the key frame before is as good.
        #expect(
            await player.seek(
                to: MediaTime(value: 3, timescale: 2), toleranceBefore: .positiveInfinity))
        #expect(target.numbers.last == 12)
        #expect(await player.seek(to: MediaTime(value: 3, timescale: 2)))
        #expect(target.numbers.last == 15)
        player.play()
        await diary.wait { $0.isEnd }
        expectSame(sound.heard, Array(try video.samples().suffix(2 * 24_000)))
        // Behind the end is the end.
        #expect(await player.seek(to: MediaTime(value: 100, timescale: 1)))
        #expect(player.currentTime.seconds == 2 && target.numbers.last == 19)
    }

    @Test("many seeks show pictures meanwhile, and end on the last one's")
    func scrubbing() async throws {
        let video = try TestVideo.withTone("a.mov", seconds: 4)
        let (player, diary) = try player([video], sound: nil)
        player.beginScrubbing()
        player.play()
        let seeks = (0..<60).map { number in
            let tenth = (number * 7 + 3) % 40
            let answer = PendingAnswer<Bool>()
            player.startSeek(to: MediaTime(value: Int64(tenth), timescale: 10)) { answer.give($0) }
            return (tenth, answer)
        }
        var finished: [Int] = []
        for (tenth, answer) in seeks {
            if await answer.value(within: .seconds(60)) == true { finished.append(tenth) }
        }
        #expect(finished.last == seeks.last?.0)
        #expect(player.timeControlStatus == .paused && player.rate == 1)
        let time = player.currentTime
        #expect(time.seconds == Double(seeks.last?.0 ?? 0) / 10)
        #expect(target.numbers.last == seeks.last?.0)
        player.endScrubbing()
        await diary.wait { $0.isEnd }
        #expect(target.numbers.last == 39)
    }

    @Test("a seek that is cancelled has not finished")
    func cancelledSeek() async throws {
        let folder = try TemporaryFolder()
        // A pipe into which nobody writes holds the seek up.
        let path = folder.path(of: "pipe.mkv")
        #expect(unsafe mkfifo(path, 0o600) == 0)
        let writer = try OwnedDescriptor(open: path, flags: O_RDWR)
        let player = try QueuePlayer(items: [PlayerItem(MediaAsset(path: path))])
        let cancelled = PendingAnswer<Bool>()
        player.startSeek(to: .zero) { cancelled.give($0) }
        player.cancelPendingSeeks()
        #expect(await cancelled.value(within: .seconds(60)) == false)
        _ = writer
    }

    @Test("backwards, the key frames are shown down to the first")
    func backwards() async throws {
        let video = try TestVideo.withTone("a.mov", seconds: 4)
        let (player, diary) = try player([video], sound: sound)
        await diary.wait { $0.isReady }
        _ = await player.seek(to: MediaTime(value: 39, timescale: 10))
        player.rate = -4
        await diary.wait { $0.status == .playing }
        await diary.wait { $0.status == .paused }
        #expect(player.currentTime == .zero && player.rate == 0)
        let shown = Array(target.numbers.drop { $0 != 39 }.dropFirst())
        // A loaded machine may leave key frames out.
        #expect(shown.allSatisfy { $0 % 12 == 0 } && shown.last == 0, "\(shown)")
        #expect(zip(shown, shown.dropFirst()).allSatisfy { $0 > $1 }, "\(shown)")
        #expect(sound.heard.isEmpty)
        // It goes forward again from there.
        player.rate = 4
        await diary.wait { $0.isEnd }
        #expect(target.numbers.last == 39)
        #expect(sound.heard.isEmpty)
    }

    @Test("a file that cannot be played is told with its reason, and the next one is played")
    func broken() async throws {
        let good = try TestVideo.withTone("a.mov", seconds: 1)
        let damaged = good.folder.path(of: "b.mov")
        try Data("no media at all".utf8).write(to: URL(fileURLWithPath: damaged))
        let items = [damaged, good.folder.path(of: "missing.mkv"), good.path].map {
            PlayerItem(MediaAsset(path: $0))
        }
        let player = try QueuePlayer(items: [])
        player.layer = try PlayerLayer(target: target)
        let diary = PlayerDiary(player)
        for item in items { player.insert(item) }
        player.play()
        await diary.wait { $0.isEnd }
        let failures = await diary.events.compactMap(\.failure)
        #expect(failures.map(\.code) == [.unsupported, .notFound])
        #expect(failures.allSatisfy { $0.message.contains(good.folder.path) })
        expectInOrder(target.numbers, upTo: 9)
        guard case .failed = items[0].status, case .readyToPlay = items[2].status else {
            Issue.record("\(items.map(\.status))")
            return
        }
        // A player of one item stays at the failure.
        player.replaceCurrentItem(with: PlayerItem(MediaAsset(path: damaged)))
        player.play()
        await diary.wait(for: 3) { $0.failure != nil }
        await diary.wait { $0.status == .paused }
    }

    @Test("a part of a file is played exactly")
    func part() async throws {
        let video = try TestVideo.withTone("a.mov")
        let range = MediaTimeRange(
            start: MediaTime(value: 5, timescale: 10), duration: MediaTime(value: 7, timescale: 10))
        let (player, diary) = try player([], sound: sound)
        player.insert(PlayerItem(MediaAsset(path: video.path), playing: range))
        player.play()
        await diary.wait { $0.isEnd }
        #expect(target.numbers.first == 5 && target.numbers.last == 11)
        expectSame(sound.heard, Array(try video.samples()[48_000..<(2 * 57_600)]))
    }

    @Test("the time follows the device's clock")
    func drift() async throws {
        let fast = NotingSound(speed: 1.01)
        let video = try TestVideo.withTone("a.mov", seconds: 4)
        let (player, diary) = try player([video], sound: fast)
        let errors = Mutex<[Double]>([])
        let tenth = MediaTime(value: 1, timescale: 10)
        let token = player.addPeriodicTimeObserver(every: tenth) { [clock = player.clock] time in
            guard time.seconds > 2, clock.rate != 0, let told = fast.told else { return }
            let since = Double(Clock.monotonic - told.host) / 1e9
            let error = clock.time.seconds - Double(told.frames) / 48_000 - since
            errors.withLock { $0.append(abs(error)) }
        }
        // Without the device's clock, the errors would be 20 ms and more. A busy machine makes some
        // of them larger, and may leave out all of one round.
        var round = 0
        repeat {
            round += 1
            #expect(await player.seek(to: .zero))
            player.play()
            await diary.wait(for: round) { $0.isEnd }
        } while errors.withLock { $0.min() ?? 1 } >= 0.01
        _ = token
    }

    @Test("the volume counts, and muted sound passes unheard")
    func volume() async throws {
        let video = try TestVideo.withTone("a.mov", seconds: 1)
        let (player, diary) = try player([video], sound: sound)
        player.volume = 0.5
        player.play()
        await diary.wait { $0.isEnd }
        let full = try video.samples()
        #expect(sound.heard.count == full.count)
        let wrong = zip(sound.heard, full).enumerated().first { abs(2 * Int($1.0) - Int($1.1)) > 2 }
        #expect(wrong == nil)
        player.isMuted = true
        #expect(await player.seek(to: .zero))
        player.play()
        await diary.wait(for: 2) { $0.isEnd }
        #expect(sound.heard.count == 2 * full.count)
        #expect(sound.heard.dropFirst(full.count).allSatisfy { $0 == 0 })
    }

    @Test("pictures get the video's layout, and another display shows the present picture again")
    func displays() async throws {
        let plain = try TestVideo("a.mp4", TestVideo.counting(seconds: 1), TestVideo.x264)
        let turned = try TestVideo(
            "b.mp4", from: plain, "-c copy -metadata:s:v rotate=90 -aspect 8:3")
        let lending = NotingTarget(lendsMemory: true)
        let player = try Player()
        let diary = PlayerDiary(player)
        player.layer = try PlayerLayer(target: target, gravity: .resizeAspectFill)
        player.replaceCurrentItem(with: PlayerItem(MediaAsset(path: turned.path)))
        await diary.wait { $0.isReady }
        #expect(await player.seek(to: MediaTime(value: 3, timescale: 10)))
        #expect(target.paths == [.mapped] && target.numbers == [0, 3])
        let layout = try #require(target.layouts.first)
        #expect(layout.gravity == .resizeAspectFill && layout.pixelAspectRatio == 2)
        #expect(layout.orientation != .upright)
        player.layer = try PlayerLayer(target: lending)
        try await waitUntil("the other display shows it") { lending.numbers == [3] }
        #expect(lending.paths == [.imported])
        lending.change()
        try await waitUntil("it is shown again") { lending.numbers == [3, 3] }
        // Without a display, the player goes on.
        lending.setAvailable(false)
        lending.change()
        player.play()
        await diary.wait { $0.isEnd }
        #expect(lending.numbers == [3, 3])
    }
}
