// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// Of the thread that it is called on: its folder in proc(5), which goes with it.
func threadFolder() -> String {
    guard let found = unsafe realpath("/proc/thread-self", nil) else { return "" }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
}

/// Notes on which thread frames come.
private final class ThreadOutput: CaptureOutput {
    private let path = Mutex("")
    let heldFrames = 0

    /// Its folder in proc(5), which goes with it.
    var thread: String { path.withLock { $0 } }

    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        path.withLock { $0 = threadFolder() }
    }
    func streamDidStop(willRestart: Bool) {}
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {}
}

@Suite("CaptureSession: attempts to open a camera, and their end", .timeLimit(.common))
struct CameraAttemptTests {
    /// A session whose camera cannot be opened, and is tried again and again.
    private func searching() async throws -> (script: CameraScript, session: CaptureSession) {
        let (script, session) = (try CameraScript(), try CaptureSession())
        script.refuse(ENOENT)
        let input = CaptureDeviceInput(device: ScriptedCamera(script: script).device)
        try await session.configure { try $0.addInput(input) }
        let error = await #expect(throws: CaptureError.self) { try await session.startRunning() }
        #expect(error?.code == .disconnected)
        #expect(await session.state == .interrupted)
        return (script, session)
    }

    @Test("starting without a camera says why, and stopping ends the attempts")
    func stopped() async throws {
        let (script, session) = try await searching()
        let (otherScript, other) = try await searching()
        try await waitUntil { script.attempts >= 2 }
        await session.stopRunning()
        #expect(await session.state == .stopped)
        let made = script.attempts
        // As long as another session makes two.
        let goal = otherScript.attempts + 2
        try await waitUntil { otherScript.attempts >= goal }
        #expect(script.attempts == made)
        #expect(session.statistics.lastHeartbeat == nil)
        await session.close()
        await other.close()
    }

    @Test("when something is plugged in it is looked at once whether it is the camera")
    func appeared() async throws {
        let (script, session) = try await searching()
        let (otherScript, other) = try await searching()
        var prompt = 0
        for _ in 0..<20 {
            let (made, others) = (script.attempts, otherScript.attempts)
            await session.deviceAppeared()
            try await waitUntil { script.attempts > made }
            if otherScript.attempts == others { prompt += 1 }
        }
        // An attempt that nobody wakes takes as long as one of the other's.
        #expect(prompt > 5)
        script.refuse(nil)
        script.play(.frame(sequence: 0, timestamp: 0))
        await session.deviceAppeared()
        try await session.waitUntilRunning()
        await session.close()
        await other.close()
    }

    @Test("stopRunning() during close() does not keep the camera's thread alive")
    func stopDuringClose() async throws {
        let (script, session) = (try CameraScript(), try CaptureSession())
        let output = ThreadOutput()
        let input = CaptureDeviceInput(device: ScriptedCamera(script: script).device)
        try await session.configure { configuration in
            try configuration.addInput(input)
            try configuration.addOutput(output)
        }
        script.play(.frame(sequence: 0, timestamp: 0))
        try await session.startRunning()
        let thread = output.thread
        #expect(unsafe access(thread, F_OK) == 0)
        script.play(.hang)
        try await waitUntil { script.hanging == 1 }

        let (closing, stopping) = (Sign(), Sign())
        async let closed: Void = session.close(saying: closing)
        try await waitUntil { closing.isGiven }
        async let stopped: Void = session.stopRunning(saying: stopping)
        try await waitUntil { stopping.isGiven }
        // It lets nobody in before both wait for the thread.
        _ = await session.state
        script.release()
        await closed
        await stopped
        try await waitUntil { unsafe access(thread, F_OK) != 0 }
        #expect(script.openNow == 0)
    }
}
