// SPDX-License-Identifier: GPL-3.0-or-later

internal import CommandProtocol
internal import Screens
internal import Photography
internal import Capture
internal import Controls
internal import Devices
internal import Display
internal import Health
internal import Kiosk
internal import Library
internal import LibraryService
package import LinuxIO
internal import Logging
internal import Recording
internal import Settings

/// Examines every three seconds what no event reports: hanging threads, the library's disk, the
/// board's sensors, missing lamps and microphones.
package actor HealthMonitor {
    private static let interval = Duration.seconds(3)
    /// The sensors are read on every tenth examination.
    private static let sensorInterval = 10
    /// Nanoseconds after which a clip's disk is asked whether it answers at all.
    private static let longestFileWait: Int64 = 5_000_000_000
    /// Nanoseconds between two examinations after which the process itself may have stood still.
    private static let longestPause: Int64 = 4_000_000_000

    private let executor: ThreadExecutor
    /// The library's supervisor shares this executor, so that both wake up one thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private let parts: KioskParts
    private let log = Logger(label: "health")
    private var examinations = 0
    private var lastTime = Clock.monotonic
    private var mayMicrophoneHaveChanged = false
    private var problemsOnLamps = ProblemList()
    /// The codes that the screen shows instead of the invitation.
    private var shownOddities: Set<String> = []
    private var shownCopies: String?
    /// The file operation that last made us probe the disk.
    private var probedWait: Int64?

    package init(_ parts: KioskParts, executor: ThreadExecutor) {
        self.parts = parts
        self.executor = executor
    }

    package func run() async {
        repeat {
            await examine()
            // A cancelled task is not woken up any more.
            if Task.isCancelled { return }
            await executor.sleep(for: Self.interval)
        } while !Task.isCancelled
    }

    /// Wakes ``run()`` up, whose task was cancelled.
    package func stop() { executor.wakeSleepers() }

    /// Looks for the microphone at the next examination; its files may still be appearing.
    package func soundDevicesChanged() { mayMicrophoneHaveChanged = true }

    private func examine() async {
        let readsSensors = examinations % Self.sensorInterval == 0
        examinations += 1
        if readsSensors {
            parts.problems.setSensors(BoardSensors().findings)
            await examineCopies()
        }
        // The microphone is open only for clips, and its absence should be known before.
        if readsSensors || parts.problems.missingMicrophone != nil || mayMicrophoneHaveChanged {
            mayMicrophoneHaveChanged = false
            parts.problems.missingMicrophone = Board.missingMicrophone(parts.board.settings)
        }
        await replaceHangingThreads()
        await examineLibrary()
        for output in parts.outputs { output.rescan() }
        await showProblemsOnLamps()
        await showOddities()
    }

    /// Seconds that a photo may wait for its copy, unless the interval is longer.
    private static let longestSync: Int64 = 86_400

    /// Looks for assets that wait for their copies.
    private func examineCopies() async {
        guard !parts.board.settings.sync.remote.isEmpty else { return }
        // Asks the library.
        _ = await parts.library.status()
        let backlog = await parts.library.backlog
        parts.problems.lateSync = lateSync(backlog)
        let status = StatusReport.Sync(parts.library.remote, backlog, SyncServiceReport(.idle))
        if status.waiting == shownCopies { return }
        shownCopies = status.waiting
        await parts.kiosk.handle(.copiesWaiting(status.waiting))
    }

    /// Says what has waited too long for a copy; `nil` if nothing has.
    private func lateSync(_ backlog: SyncBacklog) -> String? {
        let settings = parts.board.settings.sync
        let limit = max(Self.longestSync, 2 * 60 * Int64(settings.intervalMinutes))
        guard let seconds = backlog.oldestPendingSeconds, seconds > limit, !backlog.isPaused else {
            return nil
        }
        return "\(backlog.pending) photos and clips are not at \(settings.remote); the oldest has "
            + "waited for \(seconds / 3600) hours"
    }

    private func replaceHangingThreads() async {
        let now = Clock.monotonic
        defer { lastTime = now }
        // After a long pause nothing is known about other threads, because the whole process may
        // have stood still. After a shorter one, even the display's thread has moved within its
        // limit.
        guard now - lastTime < Self.longestPause else { return }
        for screen in parts.displays.map(\.screen) where screen.replaceHangingThread() {
            log.error("the display's thread hangs; another one continues")
        }
        parts.movies.output.findEncoder()
        if parts.session.isThreadHanging(), await parts.session.replaceHangingThread() {
            log.error("the camera's driver does not answer; another thread continues")
        }
    }

    private func examineLibrary() async {
        let wait = parts.movies.output.fileWaitTime
        // Each operation makes us probe once: the disk may have answered, or be another one by now.
        let isDoubtful =
            wait.map { $0 != probedWait && Clock.monotonic - $0 > Self.longestFileWait } ?? false
        if await parts.library.look(isDoubtful: isDoubtful), isDoubtful { probedWait = wait }
    }

    private func showProblemsOnLamps() async {
        let current = parts.problems.current
        if current == problemsOnLamps { return }
        problemsOnLamps = current
        await parts.lamps.show(current)
    }

    private func showOddities() async {
        let board = parts.board
        let shutters = board.photoButtons.isEmpty ? board.movieButtons : board.photoButtons
        let current = parts.problems.oddities(shutters: shutters)
        if current == shownOddities { return }
        for code in current.subtracting(shownOddities) {
            await parts.kiosk.handle(.problem(KioskProblem(code: code, effect: .noticed)))
        }
        for code in shownOddities.subtracting(current) {
            await parts.kiosk.handle(.problemGone(code: code))
        }
        shownOddities = current
    }
}
