// SPDX-License-Identifier: GPL-3.0-or-later

internal import Drawing
internal import Kiosk
internal import Media

extension SceneRenderer {
    /// Draws a red dot, the time and the sound level on dark glass in the upper left corner.
    func drawRecording(_ recording: Scene.Recording) {
        let letters = style(0.05, .semibold)
        let text = Self.text(recording)
        // Measure with zeros, so that the width does not change with the digits.
        let size = canvas.measure(
            String(text.map { $0.isNumber ? "0" : $0 }), letters, width: 32_000)
        let (padding, dot, gap) = (0.036 * unit, 0.017 * unit, 0.024 * unit)
        let meter = recording.level == nil ? 0 : gap + Meter(unit).width
        let margin = 0.055 * unit
        let height = (size.height + 0.028 * unit).rounded()
        let pill = Rectangle(
            x: margin.rounded(), y: margin.rounded(),
            width: (2 * padding + 2 * dot + gap + size.width.rounded(.up) + 2 + meter).rounded(),
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
        if let level = recording.level {
            drawMeter(level, at: Point(x: box.x + box.width + gap, y: pill.center.y))
        }
    }

    private struct Meter {
        let bar: Double
        let gap: Double
        let height: Double

        init(_ unit: Double) {
            (bar, gap) = ((0.007 * unit).rounded(.up), (0.006 * unit).rounded(.up))
            height = (0.036 * unit).rounded()
        }

        var width: Double { Double(Scene.Recording.levelSteps) * (bar + gap) - gap }
    }

    /// Draws a bar for each step of the level and lights those that it reaches. The last bar means
    /// "too loud" and has the recording colour. `left` is the middle of the meter's left edge.
    private func drawMeter(_ level: Int, at left: Point) {
        let meter = Meter(unit)
        for step in 1...Scene.Recording.levelSteps {
            let lit = step == Scene.Recording.levelSteps ? theme.recording : theme.foreground
            let bar = Rectangle(
                x: (left.x + Double(step - 1) * (meter.bar + meter.gap)).rounded(),
                y: (left.y - meter.height / 2).rounded(), width: meter.bar, height: meter.height)
            canvas.fill(
                bar, step <= level ? lit : theme.foreground.opacity(0.25),
                cornerRadius: meter.bar / 2)
        }
    }

    /// Returns the elapsed time, and the remaining time if known: "0:07  −0:53".
    private static func text(_ recording: Scene.Recording) -> String {
        let elapsed = clockText(seconds: recording.elapsed)
        guard let remaining = recording.remaining else { return elapsed }
        return "\(elapsed)  \u{2212}\(clockText(seconds: remaining))"
    }
}
