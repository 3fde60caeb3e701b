// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Foundation

/// What a power cut, or a stranger, left where recordings grow: any bytes are no recording and stay as they are, or
/// become a movie that is whole and is not touched again.
func takeRecordings(_ bytes: [UInt8]) {
    let bytes = Data(bytes)
    guard (try? bytes.write(to: file)) != nil else {
        preconditionFailure("\(file.path) cannot be written")
    }
    guard let result = try? MovieFile.mend(file.path) else {
        precondition((try? Data(contentsOf: file)) == bytes)
        return
    }
    let mended = try? Data(contentsOf: file)
    precondition((try? MovieFile.facts(file.path)) == result)
    precondition((try? MovieFile.mend(file.path)) == result)
    precondition((try? Data(contentsOf: file)) == mended)
}

private let file = URL(fileURLWithPath: "/dev/shm/vitrine-fuzz-\(getpid())")
