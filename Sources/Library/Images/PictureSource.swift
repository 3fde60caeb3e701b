// SPDX-License-Identifier: GPL-3.0-or-later

internal import FoundationEssentials
internal import Hashing
internal import LinuxIO

/// The source of the JPEGs from which assets' pictures are made.
struct PictureSource: Sendable {
    let library: AssetLibrary
    let foreign: (any ForeignPictures)?
    let remote: (any RemoteOriginals)?

    /// Returns the original if it is a JPEG and stored here; `nil` if it must be ``fetched(_:)``.
    func original(of asset: Asset) async throws(LibraryError) -> [UInt8]? {
        guard asset.isJPEG else { return nil }
        let resource = try await library.resource(id: asset.id.text)
        do throws(LibraryError) {
            return try OriginalFile.content(of: resource.path, "asset \(asset.id.text)")
        } catch {
            guard error.code == .notFound, remote != nil || resource.asset.isRemoteOnly else {
                throw error
            }
            return nil
        }
    }

    /// Fetches an original or makes a JPEG of it, slowly; `nil` if fetching is not allowed.
    func fetched(_ request: PictureRequest) async throws(LibraryError) -> [UInt8]? {
        let what = "asset \(request.asset.id.text)"
        let resource = try await library.resource(id: request.asset.id.text)
        // The original may have gone since the request.
        let asset = resource.asset
        let isHere = (try? FileTree.entry(resource.path)) ?? nil
        if isHere == nil {
            guard let remote, await remote.holds(asset) else {
                if asset.isRemoteOnly { throw .remoteOnly(asset) }
                throw LibraryError(.notFound, "\(what): its original is missing")
            }
            guard request.options.allowsNetworkAccess, asset.mediaType == .photo else { return nil }
            let deliver = request.deliver
            let bytes = try await remote.fetch(asset) { deliver?.yield(.progress($0)) }
            guard hexadecimal(SHA256.hash([bytes])) == asset.sha256 else {
                throw LibraryError(.damaged, "\(what): the fetched file is not its original")
            }
            return asset.isJPEG ? bytes : try await picture(of: bytes, asset)
        }
        return try await picture(of: resource.path, asset)
    }

    /// Converts fetched bytes by way of a temporary file, because other programs read files.
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
            throw LibraryError(.unsupported, "\(what): no picture of it can be made")
        }
        return try await foreign.jpeg(of: path, what)
    }
}
