// SPDX-License-Identifier: GPL-3.0-or-later

internal import Drawing
internal import Kiosk

extension SceneRenderer {
    /// Draws a sign, a title and advice in the middle, and the code at the bottom.
    func drawFault(_ fault: Scene.Fault) {
        let bounds = canvas.bounds
        let title = style(0.088, .bold, lines: 3)
        let advice = style(0.05, .regular, opacity: 0.78, lines: 4)
        let code = style(0.03, .regular, opacity: 0.5)
        let width = min(bounds.width - 0.16 * unit, 1.35 * unit)
        let titleBox = Rectangle(
            center: bounds.center, width: balancedWidth(fault.title, title, width), height: 0)
        let adviceBox = Rectangle(
            center: bounds.center, width: balancedWidth(fault.advice, advice, width), height: 0)
        let titleHeight = canvas.measure(fault.title, title, width: titleBox.width).height
        let adviceHeight = canvas.measure(fault.advice, advice, width: adviceBox.width).height
        let radius = 0.075 * unit
        let gaps = (sign: 0.055 * unit, title: 0.025 * unit)
        let height = 2 * radius + gaps.sign + titleHeight + gaps.title + adviceHeight
        // A little above the middle looks centred.
        var y = max(0.05 * unit, (bounds.height - height) / 2 - 0.03 * unit)
        drawSign(.failure, at: Point(x: bounds.center.x, y: y + radius), radius: radius)
        y += 2 * radius + gaps.sign
        canvas.draw(
            fault.title, title,
            in: Rectangle(x: titleBox.x, y: y, width: titleBox.width, height: titleHeight))
        y += titleHeight + gaps.title
        canvas.draw(
            fault.advice, advice,
            in: Rectangle(x: adviceBox.x, y: y, width: adviceBox.width, height: adviceHeight))
        let line = Rectangle(
            x: 0.05 * unit, y: bounds.height - 0.085 * unit, width: bounds.width - 0.1 * unit,
            height: 0.05 * unit)
        canvas.draw(fault.code, code, in: line)
        if let copies = fault.copies { drawCopies(copies, code, above: line) }
    }

    /// Draws a cloud and the words beside it, in the middle of a line above `line`.
    private func drawCopies(_ words: String, _ style: TextStyle, above line: Rectangle) {
        let size = canvas.measure(words, style, width: line.width)
        let (cloud, gap) = (0.05 * unit, 0.014 * unit)
        let left = line.center.x - (cloud + gap + size.width) / 2
        let box = Rectangle(
            x: left + cloud + gap, y: line.y - 0.048 * unit, width: size.width.rounded(.up) + 2,
            height: line.height)
        canvas.draw(words, style, in: box)
        // A cloud: three circles on a bar. They overlap, so their colour is opaque.
        let cloudBase = box.center.y + 0.3 * cloud
        for (x, radius) in [(0.2, 0.2), (0.45, 0.32), (0.77, 0.23)] {
            let center = Point(x: left + x * cloud, y: cloudBase - radius * cloud)
            canvas.fillCircle(center, radius: radius * cloud, theme.faint)
        }
        let bar = Rectangle(
            x: left + 0.2 * cloud, y: cloudBase - 0.2 * cloud, width: 0.57 * cloud,
            height: 0.2 * cloud)
        canvas.fill(bar, theme.faint)
    }
}
