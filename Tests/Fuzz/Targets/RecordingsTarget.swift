// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import Foundation

/// Checks files that a power cut or a stranger left where recordings grow. Any bytes are no
/// recording and stay unchanged, or become a whole movie that a second repair does not change.
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
