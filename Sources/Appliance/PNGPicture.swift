// SPDX-License-Identifier: GPL-3.0-or-later

internal import Synchronization

/// A file that the display's thread makes and another takes.
final class PNGPicture: Sendable {
    private let stored = Mutex<[UInt8]>([])
    var bytes: [UInt8] { stored.withLock { $0 } }
    func set(_ bytes: [UInt8]) { stored.withLock { $0 = bytes } }
}
