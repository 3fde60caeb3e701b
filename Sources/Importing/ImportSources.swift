// SPDX-License-Identifier: GPL-3.0-or-later

internal import Glibc
internal import Library
internal import LinuxIO

/// The files to import, found from the paths that a person names.
struct ImportSources {
    struct Source {
        let path: String
        /// Whether the person named the file itself and not its folder.
        let isNamed: Bool
        /// The path of the RAW of the same name beside a photo.
        fileprivate(set) var raw: String?
        /// The path of the XMP side-car of the same name.
        fileprivate(set) var sidecar: String?
        /// The reason why a RAW has no photo although photos of its name exist.
        fileprivate(set) var refusal: ImportError?
    }

    /// The files in the order of the paths, those of a folder by name. Paired RAWs and side-cars
    /// are in the entries of their photos.
    private(set) var files: [Source] = []
    private(set) var failures: [ImportReport.Failure] = []
    private let library: String
    private var seen: Set<PathName> = []

    /// Finds the files; ignores those in `library`, the library's folder.
    init(_ paths: [String], library: String) {
        self.library = Self.resolved(library) ?? library
        for path in paths {
            guard let target = Self.resolved(path) else {
                failures.append(.init(path: path, error: Self.refusal(of: path, errno)))
                continue
            }
            add(target, isNamed: true)
        }
        pairRaws()
        pairSidecars()
    }

    /// The extensions of photos that cameras write beside a RAW, the likeliest first.
    private static let pictures = ["jpg", "jpeg", "jpe", "heic", "heif", "hif", "png"]

    /// Returns the error of an unusable path. U+FFFD in it stands for bytes that are not UTF-8.
    private static func refusal(of path: String, _ code: CInt) -> any Error {
        path.unicodeScalars.contains("\u{FFFD}")
            ? nameIsNotUTF8 : SystemCallError(call: "open", code: code, path: path)
    }

    private static let nameIsNotUTF8 = ImportError(
        .unsupported, "its name is not UTF-8: rename it, such as with convmv")

    /// Returns the key of a photo and its RAW: folder and lower-case name without extension.
    private static func pairName(_ path: String) -> PathName {
        let name = PathName(path)
        var parts = PathName(name.withoutExtension).last.lowercased().split(
            separator: ".", omittingEmptySubsequences: false)[...]
        // Google's phones write PXL_1.RAW-01.COVER.jpg and PXL_1.RAW-02.ORIGINAL.dng, with .MP
        // before the last word if there is a movie.
        if let last = parts.last, ["cover", "original"].contains(last) {
            let rest = parts.dropLast(parts.dropLast().last == "mp" ? 2 : 1)
            if rest.last?.hasPrefix("raw-") == true { parts = rest.dropLast() }
        }
        return PathName("\(name.parent)/\(parts.joined(separator: "."))")
    }

    /// Pairs `IMG_1.DNG` with `IMG_1.JPG` of the same folder, ignoring case.
    private mutating func pairRaws() {
        let raws = files.indices.filter { RawFormat(name: files[$0].path) != nil }
        if raws.isEmpty { return }
        let places = Dictionary(grouping: files.indices) { Self.pairName(files[$0].path) }
        var paired: Set<Int> = []
        for index in raws {
            let raw = PathName(files[index].path)
            let beside = places[Self.pairName(raw.text)] ?? []
            let endings = beside.map { PathName(files[$0].path).fileExtension.lowercased() }
            guard let best = Self.pictures.first(where: endings.contains) else { continue }
            let candidates = zip(beside, endings).filter { $0.1 == best }.map(\.0)
            // If names differ only in case, take the one with the RAW's exact name, or none.
            let same = candidates.filter {
                let picture = PathName(files[$0].path)
                return PathName(picture.withoutExtension) == PathName(raw.withoutExtension)
            }
            let fitting = candidates.count == 1 ? candidates : same
            guard fitting.count == 1, let picture = fitting.first else {
                let names = candidates.map { "\(PathName(files[$0].path).last)" }
                files[index].refusal = .ambiguousPicture(names.joined(separator: ", "))
                continue
            }
            if let first = files[picture].raw {
                files[index].refusal = .secondRaw(
                    of: PathName(files[picture].path).last, beside: PathName(first).last)
                continue
            }
            files[picture].raw = raw.text
            paired.insert(index)
        }
        files = files.indices.filter { !paired.contains($0) }.map { files[$0] }
    }

    /// Pairs `IMG_1.JPG.xmp` with `IMG_1.JPG`, and `IMG_1.xmp` with every `IMG_1` left without one.
    private mutating func pairSidecars() {
        let sidecars = files.indices.filter { Self.isSidecar(files[$0].path) }
        if sidecars.isEmpty { return }
        let others = files.indices.filter { !Self.isSidecar(files[$0].path) }
        var owners: [PathName: [Int]] = [:]
        for index in others {
            for path in [files[index].path, files[index].raw].compactMap(\.self) {
                owners[Self.lowercased(path), default: []].append(index)
            }
        }
        let stems = Dictionary(grouping: others) { Self.pairName(files[$0].path) }
        var paired: Set<Int> = []
        func pair(_ sidecar: Int, with owners: [Int]?) {
            for owner in owners ?? [] where files[owner].sidecar == nil {
                files[owner].sidecar = files[sidecar].path
                paired.insert(sidecar)
            }
        }
        for index in sidecars {
            let whole = String(PathName(files[index].path).withoutExtension)
            pair(index, with: owners[Self.lowercased(whole)])
        }
        for index in sidecars where !paired.contains(index) {
            pair(index, with: stems[Self.pairName(files[index].path)])
        }
        files = files.indices.filter { !paired.contains($0) }.map { files[$0] }
    }

    static func isSidecar(_ path: String) -> Bool {
        PathName(path).fileExtension.lowercased() == "xmp"
    }

    private static func lowercased(_ path: String) -> PathName {
        let name = PathName(path)
        return PathName("\(name.parent)/\(name.last.lowercased())")
    }

    private static func resolved(_ path: String) -> String? {
        guard let target = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(target) }
        return unsafe String(validatingCString: target)
    }

    private mutating func add(_ path: String, isNamed: Bool) {
        guard seen.insert(PathName(path)).inserted else { return }
        do {
            if PathName(path).isInside(library) {
                throw ImportError(.unsupported, "it is inside the library itself")
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
        for name in try FileTree.namesNotUTF8(in: folder) where !PathName(name).isHidden {
            failures.append(.init(path: prefix + name, error: Self.nameIsNotUTF8))
        }
        let names = try FileTree.names(in: folder).map { PathName($0) }
        for name in names.sorted() where !name.isHidden {
            add(prefix + name.text, isNamed: false)
        }
    }
}
