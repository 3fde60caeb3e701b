// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

/// What a file may be written as: the raw values are endings.
protocol FileEnding: RawRepresentable<String> {}

extension FileEnding {
    /// - Parameter file: whose ending tells, in whatever case.
    init?(file: String) {
        self.init(rawValue: PathName(file).fileExtension.lowercased())
    }
}
