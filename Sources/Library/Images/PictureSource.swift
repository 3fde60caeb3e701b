// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import LinuxIO

/// Where the JPEG comes from that an asset's pictures are made of.
struct PictureSource: Sendable {
    let library: AssetLibrary
    let foreign: (any ForeignPictures)?
    let remote: (any RemoteOriginals)?

    /// The original, where it is a JPEG and here; `nil` where it has to be ``fetched(_:)``.
    func original(of asset: Asset) async throws(LibraryError) -> [UInt8]? {
        guard asset.isJPEG else { return nil }
        let resource = try await library.resource(id: asset.id.text)
        do throws(LibraryError) {
            return try OriginalFile.content(of: resource.path, "asset \(asset.id.text)")
        } catch {
            guard error.code == .notFound, remote != nil else { throw error }
            return nil
        }
    }

    /// Takes its time. `nil` when it is elsewhere and does not come from there.
    func fetched(_ request: PictureRequest) async throws(LibraryError) -> [UInt8]? {
        let asset = request.asset
        let what = "asset \(asset.id.text)"
        let resource = try await library.resource(id: asset.id.text)
        let isHere = (try? FileTree.entry(resource.path)) ?? nil
        if isHere == nil {
            guard let remote, await remote.holds(asset) else {
                throw LibraryError(.notFound, "\(what): its original is gone")
            }
            guard request.options.allowsNetworkAccess, asset.mediaType == .photo else { return nil }
            let deliver = request.deliver
            let bytes = try await remote.fetch(asset) { deliver?.yield(.progress($0)) }
            guard hexadecimal(SHA256.hash([bytes])) == asset.sha256 else {
                throw LibraryError(.damaged, "\(what): what was fetched is not its original")
            }
            return asset.isJPEG ? bytes : try await picture(of: bytes, asset)
        }
        return try await picture(of: resource.path, asset)
    }

    /// Programs read files: what was fetched is one for as long as that takes.
    private func picture(of bytes: [UInt8], _ asset: Asset) async throws(LibraryError) -> [UInt8] {
        let path = FileManager.default.temporaryDirectory
            .appendingPathComponent("vitrine-picture-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: 0o600])
        else { throw LibraryError(.io, "asset \(asset.id.text): \(path) cannot be written") }
        return try await picture(of: path, asset)
    }

    private func picture(of path: String, _ asset: Asset) async throws(LibraryError) -> [UInt8] {
        let what = "asset \(asset.id.text)"
        guard let foreign, asset.mediaType != .audio else {
            throw LibraryError(.unsupported, "\(what): no picture of it can be made here")
        }
        return try await foreign.jpeg(of: path, what)
    }
}
