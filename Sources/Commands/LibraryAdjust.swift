// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Library
internal import Media

extension LibraryCommand {
    struct Adjust: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn and cut photos; their originals stay as they are.",
            discussion: """
                What is seen and exported is the adjusted picture. --revert shows the original again; \
                library export --originals copies it meanwhile.
                """)

        @Option(help: "Degrees clockwise, of what is seen now: 90, 180 or 270.")
        var rotate: Int?

        @Option(
            help: """
                What is left of the upright photo, as X,Y,WIDTH,HEIGHT of its sides: 0.25,0,0.5,1 is its \
                middle half.
                """)
        var crop: String?

        @Flag(help: "Show the original again.")
        var revert = false

        @OptionGroup var assets: ChangedAssets

        func validate() throws {
            if revert == (rotate != nil || crop != nil) {
                throw ValidationError("--rotate, --crop or both, or --revert")
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
                throw ValidationError("--rotate \(rotate ?? 0): 90, 180 or 270")
            }
            return turn
        }

        private func part() throws -> AssetAdjustment.Crop? {
            guard let crop else { return nil }
            let sides = crop.split(separator: ",", omittingEmptySubsequences: false).map {
                Double($0)
            }
            guard sides.count == 4, !sides.contains(nil) else {
                throw ValidationError("--crop \(crop): four numbers from 0 to 1: X,Y,WIDTH,HEIGHT")
            }
            let known = sides.compactMap(\.self)
            return AssetAdjustment.Crop(
                x: known[0], y: known[1], width: known[2], height: known[3])
        }
    }
}
