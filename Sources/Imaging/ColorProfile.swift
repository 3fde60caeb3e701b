// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLCMS
internal import CPNG
internal import Glibc
public import Media

/// An ICC profile of a picture (ISO 15076-1), read by Little CMS. Reading is safe on any input.
@safe
public final class ColorProfile {
    /// The largest accepted profile in bytes. Profiles of printers take about 2 MB.
    static let mostBytes = 8 << 20

    private let profile: cmsHPROFILE

    /// Opens a profile. Returns `nil` for bytes that are no profile.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.mostBytes,
            let profile = unsafe cmsOpenProfileFromMem(bytes, cmsUInt32Number(bytes.count))
        else { return nil }
        unsafe self.profile = profile
    }

    deinit { unsafe cmsCloseProfile(profile) }

    /// Opens the profile of a PNG file. Returns `nil` if it has none.
    public convenience init?(ofPNG file: [UInt8]) {
        var count = 0
        guard let start = unsafe cpng_profile(file, file.count, Self.mostBytes, &count) else {
            return nil
        }
        defer { unsafe free(start) }
        unsafe self.init([UInt8](UnsafeBufferPointer(start: start, count: count)))
    }

    /// Returns the ICC profile of a JPEG file if it is one for red, green and blue.
    public static func ofRGB(in file: [UInt8]) -> [UInt8]? {
        guard let bytes = JPEGMarkers.profile(file), let profile = ColorProfile(bytes),
            unsafe cmsGetColorSpace(profile.profile) == cmsSigRgbData
        else { return nil }
        return bytes
    }

    /// Whether the profile is for four printing inks.
    var isCMYK: Bool { unsafe cmsGetColorSpace(profile) == cmsSigCmykData }

    /// Whether pictures need no conversion: the profile calls itself sRGB, as those of phones do.
    public var isSRGB: Bool {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
            guard let start = unsafe name.baseAddress else { return false }
            let count = unsafe cmsGetProfileInfoASCII(
                profile, cmsInfoDescription, "en", "US", start, cmsUInt32Number(name.count))
            return unsafe count > 0 && String(cString: start).hasPrefix("sRGB")
        }
    }

    /// Converts an XRGB8888 picture to sRGB in place. Returns `false` if the profile is for another
    /// kind of picture; the picture is unchanged then.
    @unsafe
    public func convertToSRGB(_ picture: PixelAccess) -> Bool {
        let view = unsafe picture.description
        guard view.pixelFormat == .xrgb, unsafe cmsGetColorSpace(profile) == cmsSigRgbData,
            let transform = unsafe transform(from: clcms_bgrx)
        else { return false }
        let start = unsafe picture.plane(0)
        let stride = unsafe picture.bytesPerRow(0)
        for row in 0..<view.dimensions.height {
            let pixels = unsafe start + row * stride
            unsafe cmsDoTransform(transform, pixels, pixels, cmsUInt32Number(view.dimensions.width))
        }
        unsafe cmsDeleteTransform(transform)
        return true
    }

    /// Converts inks (cyan, magenta, yellow and black of each pixel, row after row) to an XRGB8888
    /// picture in sRGB of the same size. If `isInverted`, 255 means no ink. Returns `false` if the
    /// profile is for another kind of picture.
    func convert(inks: UnsafePointer<UInt8>, isInverted: Bool, to picture: FrameView) -> Bool {
        guard isCMYK,
            let transform = unsafe transform(
                from: isInverted ? clcms_cmyk_inverted : clcms_cmyk)
        else { return false }
        for row in unsafe 0..<picture.height {
            unsafe cmsDoTransform(
                transform, inks + row * picture.width * 4,
                picture.first.start + row * Int(picture.first.stride),
                cmsUInt32Number(picture.width))
        }
        unsafe cmsDeleteTransform(transform)
        return true
    }

    private func transform(from format: cmsUInt32Number) -> cmsHTRANSFORM? {
        let screen = unsafe cmsCreate_sRGBProfile()
        defer { unsafe cmsCloseProfile(screen) }
        return unsafe cmsCreateTransform(
            profile, format, screen, clcms_bgrx, cmsUInt32Number(INTENT_RELATIVE_COLORIMETRIC),
            cmsUInt32Number(cmsFLAGS_BLACKPOINTCOMPENSATION))
    }
}
