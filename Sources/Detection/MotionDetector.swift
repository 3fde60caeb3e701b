// SPDX-License-Identifier: GPL-3.0-or-later

public import Media

/// Detects motion by comparing the brightness of a grid's cells with its running average. A change
/// of the whole picture at once, as by a lamp or by the exposure, is not motion. For one thread.
public struct MotionDetector: Sendable {
    static let columns = 32
    static let rows = 18
    /// The brightness levels, of 255, by which a cell must differ.
    private static let threshold: Float = 12
    /// The weight of a new picture in the running average.
    private static let learning: Float = 0.1
    /// The sampling step, in pixels and rows.
    private static let step = 2

    private var usual: [Float] = []

    /// Creates a detector without a running average.
    public init() {}

    /// Returns the motion in a picture whose first plane is luma, one byte per pixel; `nil` if
    /// there is none, for the first picture, and for one smaller than the grid.
    @unsafe
    public mutating func look(at pixels: PixelAccess) -> MetadataObject? {
        let cells = unsafe Self.brightness(of: pixels)
        guard !cells.isEmpty, usual.count == cells.count else {
            usual = cells
            return nil
        }
        let differences = zip(cells, usual).map { $0 - $1 }
        let shift = differences.sorted()[differences.count / 2]
        for index in cells.indices { usual[index] += differences[index] * Self.learning }
        let isChanged = differences.map { abs($0 - shift) > Self.threshold }
        let count = isChanged.count { $0 }
        if count == 0 { return nil }
        return .motion(
            score: Double(count) / Double(cells.count), regions: Self.regions(isChanged))
    }

    /// Returns each cell's average brightness; empty for a picture smaller than the grid.
    private static func brightness(of pixels: PixelAccess) -> [Float] {
        let size = unsafe pixels.description.dimensions
        guard size.width >= columns, size.height >= rows else { return [] }
        let (start, stride) = unsafe (pixels.plane(0), pixels.bytesPerRow(0))
        var cells: [Float] = []
        cells.reserveCapacity(columns * rows)
        for row in 0..<rows {
            let lines = row * size.height / rows..<(row + 1) * size.height / rows
            for column in 0..<columns {
                let places = column * size.width / columns..<(column + 1) * size.width / columns
                var (sum, count) = (0, 0)
                for y in Swift.stride(from: lines.lowerBound, to: lines.upperBound, by: step) {
                    for x in Swift.stride(from: places.lowerBound, to: places.upperBound, by: step)
                    {
                        sum += Int(unsafe start[y * stride + x])
                        count += 1
                    }
                }
                cells.append(Float(sum) / Float(max(count, 1)))
            }
        }
        return cells
    }

    /// Returns the rectangles around groups of adjacent cells, the largest group first.
    private static func regions(_ isChanged: [Bool]) -> [NormalizedRect] {
        var isLeft = isChanged
        var found: [(rect: NormalizedRect, cells: Int)] = []
        for first in isChanged.indices where isLeft[first] {
            isLeft[first] = false
            var open = [first]
            var cells = 0
            var (left, right, top, bottom) = (columns, 0, rows, 0)
            while let cell = open.popLast() {
                cells += 1
                let (x, y) = (cell % columns, cell / columns)
                (left, right) = (min(left, x), max(right, x))
                (top, bottom) = (min(top, y), max(bottom, y))
                var neighbours: [Int] = []
                if x > 0 { neighbours.append(cell - 1) }
                if x < columns - 1 { neighbours.append(cell + 1) }
                if y > 0 { neighbours.append(cell - columns) }
                if y < rows - 1 { neighbours.append(cell + columns) }
                for neighbour in neighbours where isLeft[neighbour] {
                    isLeft[neighbour] = false
                    open.append(neighbour)
                }
            }
            let (width, height) = (Double(columns), Double(rows))
            let rect = NormalizedRect(
                x: Double(left) / width, y: Double(top) / height,
                width: Double(right - left + 1) / width,
                height: Double(bottom - top + 1) / height)
            found.append((rect, cells))
        }
        return found.sorted { $0.cells > $1.cells }.map(\.rect)
    }
}
