// SPDX-License-Identifier: GPL-3.0-or-later

/// Masks secrets in logs before they leave the machine. A doubtful text is masked, too.
enum Secrets {
    /// Returns the text with `***` for everything that looks like a secret: the rest of a line
    /// after an authorization or cookie header, the value after a word or option such as "token",
    /// and credentials inside URLs.
    static func masked(_ text: String) -> String {
        let authorizing = /((?:authorization|cookie)[\\"']*\s*[=:]\s*)[^\n]+/.ignoresCase()
        let addressed = /(\w+:\/\/)\S*@/
        let named =
            #/
            (\w*(?:pass(?:word|wd|phrase)?|pwd|psk|secret|token|credential|signature
                |api[_-]?key|private[_-]?key)\w*[\\"']*\s*[=:]\s*)
            (?:\\+"[^"\n]*"|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|\S+)
            /#
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
