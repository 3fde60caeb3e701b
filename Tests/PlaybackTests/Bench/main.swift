// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a video into memory, for board/host/bench play.
//
//     play-bench play FILE SECONDS     plays the first seconds; prints shown and dropped pictures
//     play-bench seek FILE TIME...     goes to each time; prints the milliseconds of each
//     play-bench items FILE COUNT      plays so many items; prints the memory, in kB, ten times

import Glibc
import LinuxIO
import Media
import Playback
import Synchronization

/// A display that takes each picture in its own memory, as one that scans it out does.
final class MemoryTarget: PreviewTarget {
    private let frames = Mutex<FrameHandoff?>(nil)

    var isAvailable: Bool { true }
    func canScanOut(_ pixelFormat: PixelFormat) -> Bool { true }
    func allocate(_ description: FrameDescription) throws -> [FrameBuffer]? {
        [try FrameBuffer.memory(description.bufferSizes[0])]
    }
    func connect(
        _ pool: FramePool, frames: FrameHandoff, by memoryPath: PreviewMemoryPath,
        layout: VideoLayout
    ) throws -> PreviewPath {
        self.frames.withLock { $0 = frames }
        return .imported
    }
    func suspend() { frames.withLock { $0 = nil } }
    func disconnect() { suspend() }
    func frameArrived() { _ = frames.withLock(\.self)?.take() }
}

func time(_ text: String) -> MediaTime {
    MediaTime(nanoseconds: Int64((Double(text) ?? 0) * 1e9))
}

/// Waits for an event of a player.
func wait(
    _ events: AsyncStream<Player.Event>, for isWanted: (Player.Event) -> Bool
) async {
    for await event in events {
        if case .failed(_, let error) = event {
            print("\(error)")
            exit(74)
        }
        if isWanted(event) { return }
    }
}

/// The process's own memory in kB.
func memory() throws -> Int {
    let status = try readSmallFile("/proc/self/smaps_rollup")
    let line = status.split(separator: "\n").first { $0.hasPrefix("Private_Dirty") }
    return line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
}

let words = CommandLine.arguments
guard words.count > 3 else {
    print("usage: play-bench play FILE SECONDS | seek FILE TIME... | items FILE COUNT")
    exit(64)
}
let asset = MediaAsset(path: words[2])
let player = try QueuePlayer(items: [])
player.layer = try PlayerLayer(target: MemoryTarget())
let events = player.events()
switch words[1] {
case "play":
    player.play()
    player.insert(
        PlayerItem(asset, playing: MediaTimeRange(start: .zero, duration: time(words[3]))))
    await wait(events) { if case .didPlayToEnd = $0 { true } else { false } }
    let statistics = player.statistics
    print(statistics.picturesShown, statistics.picturesLate + statistics.picturesUnshown)
case "seek":
    player.insert(PlayerItem(asset))
    await wait(events) { if case .readyToPlay = $0 { true } else { false } }
    for text in words.dropFirst(3) {
        let start = Clock.monotonic
        let isThere = await player.seek(to: time(text))
        print(Double(Clock.monotonic - start) / 1e6)
        if !isThere { exit(70) }
    }
default:
    let count = Int(words[3]) ?? 0
    player.rate = 4
    for number in 0..<count {
        player.insert(PlayerItem(asset))
        await wait(events) { if case .didPlayToEnd = $0 { true } else { false } }
        player.removeAllItems()
        player.rate = 4
        if (number + 1) % max(count / 10, 1) == 0 { print(try memory()) }
    }
}
