// SPDX-License-Identifier: GPL-3.0-or-later

/// How much an ``ImageManager`` may take, in bytes.
public struct ImageBudgets: Hashable, Sendable {
    /// Of decoded pictures that are kept.
    public var memory = 64 << 20
    /// Of pictures that are kept in the library's folder, see ``ImageRequestOptions/keepsPicture``.
    public var disk: Int64 = 256 << 20
    /// Of memory for one picture while it is made: a camera has little, and it records meanwhile.
    public var picture = 256 << 20
    /// None is kept on the disk where less than this, or than the library's reserve, would be left free: what makes
    /// room for photos must not be taken up by what can be made again.
    public var leastFree: Int64 = 0

    /// The defaults of the configuration.
    public init() {}
}
