// SPDX-License-Identifier: GPL-3.0-or-later

import ALSA
import Capture
import Dispatch
import Foundation
import Glibc
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// Records the microphones that it is told of.
private final class HearingOutput: CaptureOutput {
    private let told = Mutex<[ObjectIdentifier?]>([])
    let heldFrames = 0

    /// The microphones in order; `nil` for none.
    var microphones: [ObjectIdentifier?] { told.withLock { $0 } }

    func soundSourceDidChange(_ microphone: Microphone?) {
        let identifier = microphone.map { ObjectIdentifier($0) }
        told.withLock { $0.append(identifier) }
    }
    func streamDidStart(_ stream: StreamDescription, on connection: CaptureConnection) {}
    func streamDidStop(willRestart: Bool) {}
    func receive(_ frame: borrowing FrameLease, from camera: any CameraStream) {}
}

@Suite("CaptureSession: sound", .timeLimit(.common))
struct SoundConnectionTests {
    /// Microphones that do not exist. They report a problem while a listener wants sound, and never
    /// deliver any.
    private let first: Microphone
    private let second: Microphone

    init() throws {
        first = try Microphone(.named("Nobody,0"))
        second = try Microphone(.named("Nobody,1"))
    }

    private func input(_ microphone: Microphone) -> CaptureDeviceInput {
        CaptureDeviceInput(device: CaptureDevice(microphone: microphone))
    }

    @Test("a microphone is the first one automatically, or one found by its name")
    func choice() {
        let ids = ["Camera,0", "Loopback,1"]
        #expect(Microphone.Choice(setting: "") == nil)
        #expect(Microphone.Choice(setting: "auto") == .automatic)
        #expect(Microphone.Choice(setting: "Loopback,1") == .named("Loopback,1"))
        #expect(Microphone.Choice.automatic.device(among: ids) == "Camera,0")
        #expect(Microphone.Choice.automatic.device(among: []) == nil)
        #expect(Microphone.Choice.named("Loopback,1").device(among: ids) == "Loopback,1")
        #expect(Microphone.Choice.named("Loopback,0").device(among: ids) == nil)
    }

    @Test("a microphone is an audio device and no camera")
    func device() throws {
        let device = CaptureDevice(microphone: first)
        #expect(device.mediaType == .audio && device.uniqueID == "Nobody,0")
        #expect(throws: CaptureError.self) { try device.find() }
        let camera = ScriptedCamera(script: try CameraScript()).device
        #expect(camera.mediaType == .video && camera.microphone == nil)
    }

    @Test("a session takes one microphone; a second is refused and changes nothing")
    func one() throws {
        var configuration = CaptureSession.Configuration()
        #expect(configuration.canAddInput(input(first)))
        try configuration.addInput(input(first))
        #expect(!configuration.canAddInput(input(second)))
        let error = #expect(throws: CaptureError.self) {
            try configuration.addInput(input(second))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(configuration.audioInput?.device.microphone === first)
        let camera = CaptureDeviceInput(
            device: ScriptedCamera(script: try CameraScript()).device)
        try configuration.addInput(camera)
        configuration.removeInput(.audio)
        #expect(configuration.audioInput == nil && configuration.input?.device === camera.device)
        try configuration.addInput(input(second))
        #expect(configuration.audioInput?.device.microphone === second)
    }

    @Test("outputs are told of their microphone when it is added, changed and removed")
    func told() async throws {
        let (first, second) = (first, second)
        let (one, other) = (ObjectIdentifier(first), ObjectIdentifier(second))
        let (early, late) = (HearingOutput(), HearingOutput())
        let session = try CaptureSession()
        try await session.configure { try $0.addOutput(early) }
        #expect(early.microphones == [nil])
        try await session.configure { try $0.addInput(input(first)) }
        #expect(early.microphones == [nil, one])
        try await session.configure { try $0.addOutput(late) }
        #expect(late.microphones == [one])
        try await session.configure { configuration in
            configuration.removeInput(.audio)
            try configuration.addInput(input(second))
        }
        #expect(late.microphones == [one, other])
        try await session.configure { $0.removeOutput(late) }
        #expect(late.microphones == [one, other, nil])
        // A configuration that throws changes nothing.
        await #expect(throws: CaptureError.self) {
            try await session.configure { configuration in
                configuration.removeInput(.audio)
                try configuration.addOutput(early)
            }
        }
        #expect(early.microphones == [nil, one, other])
        try await session.configure { $0.removeInput(.audio) }
        #expect(early.microphones == [nil, one, other, nil])
        #expect(late.microphones == [one, other, nil])
        await session.close()
    }

    @Test("AudioDataOutput wants the microphone only while the session runs")
    func wanted() async throws {
        let microphone = first
        let output = try AudioDataOutput { _ in }
        let (script, session) = (try CameraScript(), try CaptureSession())
        let camera = CaptureDeviceInput(device: ScriptedCamera(script: script).device)
        #expect(output.format == nil)
        try await session.configure { configuration in
            try configuration.addInput(camera)
            try configuration.addInput(input(microphone))
            try configuration.addOutput(output)
        }
        #expect(output.format == microphone.format)
        // The microphone cannot be opened: it has a problem while any listener wants it.
        let somebody = microphone.listen { _ in }
        somebody.setWanted(true)
        try await waitUntil { microphone.status.problem != nil }
        somebody.setWanted(false)
        try await waitUntil { microphone.status.problem == nil }
        script.play(.frame(sequence: 0, timestamp: 0))
        try await session.startRunning()
        try await waitUntil { microphone.status.problem != nil }
        await session.stopRunning()
        try await waitUntil { microphone.status.problem == nil }
        try await session.configure { $0.removeInput(.audio) }
        #expect(output.format == nil)
        await session.close()
        await output.close()
    }

    @Test("AudioDataOutput keeps the microphone over a restart, and releases it at close()")
    func restarted() async throws {
        let output = try AudioDataOutput { _ in }
        let frame = try #require(FrameDescription(.xrgb, Dimensions(width: 16, height: 16)))
        output.soundSourceDidChange(first)
        output.streamDidStart(
            StreamDescription(frame: frame, frameInterval: 0),
            on: CaptureConnection(output: output))
        try await waitUntil { first.status.problem != nil }
        output.streamDidStop(willRestart: true)
        // This is long enough for an output that would release the microphone.
        try await Task.sleep(for: .milliseconds(100))
        #expect(first.status.problem != nil)
        await output.close()
        try await waitUntil { first.status.problem == nil }
        #expect(output.format == nil)
    }
}

/// A receiver that blocks at its first chunk until it is woken.
private final class Hearer: Sendable {
    private let heard = Mutex<[Int64]>([])
    private let mustSleep = Mutex(true)
    private let alarm = DispatchSemaphore(value: 0)

    /// The chunks' times.
    var times: [Int64] { heard.withLock { $0 } }
    func wake() {
        mustSleep.withLock { $0 = false }
        alarm.signal()
    }

    func hear(_ chunk: AudioChunk) {
        heard.withLock { $0.append(chunk.time) }
        if mustSleep.withLock({ $0 }) { alarm.wait() }
    }
}

/// Records each chunk's time and its `isFirst`: whether it continues no other chunk.
private final class Ear: Sendable {
    private let chunks = Mutex<[(time: Int64, isFirst: Bool)]>([])

    var heard: [(time: Int64, isFirst: Bool)] { chunks.withLock { $0 } }
    func hear(_ chunk: AudioChunk) { chunks.withLock { $0.append((chunk.time, chunk.isFirst)) } }

    /// Returns `isFirst` of the chunk with this time.
    func isFirst(at time: Int64) -> Bool? { heard.first { $0.time == time }?.isFirst }
}

/// The virtual board's loopback, which records silence while nothing plays.
@Suite("Sound of ALSA", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct KernelSoundTests {
    /// Returns whether the kernel reports the device as open.
    private func isOpen() throws -> Bool {
        let path = "/proc/asound/Loopback/pcm1c/sub0/status"
        let status = try String(contentsOfFile: path, encoding: .utf8)
        return !status.hasPrefix("closed")
    }

    @Test("a microphone is open only while a listener wants its sound")
    func openWhileWanted() async throws {
        let microphone = try Microphone(.named("Loopback,1"))
        var listeners = [microphone.listen { _ in }, microphone.listen { _ in }]
        #expect(try !isOpen())
        for listener in listeners { listener.setWanted(true) }
        try await waitUntil { try isOpen() }
        listeners[0].setWanted(false)
        try await waitUntil { microphone.status.device == "Loopback,1" }
        #expect(try isOpen())
        // A removed listener wants nothing.
        listeners = []
        try await waitUntil { try !isOpen() }
        try await waitUntil { microphone.status.device == "" }
        await microphone.close()
    }

    @Test("a listener's first chunk after each start is marked isFirst, for it alone")
    func joining() async throws {
        let microphone = try Microphone(.named("Loopback,1"))
        let early = Ear()
        let earlyListener = microphone.listen { early.hear($0) }
        earlyListener.setWanted(true)
        try await waitUntil { early.heard.count >= 2 }
        #expect(early.heard[0].isFirst)
        var areToldApart = false
        // Repeat if samples were lost at that very moment, which marks the chunk for every
        // listener.
        while !areToldApart {
            let late = Ear()
            let listener = microphone.listen { late.hear($0) }
            listener.setWanted(true)
            // Every listener has heard all chunks before the last one by now.
            try await waitUntil { late.heard.count >= 3 }
            let (first, second) = (late.heard[0], late.heard[1])
            #expect(first.isFirst)
            #expect(early.isFirst(at: second.time) == second.isFirst)
            let isFirstForAll = try #require(early.isFirst(at: first.time))

            listener.setWanted(false)
            // Chunks under way may still arrive, but are older than the second of two that `early`
            // hears.
            let count = early.heard.count
            try await waitUntil { early.heard.count >= count + 2 }
            let known = late.heard.count
            listener.setWanted(true)
            try await waitUntil { late.heard.count >= known + 2 }
            let again = late.heard[known]
            #expect(again.isFirst)
            let isAgainFirstForAll = try #require(early.isFirst(at: again.time))
            areToldApart = !isFirstForAll && !isAgainFirstForAll
            listener.setWanted(false)
        }
        earlyListener.setWanted(false)
        await microphone.close()
    }

    @Test(
        "samples that are played are heard once each, in order, and the device's clock counts them")
    func played() throws {
        let format = AudioFormat(sampleRate: 48_000, channels: 2)
        let ear = try CaptureStream("Loopback,1", format)
        // All samples fit, so that a slow machine lets none run out.
        var mouth = try PlaybackStream("Loopback,0", format, buffer: 2_000_000)
        let sent = (0..<48_000).map { Int16(truncatingIfNeeded: $0 % 30_000 + 1) }
        var (heard, rest) = ([Int16](), sent[...])
        var last = (frames: 0, host: Int64(0))
        #expect(try mouth.position() == nil)
        try blockUntil {
            rest = rest.dropFirst(2 * (try mouth.write(rest)))
            try mouth.start()
            while let chunk = try ear.read() { heard += chunk.samples.filter { $0 != 0 } }
            do {
                if let now = try mouth.position() {
                    #expect(now.frames >= last.frames && now.host >= last.host)
                    #expect(now.frames <= sent.count / 2)
                    last = now
                }
            } catch let error as SystemCallError where error.code == EPIPE {
                // All are played.
            }
            return heard.count >= sent.count
        }
        #expect(heard == sent)
        #expect(last.frames > 0)
        // After the end the device starts anew.
        try mouth.restart()
        #expect(try mouth.position() == nil)
        #expect(try mouth.write(sent.prefix(960)) == 480)
    }

    @Test("64 chunks wait for a blocked receiver; the oldest are dropped and counted")
    func sleeping() async throws {
        let hearer = Hearer()
        let output = try AudioDataOutput { hearer.hear($0) }
        let microphone = try Microphone(.named("Loopback,1"))
        let frame = try #require(FrameDescription(.xrgb, Dimensions(width: 16, height: 16)))
        output.soundSourceDidChange(microphone)
        output.streamDidStart(
            StreamDescription(frame: frame, frameInterval: 0),
            on: CaptureConnection(output: output))
        try await waitUntil { output.chunksDropped >= 20 }
        // No chunk comes any more.
        await microphone.close()
        let dropped = output.chunksDropped
        #expect(output.chunksDelivered == 1)
        hearer.wake()
        try await waitUntil { output.chunksDelivered >= 65 }
        await output.close()
        #expect(output.chunksDelivered == 65 && output.chunksDropped == dropped)
        let times = hearer.times
        try #require(times.count == 65)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        // The gap follows the first chunk, which the receiver held: at least 20 chunks of 50 ms.
        #expect(times[1] - times[0] > 500_000_000)
    }
}
