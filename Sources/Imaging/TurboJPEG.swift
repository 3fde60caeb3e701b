// SPDX-License-Identifier: GPL-3.0-or-later

internal import CTurboJPEG
internal import Media

/// The owner of a TurboJPEG decompressor.
@safe
struct TurboJPEG: ~Copyable {
    let handle: tjhandle

    static func decompressor() throws(ImagingError) -> TurboJPEG {
        try unsafe TurboJPEG(adopting: tjInitDecompress())
    }

    private init(adopting handle: tjhandle?) throws(ImagingError) {
        guard let handle = unsafe handle else {
            throw ImagingError(.exhausted, "no memory for TurboJPEG")
        }
        unsafe self.handle = handle
    }

    deinit { _ = unsafe tjDestroy(handle) }

    /// Whether the last call that returned -1 only warned.
    var warnedOnly: Bool {
        unsafe tjGetErrorCode(handle) == Int(TJERR_WARNING.rawValue)
    }

    /// The message of the last call that returned -1.
    var complaint: String {
        guard let text = unsafe tjGetErrorStr2(handle) else { return "unknown error" }
        return unsafe String(cString: text)
    }
}

extension JPEGSubsampling {
    init?(code: CInt) {
        switch code {
        case CInt(TJSAMP_444.rawValue): self = .yuv444
        case CInt(TJSAMP_422.rawValue): self = .yuv422
        case CInt(TJSAMP_420.rawValue): self = .yuv420
        case CInt(TJSAMP_440.rawValue): self = .yuv440
        case CInt(TJSAMP_411.rawValue): self = .yuv411
        case CInt(TJSAMP_GRAY.rawValue): self = .grey
        default: return nil
        }
    }

    /// Returns TurboJPEG's worst case in bytes, which no camera's picture needs.
    func largestJPEG(of size: Dimensions) -> Int {
        Int(tjBufSize(CInt(size.width), CInt(size.height), code))
    }

    private var code: CInt {
        let code =
            switch self {
            case .yuv444: TJSAMP_444
            case .yuv422: TJSAMP_422
            case .yuv420: TJSAMP_420
            case .yuv440: TJSAMP_440
            case .yuv411: TJSAMP_411
            case .grey: TJSAMP_GRAY
            }
        return CInt(code.rawValue)
    }
}
