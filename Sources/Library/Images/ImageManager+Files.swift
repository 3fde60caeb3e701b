// SPDX-License-Identifier: GPL-3.0-or-later

internal import Imaging
public import Media

extension ImageManager {
    /// Returns the picture as a JPEG file, upright and without EXIF. A `kind` of `nil` means the
    /// picture with its edits, in `size` or in full size. `size` is in pixels of the picture, or of
    /// the screen for ``AssetRepresentation/Kind/fullScreen``.
    /// - Throws: `remoteOnly` if only a remote has the original; `notFound`; `damaged`;
    ///   `unsupported` if none can be made.
    public func jpeg(
        of resource: AssetResource, as kind: AssetRepresentation.Kind? = nil,
        size: Dimensions? = nil, contentMode: ImageContentMode = .aspectFit
    ) async throws(LibraryError) -> [UInt8] {
        let options = ImageRequestOptions(
            deliveryMode: .highQualityFormat, allowsNetworkAccess: true)
        let deliveries =
            if kind == nil, let size {
                requestImage(
                    for: resource.asset, targetSize: size, contentMode: contentMode,
                    options: options)
            } else {
                requestImage(
                    for: resource.representation(
                        kind ?? .edited, screen: size ?? AssetRepresentation.usualScreen),
                    options: options)
            }
        let what = "asset \(resource.asset.id.text)"
        for await delivery in deliveries {
            switch delivery {
            case .final(let picture): return try file(of: picture, what)
            case .failed(let error): throw error
            case .remote: throw .remoteOnly(resource.asset)
            case .degraded, .progress: break
            }
        }
        throw LibraryError(.cancelled, "\(what): stopped")
    }

    private func file(
        of picture: StillPicture, _ what: String
    ) throws(LibraryError) -> [UInt8] {
        do throws(ImagingError) {
            return try picture.jpeg(quality: 92)
        } catch {
            throw LibraryError(.unsupported, "\(what): \(error)", underlying: error)
        }
    }
}
