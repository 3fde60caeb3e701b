// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg

/// libavcodec, libswresample and libavutil, loaded when first needed.
enum FFmpegLibrary {
    private static let failure: String? = unsafe cffmpeg_load().map { unsafe String(cString: $0) }

    /// - Throws: `missing` if they are not installed.
    static func load() throws(CodecError) {
        if let failure {
            throw CodecError(.missing, "no video encoder: \(failure)")
        }
    }

    static func reason(_ code: CInt) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        return unsafe buffer.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, unsafe av_strerror(code, start, 128) >= 0
            else { return "error \(code)" }
            return unsafe String(cString: start)
        }
    }
}
