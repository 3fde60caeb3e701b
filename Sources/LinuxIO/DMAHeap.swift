// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A source of DMA-BUF memory (kernel doc userspace-api/dma-buf-heaps).
public struct DMAHeap: Sendable {
    /// The name of the heap's file in `/dev/dma_heap`, for example `system`.
    public let name: String
    private var path: String { "/dev/dma_heap/\(name)" }

    /// Returns the heaps that this process may use: contiguous ones (CMA) before "system".
    public static func available() -> [DMAHeap] {
        let names = (try? FileTree.names(in: "/dev/dma_heap")) ?? []
        let ordered = names.filter { $0 != "system" }.sorted() + names.filter { $0 == "system" }
        return ordered.map(DMAHeap.init).filter { unsafe access($0.path, R_OK | W_OK) == 0 }
    }

    /// Returns the bytes that an allocation of `size` really takes: whole pages.
    public func rounded(_ size: Int) -> Int {
        let page = sysconf(CInt(_SC_PAGESIZE))
        return (size + page - 1) / page * page
    }

    /// Allocates a DMA-BUF of at least `size` bytes. Corresponds to `DMA_HEAP_IOCTL_ALLOC`.
    public func allocate(_ size: Int) throws(SystemCallError) -> OwnedDescriptor {
        let heap = try OwnedDescriptor(open: path, flags: O_RDWR)
        let number = heap.number
        let length = UInt64(rounded(size))
        return OwnedDescriptor(
            adopting: try systemCall("DMA_HEAP_IOCTL_ALLOC", path) {
                clinux_heap_allocate(number, length)
            })
    }
}
