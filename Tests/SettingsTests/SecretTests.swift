// SPDX-License-Identifier: GPL-3.0-or-later
import Settings
import Testing

@Suite("Secrets in the file")
struct SecretTests {
    @Test(
        "the problem of a secret has its line and never repeats its value",
        arguments: [
            "password = \"CANARY\"", "password = 'CANARY", "password = CANARY",
            "password = 12CANARY", "password = trueCANARY", "password = infCANARY",
            "password = \"\" CANARY", "password = 271828182845904523536",
            "lamp.api_token = { a = \"CANARY\" }", "display.secret = [ \"CANARY\" ]",
            "[[camera]]\nmatch.psk = \"CANARY\"", "actions.password.press = \"CANARY\"",
            "actions.password.press = 271828182845904523536",
        ])
    func unrepeated(text: String) throws {
        let error = #expect(throws: SettingsError.self) {
            try Settings.parse("\n" + text, fileName: "x.toml")
        }
        let said = try #require(error).description
        #expect(said.hasPrefix("x.toml:2:") || said.hasPrefix("x.toml:3:"), "\(said)")
        for part in ["CAN", "271", "'C'"] { #expect(!said.contains(part), "\(said)") }
    }

    @Test("control: the problem of any other value repeats it")
    func repeated() throws {
        for (text, part) in [
            ("display.countdown_s = \"CANARY\"", "\"CANARY\""), ("quality = 12CANARY", "'C'"),
        ] {
            let error = #expect(throws: SettingsError.self) {
                try Settings.parse(text, fileName: "x.toml")
            }
            #expect(try #require(error).description.contains(part))
        }
    }
}
