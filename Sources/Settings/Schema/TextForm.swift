// SPDX-License-Identifier: GPL-3.0-or-later

internal import Input

/// A form that the text of a key must have.
struct TextForm: Sendable {
    /// For people, after "allowed:".
    let description: String
    let accepts: @Sendable (String) -> Bool

    /// Free text on one line, possibly empty.
    static let line = TextForm(description: "text in quotes on one line, up to 200 bytes") {
        $0.utf8.count <= 200 && !$0.unicodeScalars.contains(where: TOMLText.isControl)
    }

    /// Text for the screen.
    static let screenText = TextForm(description: "text in quotes, up to 400 bytes") {
        $0.utf8.count <= 400
            && !$0.unicodeScalars.contains { $0 != "\n" && TOMLText.isControl($0) }
    }

    /// A name that fits a command line, a file name and a bare TOML key.
    static let name = TextForm(
        description: "1 to 32 letters (a-z, A-Z), digits, \"-\" or \"_\""
    ) { text in
        1...32 ~= text.utf8.count && text.utf8.allSatisfy(TOMLText.isBareKeyByte)
    }

    /// A path of the file system. Only shells know what `~` means.
    static let path = TextForm(
        description:
            "a path, up to 1000 bytes, which does not begin with ~ (\"./~\" is a file of that name)"
    ) {
        1...1000 ~= $0.utf8.count && !$0.unicodeScalars.contains(where: TOMLText.isControl)
            && $0.utf8.first != UInt8(ascii: "~")
    }

    /// A path, `pattern`, or nothing.
    static let source = TextForm(
        description: "\"pattern\", the path of a video file or folder of photos, or \"\""
    ) { $0.isEmpty || path.accepts($0) }

    /// A path, or nothing.
    static let picture = TextForm(description: "the path of a PNG file, or \"\"") {
        $0.isEmpty || path.accepts($0)
    }

    /// A V4L2 pixel format.
    static let pixelFormat = TextForm(
        description: "\"auto\" or a V4L2 format of 1 to 4 characters such as \"MJPG\""
    ) { text in
        text == "auto"
            || 1...4 ~= text.utf8.count && text.utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }

    /// A sound device, or nothing.
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

    /// A part of the day, or nothing.
    static let dailyPause = TextForm(
        description: "\"HH:MM-HH:MM\" such as \"22:00-06:00\", or \"\""
    ) { $0.isEmpty || DailyPause($0) != nil }

    /// A display mode.
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

    /// A GPIO line, or nothing.
    static let gpioLine = TextForm(
        description: "\"CHIP:LINE\" such as \"pinctrl-bcm2711:GPIO17\" or \"gpiochip0:17\""
    ) { $0.isEmpty || (line.accepts($0) && GPIOLineName($0) != nil) }

    /// A key of an input device, or nothing.
    static let eventKey = TextForm(
        description: "a name of linux/input-event-codes.h such as \"KEY_ENTER\" or \"BTN_LEFT\""
    ) { text in
        text.isEmpty || (1...40 ~= text.utf8.count && KeyCode(name: text) != nil)
    }
}
