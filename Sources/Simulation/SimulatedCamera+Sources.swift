// SPDX-License-Identifier: GPL-3.0-or-later

public import Capture
internal import Glibc

extension SimulatedCamera {
    /// Returns the camera of a configured `source`: empty or "pattern", a folder of photos, or a
    /// video file. Throws if there is no such folder or file.
    public static func showing(_ source: String) throws(CaptureError) -> SimulatedCamera {
        if source.isEmpty || source == "pattern" { return pattern() }
        return isFolder(source) ? try PhotoFolder(source).camera : try VideoFile(source).camera
    }
}

private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
