// SPDX-License-Identifier: GPL-3.0-or-later

/// The control of the fuzz runs: a fault behind a word that no corpus holds. A run that does not find it finds
/// nothing.
@unsafe @_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
    var found = 0
    for byte in "kiosk".utf8 {
        guard found < bytes.count, unsafe bytes[found] == byte else { return 0 }
        found += 1
    }
    fatalError("the control's fault")
}
