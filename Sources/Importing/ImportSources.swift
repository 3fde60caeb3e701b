// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import LinuxIO

/// The files behind the paths that a person names.
struct ImportSources {
    /// A file to be looked at.
    struct Source {
        let path: String
        /// By itself, not as one of a folder's.
        let isNamed: Bool
    }

    /// In the order of the paths, each folder's by their names.
    private(set) var files: [Source] = []
    /// What cannot be read.
    private(set) var failures: [ImportReport.Failure] = []
    private let library: String
    private var seen: Set<String> = []

    /// - Parameter library: The folder of the library, out of which nothing is imported into it.
    init(_ paths: [String], library: String) {
        self.library = Self.resolved(library) ?? library
        for path in paths {
            guard let target = Self.resolved(path) else {
                failures.append(
                    .init(path: path, error: SystemCallError(call: "open", code: errno, path: path))
                )
                continue
            }
            add(target, isNamed: true)
        }
    }

    private static func resolved(_ path: String) -> String? {
        guard let target = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(target) }
        return unsafe String(validatingCString: target)
    }

    private mutating func add(_ path: String, isNamed: Bool) {
        guard seen.insert(path).inserted else { return }
        do {
            if path == library || path.hasPrefix(library + "/") {
                throw ImportError(.unsupported, "it lies in the library itself")
            }
            switch try FileTree.entry(path)?.kind {
            case .file: files.append(Source(path: path, isNamed: isNamed))
            case .directory: try addAll(in: path)
            case .other where !isNamed, nil: break
            case .other: throw ImportError(.notMedia, "neither a file nor a folder")
            }
        } catch {
            failures.append(.init(path: path, error: error))
        }
    }

    private mutating func addAll(in folder: String) throws(SystemCallError) {
        let prefix = folder == "/" ? "/" : folder + "/"
        for name in try FileTree.namesNotUTF8(in: folder) where !name.hasPrefix(".") {
            let error = ImportError(
                .unsupported, "its name is not UTF-8: rename it, such as with convmv")
            failures.append(.init(path: prefix + name, error: error))
        }
        for name in try FileTree.names(in: folder).sorted() where !name.hasPrefix(".") {
            add(prefix + name, isNamed: false)
        }
    }
}
