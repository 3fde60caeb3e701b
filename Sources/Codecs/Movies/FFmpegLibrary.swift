// SPDX-License-Identifier: GPL-3.0-or-later

internal import CFFmpeg

/// FFmpeg's libraries, loaded when first needed.
enum FFmpegLibrary {
    private static let failure = unsafe text(cffmpeg_load())
    private static let formatFailure = unsafe text(cffmpeg_load_formats())
    private static let filterFailure = unsafe text(cffmpeg_load_filters())

    private static func text(_ reason: UnsafePointer<CChar>?) -> String? {
        unsafe reason.map { unsafe String(cString: $0) }
    }

    /// Loads libavcodec, libswresample and libavutil.
    /// - Throws: `missing` if they are not installed.
    static func load() throws(CodecError) {
        if let failure { throw CodecError(.missing, "no video encoder: \(failure)") }
    }

    /// Loads libavformat, too, which reads files.
    /// - Throws: `missing` if a library is not installed.
    static func loadFormats() throws(CodecError) {
        if let reason = failure ?? formatFailure {
            throw CodecError(.missing, "no playback: \(reason); next: install that library")
        }
    }

    /// Loads libavfilter, too, which changes pictures.
    /// - Throws: `missing` if a library is not installed.
    static func loadFilters() throws(CodecError) {
        if let reason = failure ?? filterFailure {
            throw CodecError(.missing, "no filters: \(reason); next: install that library")
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
