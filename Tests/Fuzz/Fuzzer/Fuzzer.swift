// SPDX-License-Identifier: GPL-3.0-or-later

internal import FuzzTargets
internal import Glibc

/// The entry point of libFuzzer. VITRINE_FUZZ_TARGET names the target.
@unsafe @_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    unsafe target.take([UInt8](UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let target: FuzzTarget = {
    let name = unsafe getenv("VITRINE_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget(rawValue: name) else { fatalError("no target \"\(name)\"") }
    return target
}()
