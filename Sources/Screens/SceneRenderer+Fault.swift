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
    }
}
