// SPDX-License-Identifier: GPL-3.0-or-later

internal import Capture
internal import Glibc
internal import LinuxIO
internal import Media

/// A video file that a camera plays as NV12 in a loop. The `ffmpeg` program decodes it.
struct VideoFile {
    private static let size = Dimensions(width: 1280, height: 720)
    private let path: String

    init(_ path: String) throws(CaptureError) {
        guard unsafe access(path, R_OK) == 0 else {
            throw CaptureError(
                .noDevice, "simulated camera",
                underlying: SystemCallError(call: "access", code: errno, path: path))
        }
        guard unsafe access(DecoderProcess.program, X_OK) == 0 else {
            throw CaptureError(
                .noDevice, "\(path) needs \(DecoderProcess.program): sudo apt install ffmpeg")
        }
        self.path = path
    }

    var camera: SimulatedCamera {
        let format = CaptureFormat(pixelFormat: .nv12, dimensions: Self.size, maximumFrameRate: 30)
        let path = path
        return SimulatedCamera("Video", path, [format]) { format throws(SystemCallError) in
            try VideoSource(path, format.dimensions)
        }
    }
}

private final class VideoSource: FrameSource {
    let largestFrame = 0
    private let path: String
    private let decoder: DecoderProcess

    init(_ path: String, _ size: Dimensions) throws(SystemCallError) {
        self.path = path
        decoder = try DecoderProcess(path, size)
    }

    func fill(
        _ pixels: PixelAccess, sequence: UInt32, timestamp: Int64
    ) throws(SystemCallError) -> Int {
        let wanted = unsafe pixels.description.bufferSizes[0]
        var got = 0
        while got < wanted {
            let count = unsafe read(decoder.output.number, pixels.plane(0) + got, wanted - got)
            if count < 0 && errno == EINTR { continue }
            // The loop has no end, so the decoder has failed.
            if count <= 0 { throw SystemCallError(call: "read", code: EIO, path: path) }
            got += count
        }
        return wanted
    }
}

/// An `ffmpeg` process that writes raw frames into a pipe and ends with the object. It is killed,
/// because a blocked write would hold up SIGTERM; no file can be left half written.
private final class DecoderProcess {
    static let program = "/usr/bin/ffmpeg"
    let output: OwnedDescriptor
    private let process: pid_t

    init(_ path: String, _ size: Dimensions) throws(SystemCallError) {
        let (width, height) = (size.width, size.height)
        let fit =
            "\(FFmpegFilter.squarePixels),scale=\(width):\(height)"
            + ":force_original_aspect_ratio=decrease,"
            + "pad=\(width):\(height):-1:-1,fps=30"
        let arguments = [
            Self.program, "-nostdin", "-loglevel", "error", "-stream_loop", "-1", "-i", path,
            "-vf", fit, "-pix_fmt", "nv12", "-f", "rawvideo", "-",
        ]
        let pipe = try Pipe()
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_adddup2(&actions, pipe.writing.number, 1)
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, Self.program, &actions, nil, pointers, environ)
        unsafe posix_spawn_file_actions_destroy(&actions)
        for index in unsafe pointers.indices { unsafe free(pointers[index]) }
        guard code == 0 else {
            throw SystemCallError(call: "posix_spawn", code: code, path: Self.program)
        }
        self.process = process
        output = try pipe.reading.duplicate()
    }

    deinit {
        kill(process, SIGKILL)
        var status: CInt = 0
        _ = unsafe waitpid(process, &status, 0)
    }
}
