// SPDX-License-Identifier: GPL-3.0-or-later

/// The limits of an ``ImageManager``, in bytes.
public struct ImageBudgets: Hashable, Sendable {
    /// The size of the decoded pictures kept in memory.
    public var memory = 64 << 20
    /// The size of the pictures kept on the disk; see ``ImageRequestOptions/keepsPicture``.
    public var disk: Int64 = 256 << 20
    /// The memory for making one picture. A camera has little, and may record meanwhile.
    public var picture = 256 << 20
    /// No picture is kept on the disk if that leaves less free space than this, or than the
    /// library's reserve. Photos need the space, and pictures can be made again.
    public var leastFree: Int64 = 0

    /// Creates budgets with the defaults of the configuration.
    public init() {}
}
