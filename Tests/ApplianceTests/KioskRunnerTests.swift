// SPDX-License-Identifier: GPL-3.0-or-later

import Kiosk
import LinuxIO
import Testing
import TestSupport

@Suite("KioskRunner", .timeLimit(.common))
struct KioskRunnerTests {
    /// Returns a runner without a countdown, and the shots of the presses that it has accepted.
    private func runner(
        presses: Int, saveLimit: Double = 60
    ) async throws -> (KioskRunner, [ShotIdentifier]) {
        var configuration = KioskConfiguration()
        configuration.countdownSeconds = 0
        configuration.saveLimitSeconds = saveLimit
        let runner = KioskRunner(configuration)
        await runner.handle(.previewStarted)
        var shots: [ShotIdentifier] = []
        for _ in 0..<presses {
            let press = KioskPress(.photo, timestamp: Clock.monotonic)
            guard case .accepted(let shot)? = await runner.handle(.press(press)) else { continue }
            shots.append(shot)
        }
        try #require(shots.count == presses)
        return (runner, shots)
    }

    @Test("a runner becomes idle when the last photo is saved, not before")
    func saved() async throws {
        let (runner, shots) = try await runner(presses: 3)
        await runner.handle(.stopping)
        let counts = Task {
            await runner.becameIdle()
            return await runner.counts
        }
        for shot in shots {
            await runner.handle(.captured(shot))
            await Task.yield()
            await runner.handle(.saved(shot, SavedPhoto(assetID: "", fileName: "")))
        }
        #expect(await counts.value.saved == 3)
        await runner.stop()
    }

    @Test("a runner becomes idle when an unanswered photo is given up")
    func givenUp() async throws {
        let (runner, shots) = try await runner(presses: 1, saveLimit: 0.01)
        await runner.handle(.captured(shots[0]))
        await runner.becameIdle()
        #expect(await runner.counts.unanswered == 1)
        await runner.stop()
    }

    @Test("a runner that has stopped still answers")
    func stopped() async throws {
        let (runner, shots) = try await runner(presses: 1)
        await runner.stop()
        #expect(
            await runner.result(of: shots[0]) == .failed(reason: "the appliance is stopping"))
        await runner.becameIdle()
        let press = KioskPress(.photo, timestamp: Clock.monotonic)
        #expect(await runner.handle(.press(press)) == nil)
    }
}
