// SPDX-License-Identifier: GPL-3.0-or-later

/// Refuses texts that toml++ cannot handle, before it parses them:
/// - Keys of very many dotted parts. toml++ 3.3 destroys its tables recursively: 400,000 parts
///   crash the process.
/// - Characters outside ASCII between tokens, which TOML forbids. toml++ 3.3 takes some of them for
///   white space.
/// - Bytes that are not UTF-8, and NUL. Refusing them here gives a clear message.
///
/// The states of the scan follow. Each byte may change the state; a newline ends every state except
/// a multi-line string:
///
///     between ──"──▶ basic      ──"──▶ between        between ──#──▶ comment ──\n──▶ between
///     between ──'──▶ literal    ──'──▶ between
///     between ─"""─▶ multiBasic ─"""─▶ between        between ─'''─▶ multiLiteral ─'''─▶ between
struct TOMLGuard {
    static let maximumKeyParts = 32

    private enum State {
        case between
        case comment
        case string(quote: UInt8, isMultiline: Bool)
    }

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var column = 1
    private var state = State.between
    private var dots = 0

    /// Throws at the first byte that must not reach the parser.
    static func check(_ bytes: [UInt8]) throws(TOMLSyntaxError) {
        var scan = TOMLGuard(bytes: bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { scan.position = 3 }
        while scan.position < bytes.count { try scan.step() }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func step() throws(TOMLSyntaxError) {
        let byte = bytes[position]
        guard byte != 0 else { throw error(.encoding, "a NUL byte, allowed: only text") }
        guard byte < 0x80 else { return try stepOverCharacter() }
        switch state {
        case .between: try stepBetween(byte)
        case .comment: advance()
        case .string(let quote, let isMultiline):
            try stepInString(byte, quote: quote, isMultiline: isMultiline)
        }
        if byte == UInt8(ascii: "\n") { startLine() }
    }

    private mutating func stepBetween(_ byte: UInt8) throws(TOMLSyntaxError) {
        switch byte {
        case UInt8(ascii: "#"):
            state = .comment
            advance()
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let run = runLength(of: byte)
            // Two quotes are an empty string; three open a multi-line string.
            if run >= 3 {
                state = .string(quote: byte, isMultiline: true)
                advance(3)
            } else if run == 2 {
                advance(2)
            } else {
                state = .string(quote: byte, isMultiline: false)
                advance()
            }
        case UInt8(ascii: "."):
            dots += 1
            guard dots < Self.maximumKeyParts else {
                throw error(
                    .syntax,
                    "a key with too many parts, allowed: up to \(Self.maximumKeyParts)")
            }
            advance()
        case UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "{"), UInt8(ascii: "}"):
            dots = 0
            advance()
        default:
            advance()
        }
    }

    private mutating func stepInString(
        _ byte: UInt8, quote: UInt8, isMultiline: Bool
    ) throws(TOMLSyntaxError) {
        if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
            advance()
            // An escaped byte cannot end the string. An escaped newline still counts as a line.
            if position < bytes.count, bytes[position] == quote || bytes[position] == byte {
                advance()
            }
        } else if byte == quote {
            let run = isMultiline ? runLength(of: quote) : 1
            // Up to two quotes may precede the three that end a multi-line string.
            let ends = !isMultiline || run >= 3
            advance(run)
            if ends { state = .between }
        } else {
            advance()
        }
    }

    /// Skips one well-formed UTF-8 sequence of two to four bytes.
    private mutating func stepOverCharacter() throws(TOMLSyntaxError) {
        guard let length = Self.sequenceLength(bytes[position...]) else {
            throw error(.encoding, "bytes that are not UTF-8, allowed: only UTF-8 text")
        }
        if case .between = state {
            throw error(
                .syntax,
                "a character outside ASCII, allowed: only inside quotes and comments")
        }
        position += length
        column += 1
    }

    /// Returns how many equal quotes follow; at most 5, the most that can end a multi-line string.
    private func runLength(of byte: UInt8) -> Int {
        bytes[position...].prefix(5).prefix { $0 == byte }.count
    }

    private mutating func advance(_ count: Int = 1) {
        position += count
        column += count
    }

    private mutating func startLine() {
        line += 1
        column = 1
        dots = 0
        switch state {
        case .comment, .string(_, isMultiline: false): state = .between
        case .between, .string: break
        }
    }

    private func error(_ code: SettingsProblem.Code, _ message: String) -> TOMLSyntaxError {
        TOMLSyntaxError(code: code, line: line, column: column, message: message)
    }

    /// Returns the length of the UTF-8 sequence of two to four bytes at the start, or nil if it is
    /// malformed (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
    private static func sequenceLength(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let first = bytes.first else { return nil }
        let (length, second): (Int, ClosedRange<UInt8>)
        switch first {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        let rest = bytes.dropFirst().prefix(length - 1)
        guard rest.count == length - 1, let next = rest.first, second.contains(next),
            rest.allSatisfy({ 0x80...0xBF ~= $0 })
        else { return nil }
        return length
    }
}
