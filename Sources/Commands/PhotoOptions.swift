// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import CommandProtocol
internal import Library
internal import Media

/// What photos are to be.
struct PhotoOptions: ParsableArguments {
    @Option(
        help: """
            original: the camera's own JPEG as it is, where it delivers that; jpeg: encoded anew; raw: as original, and \
            a DNG beside it of what the sensor measured. Without: photo.format, or jpeg with --quality.
            """, completion: .list(words(CapturePhotoSettings.Format.self)), transform: choice)
    var format: CapturePhotoSettings.Format?

    @Option(help: "JPEG quality, 1 to 100; without: photo.quality.")
    var quality: Int?

    func validate() throws {
        if let quality, !(1...100).contains(quality) {
            throw ValidationError("--quality takes 1 to 100.")
        }
    }

    /// For the verbs that take photos.
    var arguments: [String: JSONValue] {
        var arguments: [String: JSONValue] = [:]
        arguments["format"] = format.map { .string($0.rawValue) }
        arguments["quality"] = quality.map { .integer(Int64($0)) }
        return arguments
    }
}

extension PhotoOptions {
    /// Says so where photos have none that were to have one.
    func complainOfMissingRaw(_ assets: [Asset]) {
        let missing = assets.filter { $0.alternatePhoto == nil }.count
        if format == .raw, missing > 0 {
            complain("vitrine: \(missing) without RAW; next: see: vitrine logs")
        }
    }
}

/// What lights them.
struct FlashOptions: ParsableArguments {
    @Option(
        help: "auto: where there is a flash; on: no photo without one; off: it stays dark.",
        completion: .list(words(CapturePhotoSettings.FlashMode.self)), transform: choice)
    var flash: CapturePhotoSettings.FlashMode?

    /// For the verbs that take photos.
    var arguments: [String: JSONValue] { flash.map { ["flash": .string($0.rawValue)] } ?? [:] }
}

private typealias Choice = RawRepresentable<String> & CaseIterable

private func words<Value: Choice>(_ type: Value.Type) -> [String] {
    Value.allCases.map(\.rawValue)
}

private func choice<Value: Choice>(_ word: String) throws -> Value {
    if let value = Value(rawValue: word) { return value }
    throw ValidationError("takes \(words(Value.self).joined(separator: ", "))")
}
