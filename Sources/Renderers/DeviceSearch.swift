// SPDX-License-Identifier: GPL-3.0-or-later

internal import CGUPnP
internal import FoundationEssentials
internal import Glibc

/// A search for renderers with GUPnP, for the thread that has begun it.
@safe
final class DeviceSearch {
    private let search: OpaquePointer
    /// The folder of links to the files that are served. Their names are in no other folder.
    private var links: URL?

    /// - Throws: `missing` if a library is not installed.
    init() throws(RendererError) {
        if let reason = unsafe cgupnp_load() {
            throw RendererError(
                .missing,
                "renderers of the network cannot be found: \(unsafe String(cString: reason))",
                next: "Install it: sudo apt install libgupnp-1.6-0")
        }
        unsafe search = cgupnp_open("urn:schemas-upnp-org:device:MediaRenderer:1")
    }

    deinit {
        unsafe cgupnp_close(search)
        // Nothing but links is lost.
        if let links { try? FileManager.default.removeItem(at: links) }
    }

    /// Serves files and receives what devices tell. Returns early when a device is found.
    func wait(milliseconds: UInt32) { unsafe cgupnp_wait(search, milliseconds) }

    /// The renderers so far.
    var found: [MediaRenderer] {
        let count = unsafe cgupnp_count(search)
        return (0..<count).map { number in
            let device = unsafe cgupnp_device(search, number)
            let id = unsafe device.id.map { unsafe String(cString: $0) } ?? ""
            let location = unsafe device.location.map { unsafe String(cString: $0) } ?? ""
            return MediaRenderer(
                id: id, name: unsafe taking(device.name) ?? id,
                model: unsafe taking(device.model) ?? "", location: location,
                number: Int(number))
        }
    }

    /// Lets a renderer read a file as long as this object exists; returns its URL, which nobody can
    /// guess.
    /// - Parameter ending: The ending of the file's name with its dot, which tells the media type.
    func serve(_ path: String, ending: String, to renderer: MediaRenderer) throws -> String {
        let folder = try links ?? FileManager.default.privateTemporaryFolder()
        links = folder
        let name = UUID().uuidString.lowercased() + ending
        let link = folder.appending(path: name).path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        return unsafe taking(cgupnp_serve(search, renderer.number, link, "/" + name)) ?? ""
    }

    /// Returns the media type of a file's name.
    static func mediaType(_ name: String) -> String {
        unsafe taking(cgupnp_media_type(name)) ?? "application/octet-stream"
    }

    /// Calls an action of AVTransport.
    /// - Parameter arguments: At most two, besides the instance.
    /// - Parameter results: The names of at most two.
    /// - Returns: The results; empty texts for those that are missing.
    /// - Throws: `refused`.
    func call(
        _ name: String, _ arguments: [(name: String, value: String)] = [],
        returning results: [String] = [], of renderer: MediaRenderer
    ) throws(RendererError) -> [String] {
        var texts: [String?] = ["urn:schemas-upnp-org:service:AVTransport:1", name]
        for number in 0..<2 {
            let argument = number < arguments.count ? arguments[number] : nil
            texts += [argument?.name, argument?.value]
        }
        for number in 0..<2 { texts.append(number < results.count ? results[number] : nil) }
        let copies = unsafe texts.map { text in
            unsafe text.flatMap { unsafe strdup($0) }
        }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let words = unsafe copies.map { copy in unsafe copy.map { unsafe UnsafePointer($0) } }
        var action = unsafe cgupnp_action()
        unsafe action.service = words[0]
        unsafe action.name = words[1]
        unsafe action.first.name = words[2]
        unsafe action.first.value = words[3]
        unsafe action.second.name = words[4]
        unsafe action.second.value = words[5]
        unsafe action.results.0 = words[6]
        unsafe action.results.1 = words[7]
        var found: [UnsafeMutablePointer<CChar>?] = unsafe [nil, nil]
        let failure = unsafe taking(cgupnp_call(search, renderer.number, &action, &found))
        let values = unsafe [taking(found[0]) ?? "", taking(found[1]) ?? ""]
        if let failure {
            throw RendererError(
                .refused, "\(renderer.name) refuses \(name): \(failure)",
                next: "Check that it is on, and that it can play these media.")
        }
        return values
    }
}

extension FileManager {
    /// Creates a folder that only this user can read.
    fileprivate func privateTemporaryFolder() throws -> URL {
        let folder = temporaryDirectory.appending(path: "vitrine-\(UUID().uuidString)")
        try createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        return folder
    }
}

/// Returns a text of the library, and frees it.
private func taking(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    guard let text = unsafe text else { return nil }
    defer { unsafe cgupnp_free(text) }
    return unsafe String(cString: text)
}
