// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// Returns the text of a file of at most 64 KiB, such as those of proc(5) and sysfs(5).
public func readSmallFile(_ path: String) throws(SystemCallError) -> String {
    let file = try OwnedDescriptor(open: path, flags: O_RDONLY)
    let number = file.number
    // Few files are longer than a page; the buffer grows for the others.
    var bytes = [UInt8](repeating: 0, count: 4096)
    var count = 0
    while true {
        if count == bytes.count {
            if count == 65_536 { break }
            bytes += repeatElement(0, count: 65_536 - count)
        }
        let got = try systemCall("read", path) {
            unsafe bytes.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                return unsafe read(number, rest.baseAddress, rest.count)
            }
        }
        if got == 0 { break }
        count += got
    }
    return String(decoding: bytes[..<count], as: UTF8.self)
}
