// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
internal import FoundationEssentials
public import LinuxIO
internal import Media

/// A file of subtitles that belongs to a media file: `film.srt`, `film.de.vtt` or
/// `film.en.forced.ass` for `film.mkv`.
public struct SubtitleFile: Sendable, Hashable {
    /// The file's name.
    public let name: String
    /// The name of the media file.
    private let mediaName: String
    private let place: Place

    private enum Place: Sendable {
        case path(String)
        case passed(PassedFile)
    }

    /// Names a file of a media file; nothing is opened.
    public init(path: String, of mediaName: String) {
        name = String(path.split(separator: "/").last ?? "")
        (place, self.mediaName) = (.path(path), mediaName)
    }

    /// Takes a file of a media file that somebody else has opened.
    public init(_ file: PassedFile, name: String, of mediaName: String) {
        (self.name, place, self.mediaName) = (name, .passed(file), mediaName)
    }

    /// Files are equal if their names are.
    public static func == (one: SubtitleFile, other: SubtitleFile) -> Bool {
        one.name == other.name
    }

    /// See `==`.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    private static let endings: Set<Substring> = ["srt", "vtt", "ass", "ssa"]
    /// The most files of one media file.
    private static let most = 16
    /// The largest file.
    private static let mostBytes = 16 << 20

    /// Returns the paths of the files beside a media file, in the order of their names.
    public static func paths(beside path: String) -> [String] {
        let url = URL(filePath: path)
        let stem = url.deletingPathExtension().lastPathComponent + "."
        let folder = url.deletingLastPathComponent().path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let found = names.filter { name in
            name.hasPrefix(stem)
                && endings.contains(name.split(separator: ".").last?.lowercased()[...] ?? "")
        }
        return found.sorted().prefix(most).map { folder + "/" + $0 }
    }

    /// The language in the name, in the form of BCP 47; `nil` if it has none.
    var language: String? { marks.lazy.compactMap(LanguageTag.known).first }

    /// Whether the name says that the texts are for everybody.
    var isForced: Bool { marks.contains("forced") }

    /// The parts of the name between that of the media file and the ending; of another file's name
    /// the last one.
    private var marks: [Substring] {
        let stem = (mediaName.split(separator: ".").dropLast().joined(separator: ".") + ".")
        let parts = name.lowercased().split(separator: ".").dropLast()
        guard stem.count > 1, name.hasPrefix(stem) else {
            return Array(parts.dropFirst().suffix(1))
        }
        return Array(parts.dropFirst(stem.split(separator: ".").count))
    }

    /// Reads all texts. Those that are not in a form of Unicode count as Windows-1252.
    /// - Throws: ``PlaybackError``.
    func read(_ stop: MediaStop) throws(PlaybackError) -> SubtitleTimeline {
        do {
            let (script, events) = try Self.texts(try bytes(), name, stop)
            let timeline = SubtitleTimeline(script, isComplete: true)
            for event in events { timeline.add(event) }
            return timeline
        } catch {
            throw PlaybackError(name, error)
        }
    }

    /// Returns the styles and the texts of a file.
    static func texts(
        _ bytes: [UInt8], _ name: String, _ stop: MediaStop
    ) throws -> (script: SubtitleScript, events: [SubtitleEvent]) {
        let reader = try MediaReader(MemorySource(unicode(bytes)), name: name, stop: stop)
        guard let track = reader.tracks.first(where: { $0.kind == .subtitle }) else {
            throw PlaybackError(.unsupported, "\(name) has no subtitles")
        }
        let decoder = try SubtitleDecoder(track, of: reader)
        var events: [SubtitleEvent] = []
        while let packet = try reader.read(of: track) {
            if let event = decoder.decode(packet) { events.append(event) }
        }
        return (decoder.script, events)
    }

    private func bytes() throws -> [UInt8] {
        let bytes: [UInt8]
        switch place {
        case .passed(let file): bytes = try file.reader().read(upTo: Self.mostBytes + 1, at: 0)
        case .path(let path):
            guard try FileTree.entry(path)?.kind == .file else {
                throw PlaybackError(.notFound, "there is no file \(path)")
            }
            bytes = try DurableFileReader(path).read(upTo: Self.mostBytes + 1, at: 0)
        }
        guard bytes.count <= Self.mostBytes else {
            throw PlaybackError(.unsupported, "\(name) is longer than \(Self.mostBytes >> 20) MB")
        }
        return bytes
    }

    private static func unicode(_ bytes: [UInt8]) -> [UInt8] {
        let isMarked = bytes.starts(with: [0xff, 0xfe]) || bytes.starts(with: [0xfe, 0xff])
        if isMarked || String(validating: bytes, as: UTF8.self) != nil { return bytes }
        let text = String(bytes: bytes, encoding: .windowsCP1252)
        return text.map { Array($0.utf8) } ?? bytes
    }
}
