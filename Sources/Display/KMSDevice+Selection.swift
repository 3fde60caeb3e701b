// SPDX-License-Identifier: GPL-3.0-or-later

package import DRM
package import LinuxIO

extension KMSDevice {
    /// Finds the card, connector and CRTC of a selection. `open` opens a card by its path, or
    /// returns one that is open: if an open file of the card is master, the kernel probes
    /// connectors only for that file. `isTaken` tells whether another display uses an object of the
    /// card at a path. Throws `noDisplay` if there is no such display; `notPermitted` if it may be
    /// on a card that this user may not open.
    package static func find(
        _ selection: Selection, among paths: [String] = Card.paths(),
        open: (String) throws(SystemCallError) -> Card = { path throws(SystemCallError) in
            try Card(path: path)
        },
        isTaken: (_ path: String, _ object: UInt32) -> Bool = { _, _ in false }
    ) throws(DisplayError) -> (card: Card, connector: Connector, crtc: CRTC) {
        var refusals: [String] = []
        var denial: DisplayError?
        for path in paths {
            do {
                let card = try open(path)
                if let driver = selection.driver, card.driver != driver {
                    refusals.append("\(path) is driven by \(card.driver), not \(driver)")
                    continue
                }
                let connectors = try card.connectors(probing: selection.connector)
                let connector = connectors.first {
                    matches($0, selection) && !isTaken(path, $0.identifier)
                }
                guard let connector else {
                    let names = connectors.map {
                        let state = $0.isConnected ? "connected" : "disconnected"
                        return "\($0.name) \(isTaken(path, $0.identifier) ? "in use" : state)"
                    }
                    refusals.append("\(path) (\(card.driver)) has \(names.joined(separator: ", "))")
                    continue
                }
                let crtcs = try card.crtcs().filter { !isTaken(path, $0.identifier) }
                guard let crtc = chooseCRTC(crtcs, for: connector) else {
                    refusals.append("\(path): no CRTC can drive \(connector.name)")
                    continue
                }
                return (card, connector, crtc)
            } catch  where error.isPermission {
                denial = DisplayError(
                    .notPermitted,
                    "\(path) may not be opened: \(error); next: run as a member of group video")
            } catch {
                refusals.append("\(error)")
            }
        }
        if let denial { throw denial }
        let wanted = selection.connector.map { "connector \($0)" } ?? "connected display"
        let reasons = refusals.isEmpty ? "no /dev/dri/card*" : refusals.joined(separator: "; ")
        throw DisplayError(
            .noDisplay,
            "no \(wanted): \(reasons); next: plug one in and switch it on, or see connector and "
                + "driver in the configuration")
    }

    private static func matches(_ connector: Connector, _ selection: Selection) -> Bool {
        guard connector.isConnected, !connector.modes.isEmpty else { return false }
        if let name = selection.connector { return connector.name == name }
        return connector.name != selection.otherConnector
    }

    /// Prefers the CRTC that feeds the connector now, to avoid flicker; then an inactive one.
    private static func chooseCRTC(_ all: [CRTC], for connector: Connector) -> CRTC? {
        let able = all.filter { $0.feeds(connector) }
        return able.first { connector.isFed(by: $0) } ?? able.first { !$0.isActive } ?? able.first
    }

    /// Takes the right to set modes. Throws `notPermitted` if another program holds the screen;
    /// otherwise `failed`.
    static func becomeMaster(_ card: Card) throws(DisplayError) {
        do throws(SystemCallError) {
            try card.becomeMaster()
        } catch {
            let isHeld = error.isBusy || error.isPermission
            throw DisplayError(
                isHeld ? .notPermitted : .failed,
                isHeld
                    ? "another program holds the screen of \(card.path) (\(error)); next: end that "
                        + "desktop or login screen"
                    : "the screen of \(card.path) cannot be taken: \(error)")
        }
    }

    static func chooseMode(
        _ connector: Connector, _ wanted: Selection.Mode
    ) throws(DisplayError) -> DisplayMode {
        let modes = connector.modes
        switch wanted {
        case .automatic, .native:
            if let first = modes.first { return first }
        case .size(let size):
            // A kiosk in another mode is better than a dark one; `status` names the mode in use.
            if let mode = modes.first(where: { $0.size == size }) ?? modes.first { return mode }
        }
        throw DisplayError(
            .unsupported,
            "\(connector.name) offers no mode")
    }
}
