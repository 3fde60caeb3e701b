// SPDX-License-Identifier: GPL-3.0-or-later

import Display
import Glibc
import Imaging
import LinuxIO
import Media
import Simulation
import TestSupport
import Testing

/// The rules of every ``ScanoutDevice``, in memory or real. See its documentation.
enum DisplayConformance: String, CaseIterable, Sendable {
    case flips, unannounced, layers, memory, refusals, standby, closed

    func check(_ open: () throws -> any ScanoutDevice) throws {
        let device = try open()
        switch self {
        case .flips: try flips(device)
        case .unannounced: try unannounced(device)
        case .layers: try layers(device)
        case .memory: try memory(device)
        case .refusals: try refusals(device)
        case .standby: try standby(device)
        case .closed:
            device.close()
            let next = try open()
            try flips(next)
            next.close()
            return
        }
        device.close()
    }

    /// Each commit has one flip, which wakes a poller and has its own time.
    private func flips(_ device: any ScanoutDevice) throws {
        #expect(try device.readFlip() == nil)
        #expect(device.size.width > 0 && device.size.height > 0)
        #expect(!device.connectorName.isEmpty && !device.modeName.isEmpty)
        try device.checkConnection()
        let pictures = try [screenImage(device), screenImage(device)]
        var last: Int64 = 0
        for index in 0..<6 {
            let before = Clock.monotonic
            let time = try show(device, pictures[index % 2], nil)
            #expect(time > last)
            // A refresh may be under way when the commit is made.
            #expect((before - 100_000_000...Clock.monotonic + 100_000_000).contains(time))
            last = time
        }
    }

    /// An unannounced flip is not read. Other commits are refused until it has happened.
    private func unannounced(_ device: any ScanoutDevice) throws {
        let pictures = try [screenImage(device), screenImage(device)]
        _ = try show(device, pictures[0], nil)
        var refused = 0
        for index in 1...20 {
            guard try device.flip(to: pictures[index % 2], isAnnounced: false) else { return }
            do {
                _ = try device.flip(to: pictures[(index + 1) % 2], isAnnounced: false)
            } catch let error as SystemCallError where error.isBusy {
                refused += 1
            }
            try blockUntil("the flip to be over") {
                do {
                    // A full commit: the device forgets its committed state after a refusal.
                    _ = try show(device, pictures[(index + 1) % 2], nil)
                } catch let error as SystemCallError where error.isBusy {
                    return false
                }
                return true
            }
            #expect(try device.readFlip() == nil)
        }
        #expect(refused > 0)
    }

    /// Video and overlay are shown and removed independently.
    private func layers(_ device: any ScanoutDevice) throws {
        let video = try screenImage(device)
        let overlay =
            device.hasOverlay ? try device.makeScreenImage(.argb, device.size, .brief) : nil
        for (above, below) in [(overlay, video), (nil, video), (overlay, nil), (nil, nil)] {
            _ = try show(device, below, above)
        }
    }

    /// An image is as large as its description says, black at first, and keeps written bytes.
    private func memory(_ device: any ScanoutDevice) throws {
        for mapping in [ImageMapping.kept, .brief] {
            let image = try device.makeImage(.xrgb, device.size, color: .jpeg, mapping)
            #expect(image.description.pixelFormat == .xrgb)
            #expect(image.description.dimensions == device.size)
            let buffer = try #require(image.buffers.first)
            #expect(buffer.size >= image.description.bufferSizes[0])
            let size = buffer.size
            let isBlack = try unsafe buffer.withBytes(.read) {
                unsafe UnsafeRawBufferPointer(start: $0, count: size).allSatisfy { $0 == 0 }
            }
            #expect(isBlack)
            try unsafe buffer.withBytes(.write) {
                unsafe $0.storeBytes(of: 0x5a, toByteOffset: size - 1, as: UInt8.self)
            }
            let kept = try unsafe buffer.withBytes(.read) {
                unsafe $0.load(fromByteOffset: size - 1, as: UInt8.self)
            }
            #expect(kept == 0x5a)
        }
    }

    /// Pictures that cannot be scanned out are refused, not shown wrongly.
    private func refusals(_ device: any ScanoutDevice) throws {
        #expect(device.canScanOut(.xrgb))
        #expect(!device.canScanOut(.mjpeg))
        #expect(throws: (any Error).self) {
            try device.makeImage(.mjpeg, device.size, color: .jpeg, .brief)
        }
        let memory = try FrameBuffer.memory(64 * 64 * 4)
        let foreign = try #require(
            FrameDescription(.yuyv, Dimensions(width: 64, height: 64), color: .jpeg))
        #expect(!device.canScanOut(.yuyv))
        #expect(throws: (any Error).self) { try device.importImage(foreign, [memory]) }
        _ = try show(device, try screenImage(device), nil)
    }

    /// The device works as before after standby, with no earlier commit in use.
    private func standby(_ device: any ScanoutDevice) throws {
        let picture = try screenImage(device)
        _ = try show(device, picture, nil)
        do { try device.setActive(false) } catch is StandbyRefused {}
        try device.setActive(true)
        try device.checkConnection()
        _ = try show(device, picture, nil)
    }

    private func screenImage(_ device: any ScanoutDevice) throws -> any ScanoutImage {
        try device.makeScreenImage(.xrgb, device.size, .brief)
    }

    /// Commits the layers, and returns the time of their flip.
    private func show(
        _ device: any ScanoutDevice, _ video: (any ScanoutImage)?, _ overlay: (any ScanoutImage)?
    ) throws -> Int64 {
        let layout = VideoLayout(gravity: .resizeAspect)
        let placement =
            try video.map { try device.placeVideo($0, layout) }
            ?? layout.place(device.size, on: device.size)
        let poller = try Poller()
        try poller.add(device.flipDescriptor, tag: 1)
        try device.commit(video: video, placement, overlay: overlay)
        while poller.waitForEvent() != nil {
            if let time = try device.readFlip() {
                #expect(try device.readFlip() == nil)
                return time
            }
        }
        Issue.record("no flip")
        return 0
    }
}

@Suite("ScanoutDevice: MemoryScreen", .ownThread, .timeLimit(.common))
struct MemoryScreenTests {
    @Test("the memory screen conforms", arguments: DisplayConformance.allCases, [true, false])
    func conforms(rule: DisplayConformance, hasOverlay: Bool) throws {
        try rule.check {
            try MemoryScreen(size: Dimensions(width: 320, height: 240), hasOverlay: hasOverlay)
        }
    }
}

/// vkms, the real driver of the virtual board.
@Suite(
    "Displays of KMS", .serialized, .enabled(if: isVirtualBoard), .timeLimit(.common))
struct KernelDisplayTests {
    @Test("vkms conforms", arguments: DisplayConformance.allCases)
    func conforms(rule: DisplayConformance) throws {
        try rule.check { try KMSDevice(KMSDevice.Selection(driver: "vkms")) }
    }

    @Test("a display has one DRM master; a second one is refused until the first closes")
    func master() throws {
        let first = try KMSDevice(KMSDevice.Selection(driver: "vkms"))
        let refusal = #expect(throws: DisplayError.self) {
            try KMSDevice(KMSDevice.Selection(driver: "vkms"))
        }
        #expect(refusal?.code == .notPermitted)
        first.close()
        try KMSDevice(KMSDevice.Selection(driver: "vkms")).close()
    }

    @Test("a card without permission hides no other, and is reported if it is the only one")
    func deniedCard() throws {
        // Nobody may write to this file, not even root.
        let denied = "/sys/kernel/uevent_seqnum"
        let selection = KMSDevice.Selection(driver: "vkms")
        let cards = (0..<16).map { "/dev/dri/card\($0)" }
        _ = try KMSDevice.find(selection, among: [denied] + cards)
        let refusal = #expect(throws: DisplayError.self) {
            try KMSDevice.find(selection, among: [denied, "/dev/dri/nothing"])
        }
        #expect(refusal?.code == .notPermitted)
    }
}
