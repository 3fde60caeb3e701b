// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A source of DMA-BUF memory (kernel doc userspace-api/dma-buf-heaps).
public struct DMAHeap: Sendable {
    /// Its file's in `/dev/dma_heap`, for example `system`.
    public let name: String
    private var path: String { "/dev/dma_heap/\(name)" }

    /// The heaps that this process may use: physically contiguous ones (CMA) before "system".
    public static func available() -> [DMAHeap] {
        let names = (try? FileTree.names(in: "/dev/dma_heap")) ?? []
        let ordered = names.filter { $0 != "system" }.sorted() + names.filter { $0 == "system" }
        return ordered.map(DMAHeap.init).filter { unsafe access($0.path, R_OK | W_OK) == 0 }
    }

    /// The bytes that an allocation really has: whole pages.
    public func rounded(_ size: Int) -> Int {
        let page = sysconf(CInt(_SC_PAGESIZE))
        return (size + page - 1) / page * page
    }

    /// A DMA-BUF of at least `size` bytes. Corresponds to `DMA_HEAP_IOCTL_ALLOC`.
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
