// SPDX-License-Identifier: GPL-3.0-or-later

internal import Drawing
internal import Kiosk
internal import Media

extension SceneRenderer {
    /// Draws the title, the place in the visit and the progress, on a shade at the bottom.
    func drawViewing(_ viewing: Scene.Viewing, filmstrip: PixelAccess?) {
        let bounds = canvas.bounds
        let height = unsafe viewingHeight(viewing, hasFilmstrip: filmstrip != nil)
        let (margin, line) = (ViewingLayout.margin * unit, ViewingLayout.line * unit)
        let strip = unsafe filmstrip == nil ? 0 : ViewingLayout.strip * unit
        let bar = ViewingLayout.bar * unit
        let shade = Rectangle(
            x: 0, y: (bounds.height - height).rounded(), width: bounds.width, height: height)
        canvas.fill(shade, from: theme.glass.opacity(0), to: theme.glass)
        let content = Rectangle(
            x: margin, y: shade.y + margin, width: bounds.width - 2 * margin, height: line)
        drawTitle(viewing, in: content)
        guard let progress = viewing.progress else { return }
        let track = Rectangle(
            x: content.x, y: (content.y + line + strip + bar / 2).rounded(),
            width: content.width, height: (0.012 * unit).rounded())
        if let filmstrip = unsafe filmstrip {
            let place = PixelRect(
                x: Int(content.x), y: Int(content.y + line), width: Int(content.width),
                height: Int(strip))
            unsafe drawFilmstrip(filmstrip, in: place)
        }
        drawTrack(progress, track, isTall: strip > 0, from: content.y + line)
    }

    /// Draws each picture in its part of the bar, cut to the part's shape.
    private func drawFilmstrip(_ pictures: PixelAccess, in place: PixelRect) {
        let count = Scene.Viewing.filmstripPictures
        let size = unsafe pictures.description.dimensions
        let width = size.width / count
        for number in 0..<count {
            let left = place.width * number / count
            let right = place.width * (number + 1) / count
            unsafe canvas.draw(
                pictures,
                PixelRect(x: number * width, y: 0, width: width, height: size.height),
                in: PixelRect(
                    x: place.x + left, y: place.y, width: right - left, height: place.height),
                .resizeAspectFill)
        }
    }

    /// The height of what ``drawViewing(_:filmstrip:)`` draws.
    func viewingHeight(_ viewing: Scene.Viewing, hasFilmstrip: Bool) -> Double {
        let progress =
            viewing.progress == nil
            ? 0 : ViewingLayout.bar + (hasFilmstrip ? ViewingLayout.strip : 0)
        return (ViewingLayout.line + 2 * ViewingLayout.margin + progress) * unit
    }

    private func drawTitle(_ viewing: Scene.Viewing, in box: Rectangle) {
        let letters = style(0.044, .semibold)
        let faint = style(0.04, .semibold, opacity: 0.8)
        let words = [viewing.progress.map(words), viewing.place.map(Self.words)]
        let right = words.compactMap(\.self).joined(separator: "   ")
        // Measure with zeros, so that the title does not move with the digits.
        let measured = String(right.map { $0.isNumber ? "0" : $0 })
        let width = right.isEmpty ? 0 : canvas.measure(measured, faint, width: 32_000).width + 2
        let gap = right.isEmpty ? 0 : 0.04 * unit
        let room = max(box.width - width - gap, 0)
        let title = canvas.measure(viewing.title, letters, width: room)
        // A box centres its text.
        canvas.draw(
            viewing.title, letters,
            in: Rectangle(
                x: box.x, y: box.y, width: min(title.width.rounded(.up) + 2, room),
                height: box.height))
        let actual = right.isEmpty ? 0 : canvas.measure(right, faint, width: 32_000).width + 2
        canvas.draw(
            right, faint,
            in: Rectangle(
                x: box.x + box.width - actual, y: box.y, width: actual, height: box.height))
    }

    /// Draws what was played as a line, with a mark at the present place. Without a length, the
    /// line has no mark.
    private func drawTrack(
        _ progress: Scene.Viewing.Progress, _ track: Rectangle, isTall: Bool, from top: Double
    ) {
        let corner = track.height / 2
        canvas.fill(track, theme.foreground.opacity(0.25), cornerRadius: corner)
        guard let step = progress.step else { return }
        let part = Double(step) / Double(Scene.Viewing.Progress.steps)
        let played = Rectangle(
            x: track.x, y: track.y, width: (track.width * part).rounded(), height: track.height)
        canvas.fill(played, theme.foreground, cornerRadius: corner)
        let mark = Point(x: track.x + played.width, y: track.y + corner)
        canvas.fillCircle(mark, radius: 0.014 * unit, theme.foreground)
        if isTall {
            canvas.strokeLine(
                [Point(x: mark.x, y: top), mark], theme.foreground, width: 0.004 * unit)
        }
    }

    private func words(_ progress: Scene.Viewing.Progress) -> String {
        let elapsed = clockText(seconds: progress.elapsed)
        let pause = progress.isPaused ? "❚❚ " : ""
        if progress.isLive { return "\(pause)● \(elapsed)" }
        guard let duration = progress.duration else { return pause + elapsed }
        return "\(pause)\(elapsed) / \(clockText(seconds: duration))"
    }

    private static func words(_ place: Scene.Viewing.Place) -> String {
        "\(place.number) of \(place.count)"
    }

    /// Draws a note, for sound without a cover.
    func drawNote() {
        let center = canvas.bounds.center
        let radius = 0.045 * unit
        let white = theme.foreground.opacity(0.9)
        for side in [-1.0, 1.0] {
            let head = Point(x: center.x + side * 0.075 * unit, y: center.y + 0.07 * unit)
            canvas.fillCircle(head, radius: radius, white)
            let stem = head.x + radius - 0.008 * unit
            canvas.strokeLine(
                [Point(x: stem, y: head.y), Point(x: stem, y: center.y - 0.13 * unit)], white,
                width: 0.016 * unit)
        }
        let left = center.x - 0.075 * unit + radius - 0.008 * unit
        let beam = center.y - 0.13 * unit
        canvas.strokeLine(
            [Point(x: left, y: beam), Point(x: left + 0.15 * unit, y: beam)], white,
            width: 0.04 * unit)
    }
}

/// The heights of a view's parts, in units of the screen's shorter edge.
private enum ViewingLayout {
    static let margin = 0.055
    static let line = 0.07
    static let strip = 0.12
    static let bar = 0.05
}
