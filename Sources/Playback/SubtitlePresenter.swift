// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
public import Imaging
internal import LinuxIO
internal import Media

/// The place above a player's pictures for its subtitles. Any thread.
public protocol SubtitleTarget: AnyObject, Sendable {
    /// Shows a picture instead of the former one; `nil` for none. Returns at once.
    func show(_ subtitles: PlacedPicture?)
}

/// Draws the subtitles of players on a thread of its own.
actor SubtitlePresenter {
    private static let executor = ThreadExecutor("subtitles")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe Self.executor.asUnownedSerialExecutor()
    }

    /// Events that are to be drawn.
    struct Order: Sendable {
        let timeline: SubtitleTimeline
        let events: [SubtitleEvent]
        let time: MediaTime
        /// The size of the upright pictures with square pixels; `nil` without pictures.
        let presentationSize: Dimensions?
    }

    private let target: any SubtitleTarget
    private let display: any PreviewTarget
    private let gravity: Gravity
    /// Orders on their way, `nil` for an empty screen; only the newest counts.
    private nonisolated let orders: AsyncStream<Order?>
    private nonisolated let input: AsyncStream<Order?>.Continuation
    private var drawer: SubtitleDrawer?
    private var drawn: SubtitleTimeline?

    /// - Parameter display: Tells the size of the screen.
    init(_ target: any SubtitleTarget, on display: any PreviewTarget, _ gravity: Gravity) {
        (self.target, self.display, self.gravity) = (target, display, gravity)
        (orders, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Draws the newest order, again and again, until ``end()``.
    func run() async {
        for await order in orders { target.show(order.flatMap(draw)) }
    }

    /// Draws soon; `nil` for an empty screen. Any thread.
    nonisolated func show(_ order: Order?) { input.yield(order) }

    /// Draws nothing more after the present order.
    nonisolated func end() { input.finish() }

    private func draw(_ order: Order) -> PlacedPicture? {
        if order.events.isEmpty { return nil }
        if drawn !== order.timeline {
            drawn = order.timeline
            // The feed has found out that it can be made.
            drawer = try? SubtitleDrawer(order.timeline.script)
        }
        guard let screen = display.dimensions else { return nil }
        let layout = SubtitleLayout(order.presentationSize ?? screen, on: screen, gravity)
        return drawer?.draw(order.events, at: order.time, layout)
    }
}
