// SPDX-License-Identifier: GPL-3.0-or-later

/// The reason why libcamera cannot be used.
package struct LibcameraError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The failure and its reason, in one line, with the next step if there is one.
    package let message: String

    init(_ message: String) { self.message = message }

    /// The message.
    package var description: String { message }
}
