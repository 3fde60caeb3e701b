// SPDX-License-Identifier: GPL-3.0-or-later

public import Library
internal import LinuxIO
public import Recording

extension PhotoOutput {
    /// Takes the frame nearest to now.
    public func capture() async throws(PhotoError) -> CapturedFrame {
        try await hold(Clock.monotonic).frame()
    }
}

extension MovieFileOutput {
    /// Begins a movie now.
    /// - Parameter path: of the file, in a folder that exists.
    public func startRecording(_ recording: NewRecording, to path: String) throws(MovieError) {
        try startRecording(
            MovieOrder(id: recording.id, path: path, moment: Clock.monotonic))
    }
}
