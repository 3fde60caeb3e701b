// SPDX-License-Identifier: GPL-3.0-or-later

/// A device of the network that plays media, such as a television set: a UPnP AV renderer, which is
/// what DLNA demands.
package struct MediaRenderer: Sendable, Hashable, Identifiable {
    /// The unique device name, such as `uuid:…`.
    package let id: String
    /// The name that its owner has given it.
    package let name: String
    /// The name of the model; may be empty.
    package let model: String
    /// The URL of its description.
    package let location: String
    /// Its number in the search.
    let number: Int
}

/// The state of a renderer.
package struct RendererStatus: Sendable, Equatable {
    /// The states of a renderer.
    package enum State: String, Sendable {
        case playing, paused
        /// It waits for data.
        case waiting
        case stopped
    }

    /// The state.
    package var state: State
    /// The time in seconds; `nil` if the renderer does not tell.
    package var seconds: Double?
    /// The length in seconds; `nil` if the renderer does not tell.
    package var duration: Double?
}

extension RendererStatus.State {
    /// Reads a word of UPnP AV's AVTransport, section 2.2.1.
    init(transport word: String) {
        switch word {
        case "PLAYING": self = .playing
        case "PAUSED_PLAYBACK": self = .paused
        case "TRANSITIONING": self = .waiting
        default: self = .stopped
        }
    }
}

/// Times of UPnP AV, such as `1:02:03.500`.
enum TransportTime {
    /// Returns seconds; `nil` if the text is no time, as where a renderer does not tell one.
    static func seconds(_ text: String) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var seconds = 0.0
        for part in parts {
            guard let number = Double(part), number >= 0, number.isFinite else { return nil }
            seconds = seconds * 60 + number
        }
        return seconds <= most ? seconds : nil
    }

    /// A year.
    private static let most = 31_536_000.0

    static func text(_ seconds: Double) -> String {
        let whole = Int(max(seconds, 0).rounded(.down))
        let digits = [whole / 60 % 60, whole % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return "\(whole / 3600):\(digits.joined(separator: ":"))"
    }
}

/// The description of media for a renderer: a DIDL-Lite document of one item.
enum MediaDescription {
    static func text(_ url: String, title: String, type: String) -> String {
        let kind =
            switch type.prefix(while: { $0 != "/" }) {
            case "audio": "audioItem"
            case "image": "imageItem"
            default: "videoItem"
            }
        return """
            <DIDL-Lite xmlns="urn:schemas-upnp-org:metadata-1-0/DIDL-Lite/" \
            xmlns:dc="http://purl.org/dc/elements/1.1/" \
            xmlns:upnp="urn:schemas-upnp-org:metadata-1-0/upnp/">\
            <item id="0" parentID="-1" restricted="1">\
            <dc:title>\(escaped(title))</dc:title>\
            <upnp:class>object.item.\(kind)</upnp:class>\
            <res protocolInfo="http-get:*:\(escaped(type)):*">\(escaped(url))</res>\
            </item></DIDL-Lite>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;").replacing("\"", with: "&quot;")
    }
}
