// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Library
internal import LinuxIO

/// The files behind the paths that a person names.
struct ImportSources {
    /// A file to be looked at.
    struct Source {
        let path: String
        /// By itself, not as one of a folder's.
        let isNamed: Bool
        /// The RAW of the same name that lies beside a photo.
        fileprivate(set) var raw: String?
    }

    /// In the order of the paths, each folder's by their names; RAWs go with their photos.
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
        pairRaws()
    }

    /// What cameras write beside a RAW, the likeliest first.
    private static let pictures = ["jpg", "jpeg", "jpe", "heic", "heif", "hif", "png"]

    /// A file's name, whose case does not count, in a folder whose does.
    private struct Name: Hashable {
        let folder: Substring
        let stem: String
        let fileExtension: String

        init(_ path: String) {
            let slash = path.lastIndex(of: "/") ?? path.startIndex
            folder = path[..<slash]
            let name = path[slash...].lowercased()
            let dot = name.lastIndex(of: ".") ?? name.endIndex
            stem = String(name[..<dot])
            fileExtension = String(name[dot...].dropFirst())
        }

        private init(_ folder: Substring, _ stem: String, _ fileExtension: String) {
            self.folder = folder
            self.stem = stem
            self.fileExtension = fileExtension
        }

        func with(_ fileExtension: String) -> Name { Name(folder, stem, fileExtension) }
    }

    private func stem(_ path: String) -> Substring {
        path[..<(path.lastIndex(of: ".") ?? path.endIndex)]
    }

    /// `IMG_1.DNG` goes with `IMG_1.JPG` of the same folder, in upper or lower case; one without stays by itself.
    private mutating func pairRaws() {
        let raws = files.indices.filter { RawFormat(name: files[$0].path) != nil }
        if raws.isEmpty { return }
        let places = Dictionary(grouping: files.indices) { Name(files[$0].path) }
        var paired: Set<Int> = []
        for index in raws {
            let name = Name(files[index].path)
            let candidates = Self.pictures.lazy.compactMap { places[name.with($0)] }.first ?? []
            // Of those that only the case tells apart the one that is written so, or none.
            let same = candidates.filter { stem(files[$0].path) == stem(files[index].path) }
            let fitting = candidates.count == 1 ? candidates : same
            guard fitting.count == 1, let picture = fitting.first, files[picture].raw == nil else {
                continue
            }
            files[picture].raw = files[index].path
            paired.insert(index)
        }
        files = files.indices.filter { !paired.contains($0) }.map { files[$0] }
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
