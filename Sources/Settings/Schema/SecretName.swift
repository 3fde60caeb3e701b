// SPDX-License-Identifier: GPL-3.0-or-later

/// Names of what no message repeats. No key of the schema is one: somebody may have written a password into the file
/// all the same.
enum SecretName {
    private static let words = [
        "password", "passwd", "passphrase", "pwd", "psk", "secret", "token", "credential",
        "signature", "api_key", "apikey", "private_key",
    ]

    /// Whether such a name is in the text, which may be longer than a name.
    static func isIn(_ text: String) -> Bool {
        let text = text.lowercased()
        return words.contains { text.contains($0) }
    }
}
