// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Replays inputs that once broke a reader, and a thousand damaged copies of them. A reader that
/// traps ends the process.
struct ReplayTests {
    static let corpora = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fuzz/Corpus").standardized

    @Test(
        "each reader survives its corpus and damaged copies of it",
        arguments: FuzzTarget.allCases.filter { $0 != .control })
    func corpus(target: FuzzTarget) throws {
        let folder = Self.corpora.appending(path: target.rawValue)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(!files.isEmpty)
        var random = Seeded(5)
        for file in files {
            let bytes = try [UInt8](Data(contentsOf: folder.appending(path: file)))
            target.take(bytes)
            for _ in 0..<(1000 / files.count) { target.take(damaged(bytes, &random)) }
        }
    }

    @Test("control: a reader that traps is noticed")
    func control() async {
        await #expect(processExitsWith: .failure) { FuzzTarget.control.take(Array("kiosk".utf8)) }
    }

    /// Returns the bytes with up to four of them changed and, in one of four cases, the end cut
    /// off.
    private func damaged(_ bytes: [UInt8], _ random: inout Seeded) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &random)] = .random(
                in: 0...255, using: &random)
        }
        if Int.random(in: 0..<4, using: &random) == 0 {
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
        }
        return bytes
    }
}
