// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLinux
internal import Glibc

/// A set of descriptors on which one thread sleeps until the first is ready. See epoll(7).
public struct Poller: ~Copyable, Sendable {
    /// The reasons for which a descriptor is ready.
    public struct Readiness: OptionSet, Sendable {
        /// The bits of `epoll_event.events`.
        public let rawValue: UInt32
        /// Creates a value from the bits of `epoll_event.events`.
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        /// `EPOLLIN`: the descriptor can be read or accepted.
        public static let readable = Readiness(rawValue: clinux_epoll_in)
        /// `EPOLLOUT`: the descriptor can be written to; for V4L2, an input picture has been read.
        public static let writable = Readiness(rawValue: clinux_epoll_out)
        /// `EPOLLPRI`: V4L2 events, sysfs changes.
        public static let priority = Readiness(rawValue: clinux_epoll_priority)
        /// `EPOLLERR`: an error; always reported.
        public static let error = Readiness(rawValue: clinux_epoll_error)
        /// `EPOLLHUP`: the other end or the device has gone; always reported.
        public static let hangup = Readiness(rawValue: clinux_epoll_hangup)
    }

    /// One ready descriptor.
    public struct Event: Sendable {
        /// The tag that the descriptor was added with.
        public let tag: UInt64
        /// The reasons that apply, of those requested and of `error` and `hangup`.
        public let readiness: Readiness
    }

    let descriptor: OwnedDescriptor

    /// Creates an empty set. Throws `EMFILE` or `ENFILE` when there are no descriptors.
    public init() throws(SystemCallError) {
        descriptor = OwnedDescriptor(
            adopting: try systemCall("epoll_create1") { epoll_create1(O_CLOEXEC) })
    }

    /// Creates a poller that watches a wake signal; throws as ``init()`` and ``add(_:tag:)``.
    public static func watching(
        _ signal: WakeSignal, tag: UInt64 = 0
    ) throws(SystemCallError) -> Poller {
        let poller = try Poller()
        try poller.add(signal, tag: tag)
        return poller
    }

    /// Watches `number`, level-triggered. The kernel removes it when it is closed.
    public borrowing func add(
        _ number: CInt, tag: UInt64, for interest: Readiness = .readable
    ) throws(SystemCallError) {
        let epoll = descriptor.number
        try systemCall("epoll_ctl") { clinux_epoll_add(epoll, number, interest.rawValue, tag) }
    }

    /// Watches a wake signal. Several pollers may watch one signal; each is woken.
    public borrowing func add(_ signal: WakeSignal, tag: UInt64) throws(SystemCallError) {
        let epoll = descriptor.number
        let mask = clinux_epoll_in | clinux_epoll_edge
        try systemCall("epoll_ctl") {
            clinux_epoll_add(epoll, signal.descriptor.number, mask, tag)
        }
    }

    /// Sleeps until a descriptor is ready. Returns `nil` after `milliseconds` (negative: no limit).
    /// An interrupting signal restarts the timeout.
    public borrowing func wait(milliseconds: Int32 = -1) -> Event? {
        let epoll = descriptor.number
        var tag: UInt64 = 0
        while true {
            let mask = unsafe clinux_epoll_wait_one(epoll, milliseconds, &tag)
            if mask > 0 {
                return Event(tag: tag, readiness: Readiness(rawValue: UInt32(mask)))
            }
            if mask == 0 { return nil }
            precondition(errno == EINTR, "epoll_wait: errno \(errno)")
        }
    }
}
