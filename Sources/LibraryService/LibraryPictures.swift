// SPDX-License-Identifier: GPL-3.0-or-later

package import Library
package import LinuxIO
package import Settings

/// The pictures of the library that is open now, for everybody who shows some.
package actor LibraryPictures {
    private let executor: ThreadExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }
    private let library: LibrarySupervisor
    private let settings: LibrarySettings
    private let foreign: (any ForeignPictures)?
    private let desk: SyncDesk
    /// The manager of the library that was open at the last request.
    private var current: ImageManager?

    /// `foreign` decodes originals that are no JPEG; the desk brings back those that are elsewhere.
    package init(
        _ library: LibrarySupervisor, _ settings: LibrarySettings,
        foreign: (any ForeignPictures)?, _ desk: SyncDesk, executor: ThreadExecutor
    ) {
        self.library = library
        self.settings = settings
        self.foreign = foreign
        self.desk = desk
        self.executor = executor
    }

    /// Returns the open library's pictures; throws why there is none.
    package func manager() async throws(LibraryError) -> ImageManager {
        let library = try await library.opened()
        if let current, current.library === library { return current }
        let new = ImageManager(
            library, settings, foreign: foreign, remote: SyncedOriginals(library, desk))
        current = new
        return new
    }
}
