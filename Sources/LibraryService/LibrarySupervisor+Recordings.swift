// SPDX-License-Identifier: GPL-3.0-or-later

package import FoundationEssentials
package import Library

extension LibrarySupervisor {
    /// Notes a movie that will be recorded, and returns its file's path. Throws as ``add(_:)``
    /// does.
    package func beginRecording(_ new: NewRecording) async throws(LibraryError) -> String {
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

    /// Makes an asset of a recorded movie; throws as ``add(_:)`` does.
    package func finishRecording(_ movie: RecordedMovie) async throws(LibraryError) -> Asset {
        let library = try opened()
        do throws(LibraryError) {
            // The hash is computed on another thread than the library's.
            let asset = try await library.finishRecording(movie)
            await check()
            await stored()
            return asset
        } catch {
            // A damaged movie is not the library's fault.
            if error.code != .unsupported { await refuse(error) }
            throw error
        }
    }

    /// Forgets a movie of which nothing was recorded.
    package func abandonRecording(_ id: UUID) async throws(LibraryError) {
        try await opened().abandonRecording(id)
    }
}
