// SPDX-License-Identifier: GPL-3.0-or-later

public import Drawing
public import Imaging
public import Kiosk
public import Media

/// Draws scenes for one screen on one canvas, which the next drawing overwrites. The screen's
/// shorter edge determines all sizes. Not thread-safe.
@safe
public final class SceneRenderer {
    /// The size of the screen and of the canvas.
    public let screen: Dimensions
    /// The gravity of a photo on the screen.
    public let reviewGravity: Gravity
    let theme: Theme
    let canvas: Canvas
    /// The picture that replaces a scene's message.
    private let splash: Canvas?
    private let background: BackgroundPicture?
    /// The shade behind the countdown, kept small: computing a gradient of the screen's size takes
    /// far longer than scaling one.
    private let veil: Canvas

    /// Allocates the canvas. Fonts are found with the first text, or by ``findFonts()``. A `splash`
    /// replaces a scene's message and is shown whole.
    public convenience init(
        _ screen: Dimensions, reviewGravity: Gravity = .resizeAspect, theme: Theme = Theme(),
        splash: Canvas? = nil
    ) throws(CanvasError) {
        try self.init(
            screen, reviewGravity: reviewGravity, theme: theme, splash: splash, background: nil)
    }

    /// - Parameter background: The picture behind texts that fill the screen; `nil` for none.
    init(
        _ screen: Dimensions, reviewGravity: Gravity, theme: Theme = Theme(), splash: Canvas?,
        background: BackgroundPicture?
    ) throws(CanvasError) {
        self.splash = splash
        self.background = background
        self.screen = screen
        self.reviewGravity = reviewGravity
        self.theme = theme
        canvas = try Canvas(screen)
        veil = try Canvas(Dimensions(width: 128, height: 128))
        veil.fillCircle(
            veil.bounds.center, radius: 63, from: theme.veil, to: theme.veil.opacity(0),
            plateau: 0.5)
    }

    /// Finds the fonts in advance. Otherwise the first text waits for that.
    public func findFonts() { canvas.findFonts() }

    /// Draws a scene; a review without its picture shows a sign instead. Returns the overlay for
    /// the camera's picture, valid until the next drawing; `nil` if it is empty, so that the
    /// overlay can be switched off.
    public func render(_ scene: Scene) -> Canvas? {
        unsafe render(scene, picture: nil)
    }

    /// Draws a scene with the pictures that it names: ``PixelFormat/xrgb``, upright, of any size;
    /// read only during the call.
    /// - Parameters:
    ///   - picture: The photo of `scene.review`, or the picture of `scene.viewing`.
    ///   - filmstrip: The pictures of the scrub bar, side by side.
    ///   - subtitles: The texts over a video.
    @unsafe
    public func render(
        _ scene: Scene, picture: PixelAccess?, filmstrip: PixelAccess? = nil,
        subtitles: PlacedPicture? = nil
    ) -> Canvas? {
        if scene.isBare, subtitles == nil { return nil }
        drawBackground(scene, hasPicture: unsafe picture != nil)
        if let picture = unsafe picture, let viewing = scene.viewing, viewing.progress != nil {
            // The cover of a piece of music stands above its progress.
            var place = PixelRect(screen)
            place.height -= Int(unsafe viewingHeight(viewing, hasFilmstrip: filmstrip != nil))
            unsafe canvas.draw(picture, in: place, .resizeAspect)
        } else if let picture = unsafe picture {
            unsafe canvas.draw(picture, in: PixelRect(screen), reviewGravity)
        } else if scene.review != nil {
            drawSign(.success, at: canvas.bounds.center, radius: 0.16 * unit)
        } else if scene.viewing?.picture != nil {
            drawNote()
        }
        if let subtitles {
            let bottom = unsafe scene.viewing.map {
                unsafe viewingHeight($0, hasFilmstrip: filmstrip != nil)
            }
            draw(subtitles, above: bottom ?? 0)
        }
        if let viewing = scene.viewing { unsafe drawViewing(viewing, filmstrip: filmstrip) }
        if let countdown = scene.countdown { drawCountdown(countdown) }
        if let message = scene.message { drawMessage(message) }
        if let fault = scene.fault { drawFault(fault) }
        if let recording = scene.recording { drawRecording(recording) }
        if let notice = scene.notice {
            var bottom = scene.fault == nil ? 0 : 0.06 * unit
            if let viewing = scene.viewing {
                bottom = unsafe viewingHeight(viewing, hasFilmstrip: filmstrip != nil)
            }
            drawPill(notice.text, notice.kind, above: bottom)
        } else if let hint = scene.hint {
            drawPill(hint, nil, above: 0)
        }
        return canvas
    }

    /// The unit of all lengths: the screen's shorter edge.
    var unit: Double { Double(min(screen.width, screen.height)) }

    func style(
        _ size: Double, _ weight: TextStyle.Weight, opacity: Double = 1, lines: Int = 1
    ) -> TextStyle {
        TextStyle(
            .pixels((size * unit).rounded()), weight: weight,
            color: theme.foreground.opacity(opacity), maximumLines: lines, family: theme.family)
    }

    private func drawBackground(_ scene: Scene, hasPicture: Bool) {
        if hasPicture {
            // Bars beside a photo are black, as beside the preview.
            canvas.fill(.black)
        } else if scene.background == .black {
            drawBackdrop()
        } else if scene.fault != nil {
            canvas.fill(theme.scrim)
        } else {
            canvas.clear()
        }
    }

    private func drawBackdrop() {
        guard let picture = background?.canvas(shade: theme.glass) else {
            canvas.fill(canvas.bounds, from: theme.backdropTop, to: theme.backdropBottom)
            return
        }
        unsafe picture.withPixels { unsafe canvas.draw($0, in: PixelRect(screen), .resize) }
    }

    /// Returns the smallest width at which the text takes no more lines than at `width`. The lines
    /// become about equally long.
    func balancedWidth(_ text: String, _ style: TextStyle, _ width: Double) -> Double {
        let goal = canvas.measure(text, style, width: width)
        if goal.isShortened { return width }
        var (low, high) = (width * 0.3, width)
        while high - low > width * 0.02 {
            let middle = (low + high) / 2
            let size = canvas.measure(text, style, width: middle)
            if size.height > goal.height || size.isShortened { low = middle } else { high = middle }
        }
        return high.rounded(.up)
    }

    /// Draws subtitles, which make room for what lies at the bottom.
    private func draw(_ subtitles: PlacedPicture, above bottom: Double) {
        guard subtitles.screen == screen else { return }
        var place = subtitles.place
        place.y = min(place.y, max(screen.height - Int(bottom) - place.height, 0))
        unsafe subtitles.picture.withPixels { unsafe canvas.draw($0, in: place, .resize) }
    }

    private func drawMessage(_ message: String) {
        if let splash {
            canvas.fill(.black)
            unsafe splash.withPixels {
                unsafe canvas.draw($0, in: PixelRect(screen), .resizeAspect)
            }
            return
        }
        let center = canvas.bounds.center
        let lens = Point(x: center.x, y: center.y - 0.09 * unit)
        let white = theme.foreground
        canvas.strokeArc(lens, radius: 0.1 * unit, white.opacity(0.9), width: 0.012 * unit)
        canvas.strokeArc(lens, radius: 0.06 * unit, white.opacity(0.45), width: 0.008 * unit)
        canvas.fillCircle(lens, radius: 0.022 * unit, white.opacity(0.9))
        let box = Rectangle(
            center: Point(x: center.x, y: center.y + 0.12 * unit),
            width: canvas.bounds.width - 0.16 * unit, height: 0.2 * unit)
        if message.isEmpty { return }
        canvas.draw(message, style(0.058, .semibold, opacity: 0.92, lines: 2), in: box)
    }

    private func drawCountdown(_ countdown: Scene.Countdown) {
        let center = canvas.bounds.center
        let radius = 0.3 * unit
        let width = 0.024 * unit
        let shade = Rectangle(center: center, width: 0.93 * unit, height: 0.93 * unit)
        unsafe veil.withPixels { unsafe canvas.draw($0, in: shade.pixels, .resize) }
        let steps = max(1, countdown.steps)
        // A gap is half the line's width, but at most 35 % of a step.
        let gap = steps == 1 ? 0 : min(0.35 / Double(steps), width / 2 / (2 * .pi * radius))
        for step in 0..<steps {
            // The ring runs out clockwise from the top.
            let isLeft = step >= steps - countdown.step
            canvas.strokeArc(
                center, radius: radius, from: Double(step) / Double(steps) + gap / 2,
                to: Double(step + 1) / Double(steps) - gap / 2,
                theme.foreground.opacity(isLeft ? 1 : 0.3), width: width)
        }
        let digits = String(countdown.digits)
        let size = [1: 0.38, 2: 0.31][digits.count] ?? 0.2
        canvas.draw(digits, style(size, .bold), inkCenteredAt: center)
    }
}

extension Rectangle {
    /// The rectangle, rounded to whole pixels.
    fileprivate var pixels: PixelRect {
        PixelRect(
            x: Int(x.rounded()), y: Int(y.rounded()), width: Int(width.rounded()),
            height: Int(height.rounded()))
    }
}
