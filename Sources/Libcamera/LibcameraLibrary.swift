// SPDX-License-Identifier: GPL-3.0-or-later

internal import CLibcamera
internal import Foundation
internal import LinuxIO
internal import Synchronization

/// libcamera in this process. It is loaded when the first camera is looked for: 30 libraries that a
/// kiosk without such a camera does not need.
package enum LibcameraLibrary {
    /// A camera that libcamera has found.
    package struct Camera: Sendable, Hashable {
        /// The name that stays as long as the camera is in the same place.
        package let id: String
        /// The sensor's or the camera's name, for example `imx708`.
        package let model: String
        /// The direction that the camera faces: front, back or external, as V4L2 numbers them; -1
        /// if it is not known.
        package let location: Int
        /// The clockwise degrees by which pictures have to be turned, if they are known.
        package let rotation: Int?
        /// The entry of one of its device files in /sys; `nil` without any.
        package let systemPath: String?
    }

    /// The folders that may hold Vitrine's part of libcamera: the program's, and the package's.
    package static var folders: [String] {
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
        return [program.deletingLastPathComponent().path, "/usr/lib/vitrine"]
    }

    private static let loading = Mutex(())

    /// Returns the cameras that are plugged in now. Loads libcamera first, which takes a while and
    /// asks all drivers.
    /// - Throws: if libcamera is not installed, or this program was built without it.
    package static func cameras(
        below folders: [String] = folders
    ) throws(LibcameraError) -> [Camera] {
        let functions = try unsafe functions(below: folders)
        var listed = [clibcamera_listed](repeating: clibcamera_listed(), count: 16)
        let count = unsafe functions.pointee.list(&listed, listed.count)
        return listed.prefix(count).map { camera in
            unsafe Camera(
                id: text(camera.id), model: text(camera.model),
                location: Int(camera.location),
                rotation: camera.rotation < 0 ? nil : Int(camera.rotation),
                systemPath: camera.device_major == 0
                    ? nil : "/sys/dev/char/\(camera.device_major):\(camera.device_minor)")
        }
    }

    /// Returns the functions of the first of Vitrine's parts whose libcamera is installed. A part
    /// has the name of Debian's package of its libcamera. A library that was installed since is
    /// found.
    @unsafe
    static func functions(
        below folders: [String] = folders
    ) throws(LibcameraError) -> UnsafePointer<clibcamera_functions> {
        let result = loading.withLock { _ -> Result<Loaded, LibcameraError> in
            var refusal = "this program was built without libcamera"
            for folder in folders {
                for name in ((try? FileTree.names(in: folder)) ?? []).sorted()
                where name.hasPrefix("libcamera") && name.hasSuffix(".so") {
                    var reason: UnsafePointer<CChar>?
                    let package = String(name.dropLast(3))
                    if let loaded = unsafe clibcamera_load("\(folder)/\(name)", package, &reason) {
                        return .success(unsafe Loaded(functions: loaded))
                    }
                    if let reason = unsafe reason { refusal = unsafe String(cString: reason) }
                }
            }
            return .failure(LibcameraError(refusal))
        }
        return unsafe try result.get().functions
    }

    @safe
    private struct Loaded: @unchecked Sendable {
        nonisolated(unsafe) let functions: UnsafePointer<clibcamera_functions>
    }
}

/// Returns the text in an array of C.
@unsafe
func text<Characters>(_ characters: Characters) -> String {
    unsafe withUnsafeBytes(of: characters) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
