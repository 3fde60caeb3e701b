// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Library

extension LibraryKeeper {
    /// Notes a movie that is to be recorded, and answers where.
    ///
    /// - Throws: as ``add(_:)``.
    func beginRecording(_ new: NewRecording) async throws(LibraryError) -> String {
        let library = try opened()
        do throws(LibraryError) {
            return try await ask { () async throws(LibraryError) in
                try await library.beginRecording(new)
            }
        } catch {
            if error.code == .full { await refuseClips(error) } else { await refuse(error) }
            throw error
        }
    }

    /// Makes an asset of a movie that has been recorded.
    ///
    /// - Throws: as ``add(_:)``.
    func finishRecording(_ movie: RecordedMovie) async throws(LibraryError) -> Asset {
        let library = try opened()
        do throws(LibraryError) {
            // Its hash is worked out on another thread than the library's, as long as that takes.
            let asset = try await library.finishRecording(movie)
            await check()
            return asset
        } catch {
            // What is no movie says nothing of the library.
            if error.code != .unsupported { await refuse(error) }
            throw error
        }
    }

    /// Forgets a movie of which nothing was recorded.
    func abandonRecording(_ id: UUID) async throws(LibraryError) {
        try await opened().abandonRecording(id)
    }
}
