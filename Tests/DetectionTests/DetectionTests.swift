// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Detection
import Foundation
import Imaging
import LinuxIO
import Media
import Synchronization
import TestSupport
import Testing

/// A grey picture with rectangles painted into it.
private struct Painting: ~Copyable {
    static let size = Dimensions(width: 640, height: 360)
    var storage: PixelStorage

    init(_ level: UInt8) throws {
        storage = try PixelStorage(.nv12, Self.size, color: .jpeg)
        paint(level, 0..<Self.size.width, 0..<Self.size.height)
    }

    mutating func paint(_ level: UInt8, _ columns: Range<Int>, _ rows: Range<Int>) {
        unsafe storage.withMutablePixels { pixels in
            for y in rows {
                for x in columns { unsafe pixels.plane(0)[y * pixels.bytesPerRow(0) + x] = level }
            }
        }
    }

    /// Draws a code's modules as `qrencode -t ASCII` prints them: two characters per module.
    mutating func draw(_ lines: [Substring], at place: (x: Int, y: Int), module: Int) {
        for (row, line) in lines.enumerated() {
            for (column, character) in line.enumerated() where character == "#" {
                let x = place.x + column * module / 2
                let y = place.y + row * module
                paint(0, x..<x + module / 2, y..<y + module)
            }
        }
    }
}

@Suite("Detection", .timeLimit(.common))
struct DetectionTests {
    private func motion(_ detector: inout MotionDetector, _ painting: borrowing Painting)
        -> MetadataObject?
    {
        unsafe painting.storage.withPixels { unsafe detector.look(at: $0) }
    }

    @Test("motion is found where it happens; noise and a change of light are no motion")
    func motion() throws {
        var detector = MotionDetector()
        var painting = try Painting(100)
        #expect(motion(&detector, painting) == nil)
        #expect(motion(&detector, painting) == nil)
        painting.paint(103, 0..<640, 0..<360)
        painting.paint(98, 200..<300, 100..<200)
        #expect(motion(&detector, painting) == nil)
        // A lamp is switched on.
        var lit = try Painting(160)
        for _ in 0..<60 { #expect(motion(&detector, lit) == nil) }
        lit.paint(20, 320..<480, 180..<360)
        guard case .motion(let score, let regions) = motion(&detector, lit) else {
            Issue.record("nothing moves")
            return
        }
        #expect(abs(score - 0.125) < 0.02)
        #expect(regions == [NormalizedRect(x: 0.5, y: 0.5, width: 0.25, height: 0.5)])
        // A change that stays becomes part of the background.
        var looks = 0
        while motion(&detector, lit) != nil { looks += 1 }
        #expect((5...60).contains(looks))
    }

    @Test("a picture too small for the grid shows no motion")
    func small() throws {
        var detector = MotionDetector()
        var storage = try PixelStorage(.nv12, Dimensions(width: 24, height: 16), color: .jpeg)
        for level: UInt8 in [10, 200] {
            unsafe storage.withMutablePixels { pixels in
                unsafe pixels.plane(0).update(repeating: level, count: pixels.bytesPerRow(0) * 16)
            }
            let motion = unsafe storage.withPixels { unsafe detector.look(at: $0) }
            #expect(motion == nil)
        }
    }

    @Test("two moving things yield two regions, the larger first")
    func regions() throws {
        var detector = MotionDetector()
        var painting = try Painting(100)
        _ = motion(&detector, painting)
        painting.paint(200, 0..<20, 0..<20)
        painting.paint(200, 400..<480, 200..<260)
        guard case .motion(_, let regions) = motion(&detector, painting) else {
            Issue.record("nothing moves")
            return
        }
        #expect(regions.count == 2)
        #expect(regions.first == NormalizedRect(x: 0.625, y: 10 / 18, width: 0.125, height: 3 / 18))
    }

    /// Returns the modules of a QR code, drawn by a program that shares no code with the reader.
    private func modules(_ text: String) throws -> [Substring] {
        let drawn = try Program.run("qrencode", ["-t", "ASCII", "-m", "4", text])
        #expect(drawn.status == 0)
        return drawn.output.split(separator: "\n")
    }

    @Test("QR codes are read with text and place; a picture without one yields nothing")
    func codes() throws {
        let reader = try CodeReader()
        var painting = try Painting(255)
        #expect(unsafe painting.storage.withPixels { unsafe reader.codes(in: $0) } == [])
        let text = "https://kiosk.example/guest?n=1"
        let lines = try modules(text)
        painting.draw(lines, at: (300, 100), module: 6)
        let found = unsafe painting.storage.withPixels { unsafe reader.codes(in: $0) }
        #expect(found.count == 1)
        guard case .machineReadableCode(let kind, let value, let bounds) = found.first else {
            return
        }
        #expect(kind == "QR-Code" && value == text)
        let side = Double(lines.count - 8) * 6
        #expect(abs(bounds.x - 324.0 / 640) < 0.02 && abs(bounds.y - 124.0 / 360) < 0.03)
        #expect(abs(bounds.width * 640 - side) < 12 && abs(bounds.height * 360 - side) < 12)
    }

    /// Returns the modules of an EAN-13 code by GS1's tables. The first digit selects the code sets
    /// of the left half.
    private func modules(ean digits: [Int]) -> String {
        let odd = [
            "0001101", "0011001", "0010011", "0111101", "0100011", "0110001", "0101111", "0111011",
            "0110111", "0001011",
        ]
        let sets = [
            "OOOOOO", "OOEOEE", "OOEEOE", "OOEEEO", "OEOOEE", "OEEOOE", "OEEEOO", "OEOEOE",
            "OEOEEO",
            "OEEOEO",
        ]
        func inverted(_ modules: String) -> String {
            String(modules.map { $0 == "0" ? "1" : "0" })
        }
        let left = zip(digits[1...6], sets[digits[0]]).map { digit, set in
            set == "O" ? odd[digit] : String(inverted(odd[digit]).reversed())
        }
        let right = digits[7...12].map { inverted(odd[$0]) }
        return "101" + left.joined() + "01010" + right.joined() + "101"
    }

    @Test("bar codes are read with kind, text and place")
    func barCode() throws {
        let reader = try CodeReader()
        var painting = try Painting(255)
        let modules = modules(ean: [4, 0, 0, 6, 3, 8, 1, 3, 3, 3, 9, 3, 1])
        for (column, module) in modules.enumerated() where module == "1" {
            painting.paint(0, 100 + column * 4..<104 + column * 4, 120..<240)
        }
        let found = unsafe painting.storage.withPixels { unsafe reader.codes(in: $0) }
        guard case .machineReadableCode(let kind, let value, let bounds) = found.first else {
            Issue.record("nothing is read")
            return
        }
        #expect(found.count == 1 && kind == "EAN-13" && value == "4006381333931")
        #expect(abs(bounds.x * 640 - 100) < 24 && abs(bounds.width * 640 - 380) < 48)
        #expect(bounds.y * 360 > 110 && (bounds.y + bounds.height) * 360 < 250)
    }

    private final class Seen: Sendable {
        let objects = Mutex<[(objects: [MetadataObject], time: Int64)]>([])
    }

    @Test("an output reports what it sees, in one frame per interval")
    func output() async throws {
        let seen = Seen()
        let output = try MetadataOutput([.motion, .machineReadableCode], interval: 100_000_000) {
            objects, time in seen.objects.withLock { $0.append((objects, time)) }
        }
        var painting = try Painting(255)
        let description = unsafe painting.storage.withPixels { unsafe $0.description }
        let pool = FramePool(
            description: description,
            buffers: [[try FrameBuffer.memory(description.bufferSizes[0])]], wake: try WakeSignal())
        func show(_ time: Int64) async throws {
            try unsafe pool.slots[0].withPixels(.write) { target in
                unsafe painting.storage.withPixels { source in
                    for y in 0..<360 {
                        unsafe (target.plane(0) + y * target.bytesPerRow(0)).update(
                            from: source.plane(0) + y * source.bytesPerRow(0), count: 640)
                    }
                }
            }
            let info = FrameInfo(timestamp: time, sequence: 0, bytesUsed: 0)
            output.receive(pool.lend(0, info), from: StillStream())
            try await waitUntil { pool.takeReturned(starving: false) != 0 }
        }
        try await show(1_000_000_000)
        painting.draw(try modules("one"), at: (100, 100), module: 6)
        // The interval has not passed.
        try await show(1_040_000_000)
        try await show(1_120_000_000)
        // The first picture of another stream is no motion.
        painting.draw(try modules("two"), at: (350, 100), module: 6)
        output.streamDidStart(
            StreamDescription(frame: description, frameInterval: 40_000_000),
            on: CaptureConnection(output: output))
        try await show(1_240_000_000)
        await output.close()
        #expect(output.framesExamined == 3 && output.framesUnreadable == 0)
        #expect(output.framesPassedOver == 1 && output.framesDropped == 0)
        let all = seen.objects.withLock { $0 }
        #expect(all.map(\.time) == [1_120_000_000, 1_240_000_000])
        let values = all.map { time in
            time.objects.map { object in
                switch object {
                case .motion: "motion"
                case .machineReadableCode(_, let value, _): value
                }
            }
        }
        #expect(values.first == ["motion", "one"])
        #expect(values.last?.sorted() == ["one", "two"])
    }
}
