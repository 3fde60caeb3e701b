// SPDX-License-Identifier: GPL-3.0-or-later

internal import CTurboJPEG

/// One TurboJPEG decompressor, owned.
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

    /// Whether the last call that returned -1 was only a warning.
    var warnedOnly: Bool {
        unsafe tjGetErrorCode(handle) == Int(TJERR_WARNING.rawValue)
    }

    /// What the last call that returned -1 said.
    var complaint: String {
        guard let text = unsafe tjGetErrorStr2(handle) else { return "unknown error" }
        return unsafe String(cString: text)
    }
}

/// Calls `body` with the three planes as TurboJPEG wants them: two C arrays, on the stack.
@unsafe
func withPlaneArrays<Result>(
    _ y: FrameView.Plane, _ u: FrameView.Plane, _ v: FrameView.Plane,
    _ body: (
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<CInt>
    ) -> Result
) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>?.self, capacity: 3) {
        planes in
        unsafe withUnsafeTemporaryAllocation(of: CInt.self, capacity: 3) { strides in
            unsafe planes.initializeElement(at: 0, to: y.start)
            unsafe planes.initializeElement(at: 1, to: u.start)
            unsafe planes.initializeElement(at: 2, to: v.start)
            unsafe strides.initializeElement(at: 0, to: y.stride)
            unsafe strides.initializeElement(at: 1, to: u.stride)
            unsafe strides.initializeElement(at: 2, to: v.stride)
            guard let plane = planes.baseAddress, let stride = strides.baseAddress
            else { preconditionFailure("an allocation of three without an address") }
            return unsafe body(plane, stride)
        }
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

    var code: CInt {
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
