// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Texts or pictures that are shown for a time.
public struct SubtitleEvent: Sendable {
    /// The time from which they are shown.
    public let start: MediaTime
    /// The time up to which they are shown; infinite if the next event ends them.
    public let end: MediaTime
    let content: Content

    enum Content: Sendable {
        /// Lines of a script in the form of Matroska.
        case lines([String])
        /// Pictures, and the size of the screen that they were made for.
        case pictures([SubtitleBitmap], Dimensions)
    }

    init(start: MediaTime, end: MediaTime, _ content: Content) {
        (self.start, self.end, self.content) = (start, end, content)
    }

    /// Whether both show the same from the same time on.
    public func isSame(as other: SubtitleEvent) -> Bool {
        guard start == other.start else { return false }
        switch (content, other.content) {
        case (.lines(let one), .lines(let other)): return texts(one) == texts(other)
        case (.pictures(let one, _), .pictures(let other, _)): return one == other
        default: return false
        }
    }

    /// Returns lines without their first field: their number, which begins anew at each seek.
    private func texts(_ lines: [String]) -> [Substring] {
        lines.map { $0.drop { $0 != "," } }
    }

    /// Returns the same event with another end.
    public func ending(at end: MediaTime) -> SubtitleEvent {
        SubtitleEvent(start: start, end: end, content)
    }

    /// Returns the same event at another time.
    public func moved(by offset: MediaTime) -> SubtitleEvent {
        SubtitleEvent(start: start + offset, end: end + offset, content)
    }

    /// Whether the event only ends others.
    public var isEmpty: Bool {
        switch content {
        case .lines(let lines): lines.isEmpty
        case .pictures(let pictures, _): pictures.isEmpty
        }
    }

    /// Whether it changes while it is shown.
    public var isAnimated: Bool {
        guard case .lines(let lines) = content else { return false }
        return lines.contains { line in
            // The text follows eight fields, the last of which names an effect.
            let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
            guard fields.count == 9 else { return false }
            return !fields[7].isEmpty || Self.movements.contains { fields[8].contains($0) }
        }
    }

    /// The tags of letters that move, fade or change.
    private static let movements = ["\\t(", "\\move", "\\fad", "\\k", "\\K"]

    /// The bytes that it takes, without its lines.
    public var bytes: Int {
        guard case .pictures(let pictures, _) = content else { return 0 }
        return pictures.reduce(0) { $0 + 4 * $1.pixels.count }
    }
}

/// A picture of letters: premultiplied ARGB8888.
struct SubtitleBitmap: Sendable, Equatable {
    let place: PixelRect
    let pixels: [UInt32]
}

/// The styles and fonts of subtitles.
public struct SubtitleScript: Sendable {
    /// The head of an ASS script.
    let head: String
    /// Whether the texts have no places of their own.
    let isPlain: Bool
    /// The fonts that came with the texts.
    var fonts: [(name: String, bytes: [UInt8])] = []
}

extension SubtitleScript {
    /// The styles of texts that have none: white letters with a dark edge.
    public static let plain = SubtitleScript(
        head: """
            [Script Info]
            ScriptType: v4.00+
            PlayResX: 384
            PlayResY: 288
            ScaledBorderAndShadow: yes

            [V4+ Styles]
            Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, \
            BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, \
            BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding
            Style: Default,sans-serif,18,&H00FFFFFF,&H00FFFFFF,&H00101010,&H80000000,\
            -1,0,0,0,100,100,0,0,1,1.2,0.6,2,20,20,14,1

            [Events]
            Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

            """, isPlain: true)
}
