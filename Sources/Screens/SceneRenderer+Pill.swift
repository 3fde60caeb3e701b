// SPDX-License-Identifier: GPL-3.0-or-later

internal import Drawing
internal import Kiosk

extension SceneRenderer {
    /// Draws a short message on dark glass above the lowest `bottom` pixels, after a sign of its
    /// kind. A message without a kind is an invitation and has a shutter button.
    func drawPill(_ text: String, _ kind: Scene.Notice.Kind?, above bottom: Double) {
        let bounds = canvas.bounds
        let isQuiet = kind == nil
        let sign = (isQuiet ? 0.026 : 0.03) * unit
        let (padding, gap) = (0.045 * unit, 0.026 * unit)
        let around = 2 * padding + 2 * sign + gap
        // The text takes one line if it fits, or up to three lines of a smaller size.
        let widest = min(bounds.width - 0.1 * unit, 1.5 * unit) - around
        var letters = style(0.05, .semibold)
        var size = canvas.measure(text, letters, width: 32_000)
        if size.width > widest {
            letters = style(0.042, .semibold, lines: 3)
            let width = balancedWidth(text, letters, widest)
            size = canvas.measure(text, letters, width: width)
            size.width = width
        }
        let width = size.width.rounded(.up) + 2
        let height = (max(size.height, 2 * sign) + 0.05 * unit).rounded()
        let bottom = bounds.height - bottom - 0.055 * unit
        let pill = Rectangle(
            x: ((bounds.width - width - around) / 2).rounded(), y: (bottom - height).rounded(),
            width: (width + around).rounded(), height: height)
        let corner = min(height / 2, 0.065 * unit)
        canvas.fill(pill, theme.glass, cornerRadius: corner)
        canvas.stroke(
            pill.inset(by: 0.5), theme.foreground.opacity(0.14), width: 1, cornerRadius: corner)

        let center = Point(x: pill.x + padding + sign, y: pill.center.y)
        if let kind {
            drawSign(kind, at: center, radius: sign)
        } else {
            canvas.strokeArc(
                center, radius: sign * 0.88, theme.foreground, width: sign * 0.2)
            canvas.fillCircle(center, radius: sign * 0.58, theme.foreground)
        }
        let box = Rectangle(
            x: center.x + sign + gap, y: pill.y, width: width, height: pill.height)
        canvas.draw(text, letters, in: box)
    }

    /// Draws a round sign: a tick, an exclamation mark, or a ring with a bright segment.
    func drawSign(_ kind: Scene.Notice.Kind, at center: Point, radius: Double) {
        func point(_ x: Double, _ y: Double) -> Point {
            Point(x: center.x + x * radius, y: center.y + y * radius)
        }
        switch kind {
        case .success:
            canvas.fillCircle(center, radius: radius, theme.success)
            canvas.strokeLine(
                [point(-0.42, 0.04), point(-0.12, 0.34), point(0.44, -0.3)], .white,
                width: radius * 0.2)
        case .failure:
            canvas.fillCircle(center, radius: radius, theme.failure)
            let dark = theme.backdropBottom
            canvas.strokeLine(
                [point(0, -0.46), point(0, 0.12)], dark, width: radius * 0.22)
            canvas.fillCircle(point(0, 0.48), radius: radius * 0.14, dark)
        case .progress:
            let white = theme.foreground
            canvas.strokeArc(
                center, radius: radius * 0.84, white.opacity(0.25), width: radius * 0.24)
            canvas.strokeArc(
                center, radius: radius * 0.84, to: 0.3, white, width: radius * 0.24,
                roundEnds: true)
        }
    }
}
