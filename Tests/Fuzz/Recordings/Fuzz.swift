// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Foundation

/// What a power cut, or a stranger, left where recordings grow: any bytes are no recording and stay as they are, or
/// become a movie that is whole and is not touched again.
@unsafe @_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = unsafe Data(UnsafeBufferPointer(start: start, count: count))
    guard (try? bytes.write(to: file)) != nil else {
        preconditionFailure("\(file.path) cannot be written")
    }
    guard let result = try? MovieFile.mend(file.path) else {
        precondition((try? Data(contentsOf: file)) == bytes)
        return 0
    }
    let mended = try? Data(contentsOf: file)
    precondition((try? MovieFile.facts(file.path)) == result)
    precondition((try? MovieFile.mend(file.path)) == result)
    precondition((try? Data(contentsOf: file)) == mended)
    return 0
}

private let file = URL(fileURLWithPath: "/dev/shm/vitrine-fuzz-\(getpid())")
