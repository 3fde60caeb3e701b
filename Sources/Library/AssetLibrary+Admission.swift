// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

extension AssetLibrary {
    /// Extra free space required after the library was full, so that it does not alternate.
    static let margin: Int64 = 16 << 20

    /// Checks that the next photo can be stored, as far as this can be known beforehand.
    ///
    /// Throws `full` once a photo as large as the largest recent one would use the reserve. After
    /// an error, here or in ``add(_:)``, the next call also writes a test file, and requires 16 MiB
    /// more if the error was `full`. A successful call resumes an adoption that a full disk
    /// stopped, and retries recordings that could not become assets.
    /// - Parameter probing: Whether to write the test file in any case: the disk may be unplugged.
    /// - Returns: The reason why a movie could not begin although a photo can be stored, if any.
    /// - Throws: The errors of ``add(_:)``: `full`, `readOnly`, `io`, `permission`, `closed`;
    ///   `notFound` if a folder is missing.
    @discardableResult
    public func admission(probing: Bool = false) throws(LibraryError) -> LibraryError? {
        do throws(LibraryError) {
            try requireWritable()
            try requireMedium()
            let free = try requireSpace(largestPhoto + (refusal == .full ? Self.margin : 0))
            if refusal != nil || probing { try probe() }
            refusal = nil
            adopt()
            retryRecordingsLeft()
            let obstacle = obstacle(
                to: recordingRoom + (isLowForMovies ? Self.margin / 4 : 0), of: free)
            isLowForMovies = obstacle != nil
            return obstacle
        } catch {
            refusal = error.code
            throw error
        }
    }

    /// Throws if the disk was removed, mounted read-only or replaced: open files do not tell.
    private func requireMedium() throws(LibraryError) {
        guard isInPlace else {
            degrade("its disk is missing, or was replaced by another one")
            return try requireWritable()
        }
        do {
            try FileTree.requireWritable(layout.originals)
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }

    /// Writes and removes a test file, which reveals what ``freeBytes`` does not: quotas, missing
    /// rights, a failing medium.
    private func probe() throws(LibraryError) {
        let staging = "\(layout.incoming)/probe\(LibraryLayout.stagingSuffix)"
        do {
            try FileTree.remove(staging)
            var file = try DurableFile(
                in: layout.originals, staging: staging, reserving: Int(largestPhoto))
            try file.write([0])
            try file.synchronize()
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }

    /// Throws `full` unless so many bytes are free above the reserve. Returns the free space in
    /// bytes, including the reserve.
    @discardableResult
    func requireSpace(_ bytes: Int64) throws(LibraryError) -> Int64 {
        let free: Int64
        do {
            free = try freeBytes(layout.originals)
        } catch {
            throw LibraryError("library \(path)", error)
        }
        if let obstacle = obstacle(to: bytes, of: free) { throw obstacle }
        return free
    }

    private func obstacle(to bytes: Int64, of free: Int64) -> LibraryError? {
        guard free - bytes < reserve else { return nil }
        return LibraryError(
            .full,
            "library \(path) is full: \(free >> 20) MB free, \(reserve >> 20) MB are reserved: "
                + "export and delete assets, or lower library.reserve_mb")
    }
}
