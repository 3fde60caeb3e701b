// SPDX-License-Identifier: GPL-3.0-or-later

/// What strangers may send, or a power cut leave, and what reads it.
///
/// Tests replay each target's corpus; board/host/fuzz looks for more.
package enum FuzzTarget: String, CaseIterable {
    case toml = "TOML"
    case controlMessages = "ControlMessages"
    case jpegHeaders = "JPEGHeaders"
    case importedMedia = "ImportedMedia"
    case recordings = "Recordings"
    case words = "Words"
    /// A fault behind a word: the control of those who look for faults.
    case control = "Control"

    /// Hands the bytes to what reads them; traps where that breaks its promise.
    package func take(_ bytes: [UInt8]) {
        switch self {
        case .toml: takeTOML(bytes)
        case .controlMessages: takeControlMessages(bytes)
        case .jpegHeaders: takeJPEGHeaders(bytes)
        case .importedMedia: takeImportedMedia(bytes)
        case .recordings: takeRecordings(bytes)
        case .words: takeWords(bytes)
        case .control: takeControl(bytes)
        }
    }
}
