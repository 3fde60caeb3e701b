// SPDX-License-Identifier: GPL-3.0-or-later

/// What a file may be written as: the raw values are endings.
protocol FileEnding: RawRepresentable<String> {}

extension FileEnding {
    /// - Parameter file: whose ending tells, in whatever case.
    init?(file: String) {
        guard let dot = file.lastIndex(of: ".") else { return nil }
        self.init(rawValue: file[file.index(after: dot)...].lowercased())
    }
}
