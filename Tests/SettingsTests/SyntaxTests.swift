// SPDX-License-Identifier: GPL-3.0-or-later
import Settings
import Testing

@Suite("Text that is not TOML")
struct SyntaxTests {
    @Test(
        "a syntax error has its line and column",
        arguments: [
            ("[display]\ncountdown_s = \n", 2, 14...16),
            ("[display\n", 1, 8...10),
            ("\n\nx = \"abc\n", 3, 8...10),
            ("[a]\nb = 1\nb = 2\n", 3, 1...6),
            ("[a]\n[a]\n", 2, 1...4),
        ])
    func place(text: String, line: Int, columns: ClosedRange<Int>) throws {
        let error = #expect(throws: SettingsError.self) {
            try Settings.parse(text, fileName: "x.toml")
        }
        let problem = try #require(error?.problems.first)
        #expect(error?.problems.count == 1)
        #expect(problem.code == .syntax)
        #expect(problem.line == line)
        #expect(columns.contains(problem.column ?? 0))
        #expect(problem.description.hasPrefix("x.toml:\(line):\(problem.column ?? 0): not TOML: "))
        #expect(!problem.description.contains("\n"))
    }

    @Test("bytes that are not UTF-8 are refused with their place")
    func notUTF8() {
        let cases: [[UInt8]] = [
            [0xFF], [0xC0, 0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0xE0, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0x80],
        ]
        for bytes in cases {
            let error = #expect(throws: SettingsError.self) {
                try Settings.parse(Array("[log]\n# ä".utf8) + bytes + [0x0A], fileName: "x.toml")
            }
            #expect(
                error?.description
                    == "x.toml:2:4: bytes that are not UTF-8, allowed: only UTF-8 text")
            #expect(error?.problems.first?.code == .encoding)
        }
    }

    @Test("a NUL byte is refused with its place")
    func nul() {
        #expect(
            problems("[log]\nlevel = \"in\0fo\"")
                == ["vitrine.toml:2:12: a NUL byte, allowed: only text"])
    }

    @Test("characters outside ASCII are allowed only in quotes and comments")
    func outsideASCII() throws {
        #expect(
            problems("[log]\n\u{FE0F}level = \"info\"") == [
                "vitrine.toml:2:1: a character outside ASCII, "
                    + "allowed: only inside quotes and comments"
            ])
        let text = """
            \u{FEFF}# Überschrift \u{2028} 📷
            [display]
            ready_text = "Drück 📷" # é
            saved_text = '''
            « "é" ''é'''''
            """
        let settings = try Settings.parse(text, fileName: "x.toml")
        #expect(settings.display.readyText == "Drück 📷")
        #expect(settings.display.savedText == "« \"é\" ''é''")
    }

    @Test("escaped quotes inside strings do not confuse the check of characters")
    func quotes() throws {
        let text = #"""
            [display]
            ready_text = "a \" é \\"
            saved_text = """
            "é" ""é"" \""" é""""" # é
            """#
        let settings = try Settings.parse(text, fileName: "x.toml")
        #expect(settings.display.readyText == #"a " é \"#)
        #expect(settings.display.savedText == #""é" ""é"" """ é"""#)
    }

    @Test("characters outside ASCII after an escaped line end are text (toml++ issue 190)")
    func afterEscapedLineEnd() throws {
        let text = "[display]\nready_text = \"\"\"\\\n  §é\\\n 📷\u{FE0F}\\\\é\"\"\""
        let settings = try Settings.parse(text, fileName: "x.toml")
        #expect(settings.display.readyText == "§é📷\u{FE0F}\\é")
        #expect(codes("x = 1e'é'") == [.syntax])
    }

    @Test("nesting is limited, however long the file")
    func nesting() {
        let dotted = Array(repeating: "a", count: 400_000).joined(separator: ".")
        #expect(codes("[\(dotted)]") == [.syntax])
        #expect(codes("\(dotted) = 1") == [.syntax])
        #expect(codes("x = { \(dotted) = 1 }") == [.syntax])
        #expect(codes("x = \(String(repeating: "[", count: 400_000))") == [.syntax])
        #expect(codes("x = \(String(repeating: "{a=", count: 100_000))") == [.syntax])
        // Control: the deepest nesting that is read has 32 values of 32 parts each.
        let key = Array(repeating: "a", count: 32).joined(separator: ".")
        let open = String(repeating: "{ \(key) = ", count: 31)
        #expect(codes("x = \(open)1\(String(repeating: " }", count: 31))") == [.unknownKey])
    }

    @Test("dots inside quotes do not count as nesting")
    func dotsInQuotes() throws {
        let dots = String(repeating: ".", count: 150)
        let settings = try Settings.parse("[board]\nname = \"\(dots)\"", fileName: "x.toml")
        #expect(settings.board.name == dots)
    }

    @Test("a long run of quotes is checked in reasonable time")
    func manyQuotes() {
        #expect(codes("x = " + String(repeating: "\"", count: 1_000_000)) == [.syntax])
    }
}
