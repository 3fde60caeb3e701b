// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO

extension AssetLibrary {
    /// What this process may do with the library in `path`, by the rights of its files; nothing is opened
    /// (`PHPhotoLibrary.authorizationStatus(for:)`). `notDetermined` where there is no library yet: the first photo
    /// makes one; `restricted` where the file system is mounted read-only, or its disk is not there.
    ///
    /// Whoever asks a running appliance for the library has the rights that its configuration gives: `vitrine library
    /// access`.
    public static func authorizationStatus(
        for level: LibraryAccessLevel, at path: String
    ) -> AuthorizationStatus {
        if FileTree.missingMount(for: path) != nil { return .restricted }
        let layout = LibraryLayout(root: path)
        do {
            guard try exists(at: path) else {
                let folder = try FileTree.entry(path) == nil ? PathName(path).parent : path
                try FileTree.requireWritable(folder)
                return .notDetermined
            }
        } catch {
            return (error as? SystemCallError)?.code == EROFS ? .restricted : .denied
        }
        do throws(SystemCallError) {
            // Also whoever only looks at it holds its lock, and SQLite's files beside the database.
            var files = [layout.root, layout.lock, layout.database]
            if level != .read { files += [layout.originals, layout.incoming] }
            for file in files where try FileTree.entry(file) != nil {
                try FileTree.requireWritable(file)
            }
            return .authorized
        } catch {
            guard error.code == EROFS else { return .denied }
            return level == .read && FileTree.isReadable(layout.database)
                ? .authorized : .restricted
        }
    }

    /// What may be done with the library as it is now: `restricted` where it takes no changes, or is closed.
    public func authorizationStatus(for level: LibraryAccessLevel) -> AuthorizationStatus {
        switch state {
        case .ready: .authorized
        case .readOnly: level == .read ? .authorized : .restricted
        case .closed: .restricted
        }
    }
}
