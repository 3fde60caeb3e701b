// SPDX-License-Identifier: GPL-3.0-or-later

internal import CZBar
public import Media
internal import Synchronization

/// The reason why nothing can be detected.
public struct DetectionError: Error, Sendable, CustomStringConvertible {
    /// One line for a person, with the next step if there is one.
    public let description: String
}

/// Reads QR codes and bar codes with libzbar. For one thread.
@safe
public final class CodeReader {
    private static let loading = Mutex(())
    private let scanner: UnsafeMutableRawPointer
    private var grey: [UInt8] = []

    /// - Throws: if libzbar is not installed, or memory is short.
    public init() throws(DetectionError) {
        let refusal = Self.loading.withLock { _ in
            unsafe czbar_load().map { unsafe String(cString: $0) }
        }
        if let refusal { throw DetectionError(description: "no codes can be read: \(refusal)") }
        guard let scanner = unsafe czbar_open() else {
            throw DetectionError(description: "no codes can be read: no memory")
        }
        unsafe self.scanner = scanner
    }

    deinit { unsafe czbar_close(scanner) }

    /// Returns the codes in a picture whose first plane is luma, one byte per pixel.
    @unsafe
    public func codes(in pixels: PixelAccess) -> [MetadataObject] {
        let size = unsafe pixels.description.dimensions
        unsafe copyGrey(of: pixels, size)
        var found = Found(size: size)
        _ = unsafe grey.withUnsafeBufferPointer { bytes in
            unsafe withUnsafeMutablePointer(to: &found) { found in
                unsafe czbar_scan(
                    scanner, bytes.baseAddress, UInt32(size.width), UInt32(size.height),
                    { symbol, context in
                        guard let symbol = unsafe symbol, let context = unsafe context else {
                            return
                        }
                        unsafe context.assumingMemoryBound(to: Found.self).pointee.add(
                            symbol.pointee)
                    }, found)
            }
        }
        return found.objects
    }

    /// Copies the luma plane without gaps between rows, as zbar requires.
    private func copyGrey(of pixels: PixelAccess, _ size: Dimensions) {
        let (start, stride) = unsafe (pixels.plane(0), pixels.bytesPerRow(0))
        grey.removeAll(keepingCapacity: true)
        for row in 0..<size.height {
            unsafe grey.append(
                contentsOf: UnsafeBufferPointer(start: start + row * stride, count: size.width))
        }
    }
}

private struct Found {
    let size: Dimensions
    var objects: [MetadataObject] = []

    mutating func add(_ symbol: czbar_symbol) {
        guard let kind = unsafe symbol.kind, let text = unsafe symbol.text else { return }
        let value = unsafe UnsafeRawBufferPointer(start: text, count: symbol.count)
        let (symbology, string) = unsafe (
            String(cString: kind), String(decoding: value, as: UTF8.self)
        )
        let (left, top, right, bottom) = unsafe (
            Double(symbol.left), Double(symbol.top), Double(symbol.right), Double(symbol.bottom)
        )
        let (width, height) = (Double(size.width), Double(size.height))
        objects.append(
            .machineReadableCode(
                symbology: symbology, stringValue: string,
                bounds: NormalizedRect(
                    x: left / width, y: top / height, width: (right - left) / width,
                    height: (bottom - top) / height)))
    }
}
