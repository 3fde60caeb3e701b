// SPDX-License-Identifier: GPL-3.0-or-later
internal import LinuxIO
internal import Synchronization

/// The encoders or decoders that stalled in the last ten minutes, which are avoided. Any thread.
public final class CodecRefusals: Sendable {
    /// Nanoseconds for which a codec is avoided.
    private static let lifetime: Int64 = 600_000_000_000
    private let state = Mutex<(current: String?, times: [String: Int64])>((nil, [:]))

    /// Avoids nothing yet.
    public init() {}

    /// Notes the codec that is about to be made or used.
    public func begin(_ name: String) { state.withLock { $0.current = name } }

    /// Notes that the codec of the last ``begin(_:)`` has stalled.
    public func addCurrent() {
        state.withLock { if let name = $0.current { $0.times[name] = Clock.monotonic } }
    }

    /// Notes that a codec has stalled.
    public func add(_ name: String) { state.withLock { $0.times[name] = Clock.monotonic } }

    /// Whether a codec has stalled a short while ago.
    public func contains(_ name: String) -> Bool {
        state.withLock { state in
            state.times[name].map { Clock.monotonic - $0 < Self.lifetime } ?? false
        }
    }
}
