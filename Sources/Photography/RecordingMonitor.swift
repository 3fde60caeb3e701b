// SPDX-License-Identifier: GPL-3.0-or-later

package import Capture
package import Kiosk
internal import Recording

/// Tells the kiosk how loud it is and how much can still be recorded, while a clip is recorded.
package actor RecordingMonitor {
    private static let interval = Duration.milliseconds(250)
    private let kiosk: KioskRunner
    private let microphone: Microphone?
    private let movies: MovieRecorder
    private nonisolated let (changes, changeInput) = AsyncStream.makeStream(
        of: Bool.self, bufferingPolicy: .bufferingNewest(1))
    private var telling: Task<Void, Never>?

    package init(_ kiosk: KioskRunner, _ microphone: Microphone?, _ movies: MovieRecorder) {
        self.kiosk = kiosk
        self.microphone = microphone
        self.movies = movies
    }

    /// Whether a clip is recorded now. Any thread.
    package nonisolated func setRecording(_ isRecording: Bool) { changeInput.yield(isRecording) }

    /// Follows ``setRecording(_:)`` until the task is cancelled.
    package func run() async {
        for await isRecording in changes {
            telling?.cancel()
            telling = isRecording ? Task { await self.tell() } : nil
        }
        telling?.cancel()
    }

    private func tell() async {
        while !Task.isCancelled {
            if let status = microphone?.status {
                await kiosk.handle(.soundLevel(status.device.isEmpty ? nil : status.level))
            }
            let room = movies.output.recordableDuration.map { Double($0) / 1e9 }
            await kiosk.handle(.recordingRoom(seconds: room))
            try? await Task.sleep(for: Self.interval)
        }
    }
}
