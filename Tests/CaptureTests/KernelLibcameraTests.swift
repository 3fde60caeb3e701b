// SPDX-License-Identifier: GPL-3.0-or-later

import Capture
import Foundation
import LinuxIO
import Media
import TestSupport
import Testing

/// The folder of Vitrine's part of libcamera on the virtual board; `nil` elsewhere.
private let folder = ProcessInfo.processInfo.environment["VITRINE_LIBCAMERA"]

/// The cameras that libcamera finds on the virtual board.
@Suite("Cameras of libcamera", .serialized, .enabled(if: folder != nil), .timeLimit(.common))
struct KernelLibcameraTests {
    private struct Device: CameraRig {
        let camera: any CameraDriver
    }

    /// A camera with the formats in which it can start: the kernel's vimc refuses BGR.
    private struct Startable: CameraDriver {
        let base: any CameraDriver

        var identity: CameraIdentity { base.identity }
        var formats: [CaptureFormat] { base.formats.filter { $0.pixelFormat != .bgr24 } }
        func open() throws(CaptureError) -> any CameraStream { try base.open() }
    }

    private static func cameras() throws -> [LibcameraCamera] {
        let found = try LibcameraCamera.discover(below: [try #require(folder)])
        try #require(!found.isEmpty)
        return found
    }

    @Test("every camera conforms", arguments: CameraConformance.allCases)
    func conforms(rule: CameraConformance) throws {
        for camera in try Self.cameras() {
            try rule.check(Device(camera: Startable(base: camera)))
        }
    }

    @Test("a camera that is open is busy for others, and free after it is closed")
    func busy() throws {
        let camera = try #require(try Self.cameras().first)
        do {
            let first = try camera.open()
            let busy = #expect(throws: CaptureError.self) { try camera.checkAvailability() }
            #expect(busy?.code == .busy)
            withExtendedLifetime(first) {}
        }
        try camera.checkAvailability()
    }

    @Test("a camera can use memory of a heap, more of it than it holds at a time")
    func imported() throws {
        let heap = try #require(DMAHeap.available().first)
        for camera in try Self.cameras() {
            let format = try #require(CameraConformance.tried(camera).first)
            let stream = try camera.open()
            let description = try stream.configure(format, frameRate: nil)
            var memory: [[FrameBuffer]] = []
            for _ in 0..<7 {
                let size = description.frame.bufferSizes[0]
                memory.append([
                    try FrameBuffer(
                        dmaBuf: try heap.allocate(size), size: heap.rounded(size),
                        keepsMapping: false)
                ])
            }
            let buffers = try stream.allocate(.imported(memory), count: memory.count)
            #expect(buffers.count == 7)
            let pool = FramePool(
                description: description.frame, buffers: buffers, wake: try WakeSignal())
            for slot in pool.slots { try stream.queue(slot) }
            try stream.start()
            let poller = try Poller()
            try poller.add(stream.readyDescriptor, tag: 1)
            var filled: Set<Int> = []
            while filled.count < 7 {
                try #require(poller.waitForEvent() != nil)
                guard let frame = try stream.dequeue() else { continue }
                filled.insert(frame.index)
                try stream.queue(pool.slots[frame.index])
            }
            stream.stop()
        }
    }

    @Test("a search names the folder's missing part as the reason")
    func missing() throws {
        let empty = try TemporaryFolder()
        let refusal = #expect(throws: CaptureError.self) {
            try LibcameraCamera.discover(below: [empty.path(of: "")])
        }
        #expect(refusal?.code == .unsupported)
        #expect("\(refusal, default: "")".hasSuffix("built without libcamera"))
    }
}
