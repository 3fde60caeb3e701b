// SPDX-License-Identifier: GPL-3.0-or-later

extension SettingsDecoder {
    mutating func refuseUnknownTables() {
        let tables = SettingsSchema.tables.filter { !$0.name.contains(".") }
        for node in document.nodes[0].children {
            guard case .key(let name) = document.nodes[node].name,
                !tables.contains(where: { $0.name == name })
            else { continue }
            var isTable = false
            switch document.nodes[node].value {
            case .table, .array: isTable = true
            default: break
            }
            refuse(.unknownKey, at: node, Self.unknownTable(name, isTable: isTable, tables))
        }
    }

    mutating func refuseUnknownKeys(in node: Int?, _ table: SettingsTable) {
        guard let node else { return }
        let own = SettingsSchema.keys.filter { $0.table == table.name }.map(\.name)
        let inner = SettingsSchema.tables.filter { $0.name.hasPrefix("\(table.name).") }
            .map { String($0.name.dropFirst(table.name.count + 1)) }
        for child in document.nodes[node].children {
            guard case .key(let name) = document.nodes[child].name,
                !own.contains(name), !inner.contains(name)
            else { continue }
            refuse(.unknownKey, at: child, Self.unknownKey(name, table, allowed: own + inner))
        }
    }

    private static func unknownTable(
        _ name: String, isTable: Bool, _ tables: [SettingsTable]
    ) -> String {
        if !isTable, let homes = homes(of: name) { return "unknown key, did you mean \(homes)?" }
        if let near = Suggestion.nearest(to: name, among: tables.map(\.name)),
            let table = tables.first(where: { $0.name == near })
        {
            return "unknown \(isTable ? "table" : "key"), did you mean \(table.header)?"
        }
        let all = tables.map(\.header).joined(separator: ", ")
        return "unknown \(isTable ? "table" : "key"), allowed: \(all)"
    }

    private static func unknownKey(
        _ name: String, _ table: SettingsTable, allowed: [String]
    ) -> String {
        if let homes = homes(of: name) { return "unknown key, did you mean \(homes)?" }
        if let near = Suggestion.nearest(to: name, among: allowed) {
            return "unknown key, did you mean \(near)?"
        }
        let all = allowed.joined(separator: ", ")
        return "unknown key, allowed in \(table.header): \(all)"
    }

    /// Returns the tables that have a key of exactly this name: `countdown_s in [display]`.
    private static func homes(of name: String) -> String? {
        let homes = SettingsSchema.keys.filter { $0.name == name }.compactMap { key in
            SettingsSchema.tables.first { $0.name == key.table }?.header
        }
        return homes.isEmpty ? nil : "\(name) in \(homes.joined(separator: " or "))"
    }
}
