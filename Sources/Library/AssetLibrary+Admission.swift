// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO

extension AssetLibrary {
    /// What a library that was full wants to be free on top, so that it does not go back and forth.
    static let margin: Int64 = 16 << 20

    /// Returns when the next photo can be stored, as far as that can be told before it is there.
    ///
    /// Refuses as soon as one more photo, as large as the largest of late, would touch the reserve.
    /// After a refusal, by this or by ``add(_:)``, it wants a file that the medium takes, and 16 MiB more
    /// than that where it was for want of space. Then it also goes on with adopting, if a full disk had
    /// ended that, and takes in recordings that could not be.
    /// - Parameter probing: whether the medium has to take a file now, too: it may have been unplugged.
    /// - Returns: why a movie could not begin all the same, as far as that can be told before it does.
    /// - Throws: what ``add(_:)`` would: `full`, `readOnly`, `io`, `permission`, `notFound`, `closed`.
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

    /// A disk can go, be mounted read-only, or be replaced by another, and whoever has files open on it hears
    /// nothing of it.
    private func requireMedium() throws(LibraryError) {
        guard isInPlace else {
            degrade("its disk is gone, or another one is in its place")
            return try requireWritable()
        }
        do {
            try FileTree.requireWritable(layout.originals)
        } catch {
            throw LibraryError("library \(path)", error)
        }
    }

    /// What ``freeBytes`` does not tell: quotas, rights, a medium that fails. Leaves nothing behind.
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

    /// - Returns: bytes of free space, the reserve included.
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

    /// Why there is no room for so many bytes above the reserve.
    private func obstacle(to bytes: Int64, of free: Int64) -> LibraryError? {
        guard free - bytes < reserve else { return nil }
        return LibraryError(
            .full,
            "library \(path): \(free >> 20) MB free, \(reserve >> 20) MB are kept free: "
                + "export and delete assets, or lower library.reserve_mb")
    }
}
