// SPDX-License-Identifier: GPL-3.0-or-later
internal import FoundationEssentials

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

enum SettingsFile {
    /// The size limit: larger than any real configuration, and small enough to read at once.
    static let maximumBytes = 1 << 20

    /// Returns the bytes of a regular file. The error carries the system's reason.
    static func bytes(of path: String) throws(SettingsError) -> [UInt8] {
        do {
            let url = URL(filePath: path).resolvingSymlinksInPath()
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            switch attributes[.type] as? FileAttributeType {
            // A symbolic link that is still unresolved is broken; opening it gives the reason.
            case FileAttributeType.typeRegular?, FileAttributeType.typeSymbolicLink?: break
            case FileAttributeType.typeDirectory?:
                throw problem(path, "is a directory, allowed: a file")
            // Reading a pipe or device could block or never end.
            default: throw problem(path, "is not a regular file")
            }
            let size = (attributes[.size] as? Int) ?? 0
            guard size <= maximumBytes else {
                throw problem(path, "is \(size) bytes long, allowed: up to \(maximumBytes)")
            }
            return try Array(Data(contentsOf: url))
        } catch let error as SettingsError {
            throw error
        } catch {
            throw problem(path, "cannot be read: \(reason(error))")
        }
    }

    /// Returns `path` itself if it is absolute, otherwise the path inside the folder of `file`.
    static func resolve(_ path: String, besides file: String) -> String {
        guard !path.hasPrefix("/") else { return path }
        let folder = URL(filePath: file).absoluteURL.deletingLastPathComponent()
        return folder.appending(path: path).standardized.path
    }

    private static func problem(_ file: String, _ message: String) -> SettingsError {
        SettingsError(problems: [SettingsProblem(.unreadable, file: file, message: message)])
    }

    private static func reason(_ error: any Error) -> String {
        let underlying = (error as? CocoaError)?.underlying
        guard let code = (underlying as? POSIXError ?? error as? POSIXError)?.code else {
            return "\(error)"
        }
        // Unsafe: strerror returns a constant text for every number that the system uses.
        return unsafe String(cString: strerror(code.rawValue))
    }
}
