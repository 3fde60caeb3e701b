// SPDX-License-Identifier: GPL-3.0-or-later

internal import Codecs
/// The tracks of an asset of which at most one is played at a time (AVMediaSelectionGroup's
/// counterpart).
public struct MediaSelectionGroup: Sendable, Hashable {
    /// The kinds of groups (AVMediaCharacteristic's counterpart).
    public enum Characteristic: String, Sendable, CaseIterable {
        case visual, audible, legible
    }

    /// The kind of the tracks.
    public let characteristic: Characteristic
    /// The tracks, in the file's order.
    public let options: [MediaSelectionOption]
    /// Whether none of them need be played: there are no pictures without a visual one.
    public let allowsEmptySelection: Bool

    /// The option that the file prefers: the first that is marked so, else the first; `nil` for
    /// texts that are not marked.
    public var defaultOption: MediaSelectionOption? {
        let usual = options.filter { !$0.isForced }
        return usual.first(where: \.isDefault)
            ?? (characteristic == .legible ? nil : usual.first ?? options.first)
    }

    /// Returns the option to play for a person who understands these languages, the best first.
    /// - Parameters:
    ///   - languages: Tags such as `de-AT`; only the language counts.
    ///   - sound: The option of sound that is played. If it is in one of the languages, texts are
    ///     not needed, except those that are forced in that language.
    /// - Returns: `nil` if nothing should be played.
    public func option(
        preferring languages: [String], with sound: MediaSelectionOption? = nil
    ) -> MediaSelectionOption? {
        let wanted = languages.map(LanguageTag.language)
        func best(_ options: [MediaSelectionOption]) -> MediaSelectionOption? {
            for language in wanted {
                let matching = options.filter { $0.language == language }
                if let found = matching.first(where: \.isDefault) ?? matching.first { return found }
            }
            return nil
        }
        guard characteristic == .legible else {
            return best(options.filter { !$0.isForced }) ?? defaultOption
        }
        if let heard = sound?.language, wanted.contains(heard) {
            return options.first { $0.isForced && $0.language == heard }
        }
        return best(options.filter { !$0.isForced })
    }
}

/// A track that may be chosen (AVMediaSelectionOption's counterpart).
public struct MediaSelectionOption: Sendable, Hashable, Identifiable {
    /// The same for the same file, such as `audible-1`, or the name of a file of subtitles.
    public let id: String
    /// The track's number in the file; `nil` for texts that are in a file of their own, or that
    /// come with the pictures.
    public var track: Int? { if case .track(let number) = source { number } else { nil } }
    /// The language, in the form of BCP 47 such as `de`; `nil` if the file says none.
    public let language: String?
    /// The name that the file gives the track; `nil` if none.
    public let title: String?
    /// Whether the file prefers the track.
    public let isDefault: Bool
    /// The place of the samples.
    let source: Source
    /// Whether texts are for everybody: they translate what is said in another language.
    public let isForced: Bool

    enum Source: Sendable, Hashable {
        case track(Int)
        /// With the pictures of a track: CEA-608.
        case closedCaptions(Int)
        case file(SubtitleFile)
        case rendition(SubtitleRendition)
    }

    /// Whether the texts come with the pictures. Only libavcodec finds them there.
    var isInPictures: Bool { if case .closedCaptions = source { true } else { false } }

    /// Whether a person means this option by a text: its id, language or title.
    func matches(_ text: String) -> Bool {
        id == text || title == text || language == LanguageTag.language(of: text)
    }
}

extension [MediaSelectionGroup] {
    /// Creates the groups of what can be played, without empty ones.
    init(_ facts: MediaAsset.Facts) {
        self = MediaSelectionGroup.Characteristic.allCases.compactMap { characteristic in
            let kind: MediaTrack.Kind =
                switch characteristic {
                case .visual: .video
                case .audible: .audio
                case .legible: .subtitle
                }
            var options = facts.tracks.filter { $0.kind == kind }.enumerated().map {
                MediaSelectionOption($1, id: "\(characteristic.rawValue)-\($0 + 1)")
            }
            if characteristic == .legible {
                if let track = facts.captionedTrack {
                    options.append(MediaSelectionOption(closedCaptions: track))
                }
                for (number, rendition) in facts.renditions.enumerated() {
                    options.append(MediaSelectionOption(rendition, id: "stream-\(number + 1)"))
                }
                for file in facts.subtitles {
                    options.append(MediaSelectionOption(file))
                }
            }
            if options.isEmpty { return nil }
            return MediaSelectionGroup(
                characteristic: characteristic, options: options,
                allowsEmptySelection: characteristic != .visual)
        }
    }
}

extension MediaSelectionOption {
    fileprivate init(_ track: MediaTrack, id: String) {
        self.init(
            id: id, language: track.language.map(LanguageTag.language), title: track.title,
            isDefault: track.isDefault, source: .track(track.index), isForced: track.isForced)
    }

    /// Creates the option of the first channel of a track's captions.
    fileprivate init(closedCaptions track: Int) {
        self.init(
            id: "captions-\(track)", language: nil, title: "CC1", isDefault: false,
            source: .closedCaptions(track), isForced: false)
    }

    fileprivate init(_ rendition: SubtitleRendition, id: String) {
        self.init(
            id: id, language: rendition.language, title: rendition.name,
            isDefault: rendition.isDefault, source: .rendition(rendition),
            isForced: rendition.isForced)
    }

    fileprivate init(_ file: SubtitleFile) {
        self.init(
            id: file.name, language: file.language, title: nil, isDefault: false,
            source: .file(file), isForced: file.isForced)
    }
}

extension MediaAsset.Property where Value == [MediaSelectionGroup] {
    /// The groups of tracks, at most one for each characteristic.
    public static var mediaSelectionGroups: Self { Self { [MediaSelectionGroup]($0) } }
}
