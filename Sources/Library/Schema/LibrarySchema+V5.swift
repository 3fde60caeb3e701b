// SPDX-License-Identifier: GPL-3.0-or-later

extension LibrarySchema {
    static let v5 = """
        -- What retention takes by number and space, the first first, and how many they are. Of what was
        -- recovered nobody knows any more whether it was a favourite.
        CREATE INDEX asset_expendable ON asset (sequence)
            WHERE deleted_at IS NULL AND favorite = 0 AND recovered = 0;
        \(CountedView.expendable.keeping)
        """
}
