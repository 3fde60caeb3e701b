// SPDX-License-Identifier: GPL-3.0-or-later

/// What must not leave the machine with a log. What is in doubt is masked.
enum Secrets {
    /// The text without what looks like a secret: the rest of a line that authorizes, whatever follows a
    /// word for a secret up to the end of its value, and credentials inside addresses.
    static func masked(_ text: String) -> String {
        let authorizing = /((?:authorization|cookie)[\\"']*\s*[=:]\s*)[^\n]+/.ignoresCase()
        let addressed = /(\w+:\/\/)\S*@/
        let named =
            /(\w*(?:pass(?:word|wd|phrase)?|pwd|psk|secret|token|credential|signature|api[_-]?key|private[_-]?key)\w*[\\"']*\s*[=:]\s*)(?:\\+"[^"\n]*"|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\S+)/
            .ignoresCase()
        let option =
            /(--[\w-]*(?:pass|pwd|psk|secret|token|credential|key)[\w-]*\s+)\S+/
            .ignoresCase()
        return
            text
            .replacing(authorizing) { "\($0.output.1)***" }
            .replacing(addressed) { "\($0.output.1)***@" }
            .replacing(named) { "\($0.output.1)***" }
            .replacing(option) { "\($0.output.1)***" }
    }
}
