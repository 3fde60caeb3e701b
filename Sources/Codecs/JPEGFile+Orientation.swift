// SPDX-License-Identifier: GPL-3.0-or-later

extension JPEGFile {
    /// Returns the file with another EXIF orientation, 1 to 8, and all other bytes unchanged; `nil`
    /// without an orientation in EXIF. Source: EXIF 2.32, tag 0x0112; TIFF 6.0, section 2.
    public static func turning(_ file: [UInt8], orientation: Int) -> [UInt8]? {
        guard let segments = try? JPEGSegments(file),
            let segment = segments.first(Marker.application1, ExifMetadata.identifier, in: file)
        else { return nil }
        let payload = segment.payload
        let tiff = payload.lowerBound + ExifMetadata.identifier.count
        guard tiff + 8 <= payload.upperBound else { return nil }
        let isLittle = file[tiff] == UInt8(ascii: "I")
        func number(_ count: Int, at place: Int) -> Int? {
            guard place >= tiff, place + count <= payload.upperBound else { return nil }
            let bytes = file[place..<place + count]
            return (isLittle ? Array(bytes.reversed()) : Array(bytes)).reduce(0) {
                $0 << 8 | Int($1)
            }
        }
        guard let offset = number(4, at: tiff + 4), let count = number(2, at: tiff + offset)
        else { return nil }
        for entry in 0..<count {
            let place = tiff + offset + 2 + entry * 12
            guard let tag = number(2, at: place), let type = number(2, at: place + 2),
                place + 12 <= payload.upperBound
            else { return nil }
            guard tag == 0x0112, type == 3 else { continue }
            var turned = file
            turned[place + 8] = isLittle ? UInt8(orientation) : 0
            turned[place + 9] = isLittle ? 0 : UInt8(orientation)
            return turned
        }
        return nil
    }
}
