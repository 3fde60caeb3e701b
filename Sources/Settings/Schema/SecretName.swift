// SPDX-License-Identifier: GPL-3.0-or-later

/// Names of secrets. No key of the schema is one, but somebody may have written a password into the
/// file anyway; no message may repeat it.
enum SecretName {
    private static let words = [
        "password", "passwd", "passphrase", "pwd", "psk", "secret", "token", "credential",
        "signature", "api_key", "apikey", "private_key",
    ]

    /// Whether `text`, such as a key or a whole line, contains the name of a secret.
    static func isIn(_ text: String) -> Bool {
        let text = text.lowercased()
        return words.contains { text.contains($0) }
    }
}
