// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// A file format whose raw value is the extension of its file names.
protocol FileEnding: RawRepresentable<String> {}

extension FileEnding {
    /// Creates the format that `file` names by its extension, in upper or lower case.
    init?(file: String) {
        self.init(rawValue: PathName(file).fileExtension.lowercased())
    }
}
