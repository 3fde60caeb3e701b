// SPDX-License-Identifier: GPL-3.0-or-later

internal import CDRM
public import LinuxIO
public import Media

/// A picture that planes can scan out. The kernel's framebuffer is removed with this object. Used
/// on the card's thread.
public final class Framebuffer {
    /// The kernel's number, to which a plane's `FB_ID` is set; valid while this object lives.
    public let identifier: UInt32
    /// The layout: with the driver's row length if that allocated it, and turned by ``rotation``.
    public let description: FrameDescription
    /// The rotation that the pixels already have, for planes that cannot turn them.
    public var rotation = Rotation.none
    /// The picture's memory.
    public let buffers: [FrameBuffer]
    private let card: Card
    /// The GEM handles that this object closes, each once.
    private let handles: [UInt32]
    private let isDumb: Bool

    init(
        card: Card, description: FrameDescription, buffers: [FrameBuffer], handles: [UInt32],
        isDumb: Bool
    ) throws(SystemCallError) {
        self.card = card
        self.description = description
        self.buffers = buffers
        self.handles = handles
        self.isDumb = isDumb
        do throws(SystemCallError) {
            identifier = try card.addFramebuffer(description, handles)
        } catch {
            identifier = 0
            throw error
        }
    }

    deinit {
        if identifier != 0 { _ = drmModeRmFB(card.number, identifier) }
        for handle in Set(handles) {
            _ =
                isDumb
                ? cdrm_destroy_dumb(card.number, handle) : cdrm_close_handle(card.number, handle)
        }
    }
}

extension Card {
    /// Makes a picture of DMA-BUFs (`DRM_IOCTL_PRIME_FD_TO_HANDLE`, `DRM_IOCTL_MODE_ADDFB2`).
    /// Throws `EINVAL` if the driver cannot scan out this memory or format.
    public func importFramebuffer(
        _ description: FrameDescription, _ buffers: [FrameBuffer]
    ) throws(SystemCallError) -> Framebuffer {
        guard description.planes.allSatisfy({ buffers.indices.contains($0.buffer) }) else {
            throw SystemCallError(
                call: "DRM_IOCTL_MODE_ADDFB2", code: 22,
                path: "\(path) (\(description.pixelFormat) in \(buffers.count) buffers)")
        }
        var handles: [UInt32] = []
        do throws(SystemCallError) {
            for buffer in buffers {
                var handle: UInt32 = 0
                let descriptor = buffer.dmaBuf ?? -1
                try systemCall("DRM_IOCTL_PRIME_FD_TO_HANDLE", path) {
                    unsafe drmPrimeFDToHandle(number, descriptor, &handle)
                }
                handles.append(handle)
            }
        } catch {
            for handle in Set(handles) { _ = cdrm_close_handle(number, handle) }
            throw error
        }
        return try Framebuffer(
            card: self, description: description, buffers: buffers, handles: handles, isDumb: false)
    }

    /// Allocates a picture of the driver's own memory (`DRM_IOCTL_MODE_CREATE_DUMB`), which the CPU
    /// writes through a DMA-BUF. The memory is mostly write-combined: write it once and do not read
    /// it. `keepsMapping` means that the CPU will write repeatedly.
    public func makeDumbFramebuffer(
        _ format: PixelFormat, _ size: Dimensions, color: ColorDescription, keepsMapping: Bool
    ) throws(SystemCallError) -> Framebuffer {
        guard let tight = FrameDescription(format, size, color: color),
            let first = tight.planes.first, let total = tight.bufferSizes.first
        else { throw SystemCallError(call: "DRM_IOCTL_MODE_CREATE_DUMB", code: 22, path: path) }
        // A dumb buffer is a rectangle with one pixel size, so chroma takes rows of its own.
        let bits = first.bytesPerRow / size.width * 8
        let rows = (total + first.bytesPerRow - 1) / first.bytesPerRow
        var (handle, pitch, bytes): (UInt32, UInt32, UInt64) = (0, 0, 0)
        try systemCall("DRM_IOCTL_MODE_CREATE_DUMB", path) {
            unsafe cdrm_create_dumb(
                number, UInt32(size.width), UInt32(rows), UInt32(bits), &handle, &pitch, &bytes)
        }
        let buffer: FrameBuffer
        do throws(SystemCallError) {
            let exported = try systemCall("DRM_IOCTL_PRIME_HANDLE_TO_FD", path) {
                cdrm_export(number, handle)
            }
            buffer = try FrameBuffer(
                dmaBuf: OwnedDescriptor(adopting: exported), size: Int(bytes),
                keepsMapping: keepsMapping)
        } catch {
            _ = cdrm_destroy_dumb(number, handle)
            throw error
        }
        guard var layout = FrameDescription(format, size, bytesPerRow: Int(pitch), color: color)
        else { throw SystemCallError(call: "DRM_IOCTL_MODE_CREATE_DUMB", code: 22, path: path) }
        layout.bufferSizes = [Int(bytes)]
        return try Framebuffer(
            card: self, description: layout, buffers: [buffer], handles: [handle], isDumb: true)
    }

    fileprivate func addFramebuffer(
        _ description: FrameDescription, _ handles: [UInt32]
    ) throws(SystemCallError) -> UInt32 {
        guard let code = description.pixelFormat.drmCode, description.planes.count <= 4 else {
            throw SystemCallError(call: "DRM_IOCTL_MODE_ADDFB2", code: 22, path: path)
        }
        var (planeHandles, pitches, offsets) = ([UInt32](), [UInt32](), [UInt32]())
        for plane in description.planes {
            planeHandles.append(handles[plane.buffer])
            pitches.append(UInt32(plane.bytesPerRow))
            offsets.append(UInt32(plane.offset))
        }
        while planeHandles.count < 4 {
            planeHandles.append(0)
            pitches.append(0)
            offsets.append(0)
        }
        var identifier: UInt32 = 0
        let size = description.dimensions
        try systemCall("DRM_IOCTL_MODE_ADDFB2", "\(path) (\(description.pixelFormat) \(size))") {
            unsafe drmModeAddFB2(
                number, UInt32(size.width), UInt32(size.height), code, planeHandles, pitches,
                offsets, &identifier, 0)
        }
        return identifier
    }
}
