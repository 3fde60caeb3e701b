// SPDX-License-Identifier: GPL-3.0-or-later

internal import Input

/// The form that a key's text must have.
struct TextForm: Sendable {
    /// The form for people, after "allowed:".
    let description: String
    let accepts: @Sendable (String) -> Bool

    /// Free text on one line, possibly empty.
    static let line = TextForm(description: "text in quotes on one line, up to 200 bytes") {
        $0.utf8.count <= 200 && !$0.unicodeScalars.contains(where: TOMLText.isControl)
    }

    static let screenText = TextForm(description: "text in quotes, up to 400 bytes") {
        $0.utf8.count <= 400
            && !$0.unicodeScalars.contains { $0 != "\n" && TOMLText.isControl($0) }
    }

    /// A name that is valid on a command line, as a file name and as a bare TOML key.
    static let name = TextForm(
        description: "1 to 32 letters (a-z, A-Z), digits, \"-\" or \"_\""
    ) { text in
        1...32 ~= text.utf8.count && text.utf8.allSatisfy(TOMLText.isBareKeyByte)
    }

    /// A file system path. It must not begin with `~`, which only shells expand.
    static let path = TextForm(
        description:
            "a path of up to 1000 bytes that does not begin with ~ (\"./~\" is a file of that name)"
    ) {
        1...1000 ~= $0.utf8.count && !$0.unicodeScalars.contains(where: TOMLText.isControl)
            && $0.utf8.first != UInt8(ascii: "~")
    }

    /// An absolute folder, rclone's NAME:PATH, or nothing.
    static let remote = TextForm(
        description: "an absolute folder, or \"NAME:PATH\" of rclone, or \"\""
    ) { text in
        guard path.accepts(text), !text.hasPrefix("/") else {
            return text.isEmpty || path.accepts(text)
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return parts.count == 2 && name.accepts(String(parts[0])) && !parts[1].hasPrefix(":")
    }

    static let source = TextForm(
        description: "\"pattern\", the path of a video file or of a folder of photos, or \"\""
    ) { $0.isEmpty || path.accepts($0) }

    static let file = TextForm(description: "a path, or \"\"") {
        $0.isEmpty || path.accepts($0)
    }

    static let deviceName = TextForm(description: "\(name.description), or \"\"") {
        $0.isEmpty || name.accepts($0)
    }

    /// An absolute URL of `http` or `https`, or nothing.
    static let url = TextForm(description: "an absolute URL of http or https, or \"\"") { text in
        let host = ["http://", "https://"].first { text.lowercased().hasPrefix($0) }
            .map { text.dropFirst($0.count) }
        return text.isEmpty
            || text.utf8.count <= 2000 && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
                && host.map { !$0.isEmpty && $0.first != "/" } ?? false
    }

    static let sha256 = TextForm(description: "64 hexadecimal digits, or \"\"") {
        $0.isEmpty || $0.utf8.count == 64 && $0.allSatisfy(\.isHexDigit)
    }

    static let picture = TextForm(description: "the path of a PNG file, or \"\"") {
        $0.isEmpty || path.accepts($0)
    }

    static let pixelFormat = TextForm(
        description: "\"auto\" or a V4L2 format of 1 to 4 characters such as \"MJPG\""
    ) { text in
        text == "auto"
            || 1...4 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// BCP 47 tags such as `de-AT`.
    static let languages = TextForm(
        description: "language tags such as \"de en-GB\", or \"\""
    ) { text in
        text.utf8.count <= 100
            && text.split(separator: " ", omittingEmptySubsequences: false).allSatisfy { tag in
                let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
                return text.isEmpty
                    || 2...3 ~= parts[0].utf8.count
                        && parts.allSatisfy { part in
                            1...8 ~= part.utf8.count && part.utf8.allSatisfy(TOMLText.isBareKeyByte)
                        }
            }
    }

    static let soundDevice = TextForm(
        description: "\"auto\", a card and device such as \"Loopback,1\", or \"\""
    ) { text in
        if text.isEmpty || text == "auto" { return true }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        return parts.count == 2 && 1...32 ~= parts[0].utf8.count
            && parts[0].utf8.allSatisfy(TOMLText.isBareKeyByte)
            && 1...2 ~= parts[1].utf8.count
            && parts[1].utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    }

    static let dailyPeriod = TextForm(
        description: "\"HH:MM-HH:MM\" such as \"22:00-06:00\", or \"\""
    ) { $0.isEmpty || DailyPeriod($0) != nil }

    static let mode = TextForm(
        description: "\"auto\", \"native\" or \"WIDTHxHEIGHT\" such as \"1920x1080\""
    ) { text in
        if text == "auto" || text == "native" { return true }
        let sides = text.split(separator: "x", omittingEmptySubsequences: false)
        return sides.count == 2
            && sides.allSatisfy { side in
                side.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
                    && side.first != "0" && (1...16384 ~= (Int(side) ?? 0))
            }
    }

    /// A GPIO line, or an empty text.
    static let gpioLine = TextForm(
        description: "\"CHIP:LINE\" such as \"pinctrl-bcm2711:GPIO17\" or \"gpiochip0:17\""
    ) { $0.isEmpty || (line.accepts($0) && GPIOLineName($0) != nil) }

    /// A key of an input device, or an empty text.
    static let eventKey = TextForm(
        description: "a name in linux/input-event-codes.h such as \"KEY_ENTER\" or \"BTN_LEFT\""
    ) { text in
        text.isEmpty || (1...40 ~= text.utf8.count && KeyCode(name: text) != nil)
    }
}
