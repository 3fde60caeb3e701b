// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Library
internal import Media

extension LibraryCommand {
    struct Adjust: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn and crop photos; the originals stay unchanged.",
            discussion: """
                  vitrine library adjust 12 --rotate 90

                Pictures and exports then show the adjusted photo. --revert shows the original \
                again; vitrine library export --originals copies it at any time.
                """)

        @Option(help: "Clockwise rotation of the photo as seen now, in degrees: 90, 180 or 270.")
        var rotate: Int?

        @Option(
            help: """
                Part of the upright photo to keep, as X,Y,WIDTH,HEIGHT in fractions of its sides: \
                0.25,0,0.5,1 is the middle half.
                """)
        var crop: String?

        @Flag(help: "Show the original again.")
        var revert = false

        @OptionGroup var assets: ChangedAssets

        func validate() throws {
            if revert == (rotate != nil || crop != nil) {
                throw ValidationError("give --rotate, --crop or both, or --revert alone")
            }
            _ = try turn()
            _ = try part()
        }

        func run() async throws {
            if revert { return try await assets.make(.setAdjustment(nil)) }
            let (turn, part) = (try turn(), try part())
            try await assets.access.change { library, request in
                for id in assets.ids {
                    let asset = try await library.resource(id: id).asset
                    var adjustment = asset.adjustment ?? AssetAdjustment()
                    adjustment.rotation = adjustment.rotation + turn
                    if let part { adjustment.crop = part }
                    request.change([asset.id], .setAdjustment(adjustment))
                }
            }
        }

        private func turn() throws -> Rotation {
            guard let turn = Rotation(rawValue: rotate ?? 0) else {
                throw ValidationError("--rotate is \(rotate ?? 0), allowed: 90, 180 or 270")
            }
            return turn
        }

        private func part() throws -> AssetAdjustment.Crop? {
            guard let crop else { return nil }
            let sides = crop.split(separator: ",", omittingEmptySubsequences: false).map {
                Double($0)
            }
            guard sides.count == 4, !sides.contains(nil) else {
                throw ValidationError(
                    "--crop is \(crop), allowed: four numbers from 0 to 1 as X,Y,WIDTH,HEIGHT")
            }
            let known = sides.compactMap(\.self)
            return AssetAdjustment.Crop(
                x: known[0], y: known[1], width: known[2], height: known[3])
        }
    }
}
