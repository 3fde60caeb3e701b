// SPDX-License-Identifier: GPL-3.0-or-later

/// The subtitles of a stream that come by a playlist of their own (RFC 8216, section 4.3.4.1).
struct SubtitleRendition: Sendable, Hashable {
    /// The URL of the playlist.
    let url: String
    let name: String
    /// In the form of BCP 47; `nil` if the stream says none.
    let language: String?
    let isDefault: Bool
    let isForced: Bool

    /// Returns `nil` if the attributes are those of something else.
    init?(_ attributes: [String: String]) {
        guard attributes["TYPE"] == "SUBTITLES", let url = attributes["URI"],
            MediaAsset.isURL(url)
        else { return nil }
        self.url = url
        name = attributes["NAME"] ?? ""
        language = attributes["LANGUAGE"].map { LanguageTag.language(of: $0) }
        isDefault = attributes["DEFAULT"] == "YES"
        isForced = attributes["FORCED"] == "YES"
    }
}
