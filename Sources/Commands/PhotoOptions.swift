// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library
internal import Media

struct PhotoOptions: ParsableArguments {
    @Option(
        help: """
            original: the camera's own JPEG, unchanged, if it delivers one; jpeg: a newly encoded \
            JPEG; raw: original plus a DNG of the sensor's values (default: photo.format, or jpeg \
            with --quality).
            """, completion: .list(words(CapturePhotoSettings.Format.self)), transform: choice)
    var format: CapturePhotoSettings.Format?

    @Option(help: "JPEG quality, 1 to 100 (default: photo.quality).")
    var quality: Int?

    func validate() throws {
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality takes 1 to 100.")
        }
    }

    var arguments: [String: JSONValue] {
        var arguments: [String: JSONValue] = [:]
        arguments["format"] = format.map { .string($0.rawValue) }
        arguments["quality"] = quality.map { .integer(Int64($0)) }
        return arguments
    }
}

extension PhotoOptions {
    func complainOfMissingRaw(_ assets: [Asset]) {
        let missing = assets.filter { $0.alternatePhoto == nil }.count
        if format == .raw, missing > 0 {
            complain("vitrine: photos without RAW: \(missing); next: see: vitrine logs")
        }
    }
}

struct FlashOptions: ParsableArguments {
    @Option(
        help: "auto: flash if there is one; on: no photo without flash; off: no flash.",
        completion: .list(words(CapturePhotoSettings.FlashMode.self)), transform: choice)
    var flash: CapturePhotoSettings.FlashMode?

    var arguments: [String: JSONValue] { flash.map { ["flash": .string($0.rawValue)] } ?? [:] }
}

private typealias Choice = RawRepresentable<String> & CaseIterable

private func words<Value: Choice>(_ type: Value.Type) -> [String] {
    Value.allCases.map(\.rawValue)
}

private func choice<Value: Choice>(_ word: String) throws -> Value {
    if let value = Value(rawValue: word) { return value }
    throw ValidationError("allowed: \(words(Value.self).joined(separator: ", "))")
}
