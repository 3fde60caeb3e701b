// SPDX-License-Identifier: GPL-3.0-or-later

package import Kiosk
package import LibraryService
internal import Logging
package import Media
package import Network
package import Photography
internal import Playback
package import Screens
package import Settings
internal import Synchronization

/// Shows what the kiosk wants to be looked at instead of the live picture: one view at a time.
package final class Viewer: Sendable {
    /// What a view is made of.
    struct Parts: Sendable {
        let library: LibrarySupervisor
        let pictures: LibraryPictures
        let loader: ResourceLoader
        let display: DisplaySupervisor
        let presenter: OverlayPresenter
        let sessions: SessionNames
        let gravity: Gravity
        let settings: PlaybackSettings
        let report: @Sendable (KioskEvent) async -> Void
    }

    private struct State {
        var view: (id: ViewIdentifier, view: any View)?
        /// The orders that nobody has shown yet, by number.
        var orders: [Int: ViewOrder] = [:]
        var lastOrder = 0
    }

    private let parts: Parts
    /// Plays on the second display; `nil` if none is configured.
    package let external: ExternalViewer?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - loader: Opens URLs.
    ///   - second: The display without texts; `nil` if none is configured.
    ///   - report: Tells the kiosk what is shown.
    package init(
        library: LibrarySupervisor, pictures: LibraryPictures, loader: ResourceLoader,
        display: DisplaySupervisor, presenter: OverlayPresenter, sessions: SessionNames,
        second: SecondDisplay?, gravity: Gravity, settings: PlaybackSettings,
        report: @escaping @Sendable (KioskEvent) async -> Void
    ) {
        parts = Parts(
            library: library, pictures: pictures, loader: loader, display: display,
            presenter: presenter,
            sessions: sessions, gravity: gravity, settings: settings, report: report)
        external = second.map { ExternalViewer($0, library, loader, settings) }
    }

    // MARK: the kiosk's commands

    /// Shows a subject, and reports what is shown until ``end(_:)``.
    package func begin(_ id: ViewIdentifier, _ subject: ViewSubject) {
        let view: any View
        switch subject {
        case .clip(let clip):
            view = MediaView(id, .asset(clip.assetID), parts, title: clip.fileName)
        case .visit(let session): view = VisitView(id, parts.sessions.known(session), parts)
        case .order(let number):
            guard let order = state.withLock({ $0.orders.removeValue(forKey: number) }) else {
                Task { await parts.report(.viewEnded(id, .empty)) }
                return
            }
            view = MediaView(id, order, parts)
        }
        state.withLock { $0.view = (id, view) }
        view.begin()
    }

    /// Shows the photo or clip so many places behind the present one.
    package func turn(_ id: ViewIdentifier, by step: Int) { view(id)?.turn(by: step) }

    /// Leaves the display at once.
    package func end(_ id: ViewIdentifier) {
        let view = state.withLock { state -> (any View)? in
            guard state.view?.id == id else { return nil }
            return state.view.take()?.view
        }
        view?.end()
    }

    private func view(_ id: ViewIdentifier) -> (any View)? {
        state.withLock { $0.view?.id == id ? $0.view?.view : nil }
    }

    // MARK: orders

    /// Keeps an order for the kiosk; returns its number.
    package func keep(_ order: ViewOrder) -> Int {
        state.withLock { state in
            state.lastOrder += 1
            state.orders[state.lastOrder] = order
            return state.lastOrder
        }
    }

    /// Forgets an order that the kiosk has refused.
    package func forget(order number: Int) {
        state.withLock { _ = $0.orders.removeValue(forKey: number) }
    }

    /// The player of the present view; `nil` if nothing is played.
    package var control: (any ViewControl)? {
        state.withLock { $0.view?.view as? any ViewControl }
    }
}

/// A view in progress. Any thread.
protocol View: Sendable {
    /// Begins to show and to report.
    func begin()
    func turn(by step: Int)
    /// Leaves the display at once; nothing is reported any more.
    func end()
}
