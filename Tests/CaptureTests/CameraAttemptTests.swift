// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// Returns the calling thread's folder in proc(5), which is removed when the thread ends.
func threadFolder() -> String {
    guard let found = unsafe realpath("/proc/thread-self", nil) else { return "" }
    defer { unsafe free(found) }
    return unsafe String(cString: found)
}

/// Records the thread on which the stream starts.
private final class ThreadOutput: CaptureOutput {
    private let path = Mutex("")
    let heldFrames = 0

    /// The folder of that thread in proc(5), removed when the thread ends.
    var thread: String { path.withLock { $0 } }

    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {
        path.withLock { $0 = threadFolder() }
    }
    func streamDidStop(willRestart: Bool) {}
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {}
}

@Suite("CaptureSession: attempts to open a camera", .timeLimit(.common))
struct CameraAttemptTests {
    /// Starts a session whose camera cannot be opened, so that it tries again and again.
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

    @Test("a start without a camera throws the reason, and stopping ends the attempts")
    func stopped() async throws {
        let (script, session) = try await searching()
        let (otherScript, other) = try await searching()
        try await waitUntil { script.attempts >= 2 }
        await session.stopRunning()
        #expect(await session.state == .stopped)
        let made = script.attempts
        // Wait until the other session has made two more attempts.
        let goal = otherScript.attempts + 2
        try await waitUntil { otherScript.attempts >= goal }
        #expect(script.attempts == made)
        #expect(session.statistics.lastHeartbeat == nil)
        await session.close()
        await other.close()
    }

    @Test("a newly plugged-in device triggers an attempt at once")
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
        // An attempt without a wake-up would take as long as one of the other session's.
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
        // The session lets no caller in before both wait for the thread.
        _ = await session.state
        script.release()
        await closed
        await stopped
        try await waitUntil { unsafe access(thread, F_OK) != 0 }
        #expect(script.openNow == 0)
    }
}
