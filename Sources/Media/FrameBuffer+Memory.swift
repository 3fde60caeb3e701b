// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
public import LinuxIO

extension FrameBuffer {
    /// Allocates `size` bytes of anonymous memory, the host board's stand-in for a driver's buffer.
    public static func memory(_ size: Int) throws(SystemCallError) -> FrameBuffer {
        let file = OwnedDescriptor(
            adopting: try systemCall("memfd_create") { unsafe clinux_memory_file("vitrine-frame") })
        let number = file.number
        try systemCall("ftruncate") { clinux_truncate(number, Int64(size)) }
        return FrameBuffer(mapping: try Mapping(of: number, count: size))
    }
}
