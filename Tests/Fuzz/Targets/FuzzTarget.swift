// SPDX-License-Identifier: GPL-3.0-or-later

/// A reader of bytes that strangers may send or a power cut may leave.
///
/// Tests replay each target's corpus; board/host/fuzz searches for more faults.
package enum FuzzTarget: String, CaseIterable {
    case toml = "TOML"
    case controlMessages = "ControlMessages"
    case jpegHeaders = "JPEGHeaders"
    case importedMedia = "ImportedMedia"
    case recordings = "Recordings"
    case playedMedia = "PlayedMedia"
    case playlists = "Playlists"
    case words = "Words"
    /// A fault behind a word: the control of the search for faults.
    case control = "Control"

    /// Passes the bytes to the reader, and traps if the reader breaks its promise.
    package func take(_ bytes: [UInt8]) {
        switch self {
        case .toml: takeTOML(bytes)
        case .controlMessages: takeControlMessages(bytes)
        case .jpegHeaders: takeJPEGHeaders(bytes)
        case .importedMedia: takeImportedMedia(bytes)
        case .recordings: takeRecordings(bytes)
        case .playedMedia: takePlayedMedia(bytes)
        case .playlists: takePlaylists(bytes)
        case .words: takeWords(bytes)
        case .control: takeControl(bytes)
        }
    }
}
