// SPDX-License-Identifier: GPL-3.0-or-later

internal import ALSA
internal import Glibc
internal import LinuxIO
internal import Media
internal import Synchronization

/// The loop of one microphone's thread.
///
///     closed ──wanted──▶ open ──overrun──▶ open, with a gap
///        ▲                │ error, silence for 2 s
///        └── not wanted ──┴──────────▶ missing ──1 s──▶ (again)
struct MicrophoneLoop: ~Copyable {
    private let choice: Microphone.Choice
    private let format: AudioFormat
    private let mailbox: MicrophoneMailbox

    private static let retryMilliseconds: Int32 = 1000
    private static let silenceLimit: Int64 = 2_000_000_000
    private static let wakeTag: UInt64 = 0
    private static let soundTag: UInt64 = 1
    /// The nanoseconds in which the level halves.
    private static let levelFall: Int64 = 333_000_000

    init(
        _ choice: Microphone.Choice, _ format: AudioFormat, _ mailbox: MicrophoneMailbox
    ) {
        self.choice = choice
        self.format = format
        self.mailbox = mailbox
    }

    func run() {
        while !mailbox.hasEnded {
            guard mailbox.isWanted else {
                tell { $0.problem = nil }
                _ = mailbox.idle.wait()
                continue
            }
            do throws(SystemCallError) {
                try record()
            } catch {
                let users = error.isBusy ? users() : []
                tell { $0.problem = "\(error)\(users.clause)" }
                _ = mailbox.idle.wait(milliseconds: Self.retryMilliseconds)
            }
        }
    }

    /// Returns the programs that use the device, as far as this process may see them.
    private func users() -> [FileUser] {
        let cards = SoundCard.all
        let device = choice.device(among: cards.map(\.id))
        return cards.first { $0.id == device }.map { FileUser.users(of: $0.path) } ?? []
    }

    private func tell(_ change: (inout Microphone.Status) -> Void) {
        mailbox.status.withLock { change(&$0) }
    }

    private func record() throws(SystemCallError) {
        guard let device = choice.device(among: SoundCard.all.map(\.id)) else {
            throw SystemCallError(
                call: "looking for a sound device", code: ENODEV, path: choice.name)
        }
        let stream = try CaptureStream(device, format)
        tell { status in
            status.device = device
            status.problem = nil
        }
        defer {
            tell { status in
                status.device = ""
                status.level = 0
            }
        }
        let poller = try Poller.watching(mailbox.wake, tag: Self.wakeTag)
        try poller.add(stream.readyDescriptor, tag: Self.soundTag)
        var continuity = SoundContinuity(buffer: stream.buffer)
        var lastSound = Clock.monotonic
        // Nanoseconds waited without sound.
        var silence: Int64 = 0
        var isFirst = true
        while mailbox.isWanted {
            silence += wait(poller)
            do throws(SystemCallError) {
                var isMore = true
                while isMore, var chunk = try stream.read() {
                    isMore = chunk.length == CaptureStream.longestRead
                    if continuity.isBroken(by: chunk) {
                        tell { $0.overruns += 1 }
                        isFirst = true
                    }
                    chunk.isFirst = isFirst
                    isFirst = false
                    let now = Clock.monotonic
                    note(chunk, after: now - lastSound)
                    (lastSound, silence) = (now, 0)
                    mailbox.deliver(chunk)
                }
            } catch {
                guard error.code == EPIPE || error.code == ESTRPIPE else { throw error }
                tell { $0.overruns += 1 }
                try stream.restart()
                continuity.restart()
                // A device that delivers only overruns counts as silent.
                if !isFirst { silence = 0 }
                isFirst = true
            }
            if silence >= Self.silenceLimit {
                throw SystemCallError(call: "waiting for sound", code: ETIMEDOUT, path: device)
            }
        }
    }

    /// - Returns: the nanoseconds waited, at most the timeout. A suspension of this process or the
    ///   machine does not count as the device's silence.
    private func wait(_ poller: borrowing Poller) -> Int64 {
        let begin = Clock.monotonic
        _ = poller.wait(milliseconds: Self.retryMilliseconds)
        return min(Clock.monotonic - begin, Int64(Self.retryMilliseconds) * 1_000_000)
    }

    private func note(_ chunk: AudioChunk, after elapsed: Int64) {
        let peak = chunk.peak
        let kept = exp2(-Double(elapsed) / Double(Self.levelFall))
        tell { $0.level = max(peak, $0.level * kept) }
    }
}
