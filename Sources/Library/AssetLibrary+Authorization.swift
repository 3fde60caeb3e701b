// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO

extension AssetLibrary {
    /// Returns what this process may do with the library at `path`, by the rights of its files.
    /// Opens nothing (`PHPhotoLibrary.authorizationStatus(for:)`).
    ///
    /// `notDetermined` means that there is no library yet: the first photo makes one. `restricted`
    /// means that its disk is not mounted, or is mounted read-only, which still allows reading.
    /// Clients of a running appliance have the rights that its configuration gives them: see
    /// `vitrine library access`.
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
            // Reading needs write access, too: it takes the lock and uses SQLite's side files.
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

    /// Returns what the library allows now: `restricted` if it accepts no changes or is closed.
    public func authorizationStatus(for level: LibraryAccessLevel) -> AuthorizationStatus {
        switch state {
        case .ready: .authorized
        case .readOnly: level == .read ? .authorized : .restricted
        case .closed: .restricted
        }
    }
}
