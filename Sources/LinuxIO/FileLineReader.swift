// SPDX-License-Identifier: GPL-3.0-or-later

/// A text file that is read line by line. Symbolic links are refused (`ELOOP`).
public struct FileLineReader: ~Copyable, Sendable {
    private let file: DurableFileReader
    private var block: [UInt8]
    private var position = 0

    /// Opens a file for reading.
    public init(_ path: String) throws(SystemCallError) {
        file = try DurableFileReader(path)
        // Swift 6.2 destroys a value in the property's declaration twice if opening throws.
        block = []
    }

    /// Returns the next line without its line feed, which the last may lack; `nil` at the end.
    public mutating func next() throws(SystemCallError) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            if let end = block[position...].firstIndex(of: UInt8(ascii: "\n")) {
                line += block[position..<end]
                position = end + 1
                return line
            }
            line += block[position...]
            block = try file.read(upTo: 1 << 16)
            position = 0
            if block.isEmpty { return line.isEmpty ? nil : line }
        }
    }
}
