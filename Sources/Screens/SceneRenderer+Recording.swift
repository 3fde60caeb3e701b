// SPDX-License-Identifier: GPL-3.0-or-later

internal import Drawing
internal import Kiosk

extension SceneRenderer {
    /// A red dot and the time, on dark glass in the upper left corner.
    func drawRecording(_ recording: Scene.Recording) {
        let letters = style(0.05, .semibold)
        let text = Self.text(recording)
        // As wide as with the widest digits: the time does not dance.
        let size = canvas.measure(
            String(text.map { $0.isNumber ? "0" : $0 }), letters, width: 32_000)
        let (padding, dot, gap) = (0.036 * unit, 0.017 * unit, 0.024 * unit)
        let margin = 0.055 * unit
        let height = (size.height + 0.028 * unit).rounded()
        let pill = Rectangle(
            x: margin.rounded(), y: margin.rounded(),
            width: (2 * padding + 2 * dot + gap + size.width.rounded(.up) + 2).rounded(),
            height: height)
        canvas.fill(pill, theme.glass, cornerRadius: height / 2)
        canvas.stroke(
            pill.inset(by: 0.5), theme.foreground.opacity(0.14), width: 1,
            cornerRadius: height / 2)
        let center = Point(x: pill.x + padding + dot, y: pill.center.y)
        canvas.fillCircle(center, radius: dot, theme.recording)
        let box = Rectangle(
            x: center.x + dot + gap, y: pill.y, width: size.width.rounded(.up) + 2,
            height: pill.height)
        canvas.draw(text, letters, in: box)
    }

    /// For example "0:07 / 1:00": how long, and of how much.
    private static func text(_ recording: Scene.Recording) -> String {
        let elapsed = clock(recording.elapsed)
        guard let remaining = recording.remaining else { return elapsed }
        return "\(elapsed) / \(clock(recording.elapsed + remaining))"
    }

    private static func clock(_ seconds: Int) -> String {
        let (minutes, rest) = (seconds / 60 % 60, seconds % 60)
        let digits = rest < 10 ? "0\(rest)" : "\(rest)"
        if seconds < 3600 { return "\(minutes):\(digits)" }
        return "\(seconds / 3600):\(minutes < 10 ? "0" : "")\(minutes):\(digits)"
    }
}
