// SPDX-License-Identifier: GPL-3.0-or-later

/// The values of one table of the file. Its keys are declared only here: decoding, `config check`,
/// `config show`, the reference page and forms use ``fields``. The defaults are those of `init()`.
protocol TableSettings: Sendable {
    static var table: SettingsTable { get }
    static var fields: [SettingsField<Self>] { get }

    init()
    /// Reads what is no plain key.
    mutating func decodeRest(_ node: Int, _ decoder: inout SettingsDecoder)
    /// Writes what is no plain key.
    func encodeRest(_ writer: inout TOMLWriter)
}

extension TableSettings {
    mutating func decodeRest(_ node: Int, _ decoder: inout SettingsDecoder) {}
    func encodeRest(_ writer: inout TOMLWriter) {}

    static var keys: [SettingsKey] { fields.map(\.key) }

    static func name(of property: PartialKeyPath<Self>) -> String {
        guard let field = fields.first(where: { $0.property == property }) else {
            preconditionFailure("\(property) has no key")
        }
        return field.key.name
    }

    func encode(_ writer: inout TOMLWriter) {
        writer.start(Self.table)
        for field in Self.fields { writer.line(field.key.name, field.encode(self)) }
        encodeRest(&writer)
    }
}

/// A key of a table, and the property that holds its value.
struct SettingsField<Table: TableSettings>: Sendable {
    let key: SettingsKey
    let property: any PartialKeyPath<Table> & Sendable
    /// Sets the property, unless the decoder refuses the node's value.
    let decode: @Sendable (Int, inout SettingsDecoder, inout Table) -> Void
    let encode: @Sendable (Table) -> String

    static func key<Value>(
        _ name: String, _ property: any WritableKeyPath<Table, Value> & Sendable,
        _ form: ValueForm<Value>, _ help: String
    ) -> Self {
        let key = SettingsKey(Table.table, name, form, default: Table()[keyPath: property], help)
        return Self(
            key: key, property: property,
            decode: { node, decoder, table in
                if let value = decoder.value(form, of: key, at: node) {
                    table[keyPath: property] = value
                }
            },
            encode: { form.encode($0[keyPath: property]) })
    }
}

extension SettingsKey {
    init<Value>(
        _ table: SettingsTable, _ name: String, _ form: ValueForm<Value>,
        default defaultValue: Value, _ help: String
    ) {
        self.init(
            table: table.name, name: name, type: form.type, defaultValue: form.encode(defaultValue),
            unit: form.unit, allowed: form.allowed, help: help)
    }
}

/// A table of the file, or a list of tables, and the property of ``Settings`` that holds it.
struct SettingsPart: Sendable {
    let table: SettingsTable
    let keys: [SettingsKey]
    var decode: @Sendable (inout SettingsDecoder, inout Settings) -> Void = { _, _ in }
    var encode: @Sendable (Settings, inout TOMLWriter) -> Void = { _, _ in }

    /// All tables, in the order in which a file lists them.
    static let all: [SettingsPart] = [
        .one(\.library), .list(\.cameras), SettingsPart(CameraMatch.self), .one(\.display),
        .one(\.secondDisplay), .list(\.buttons), .actions, .one(\.gesture), .one(\.lamp),
        .one(\.flash), .one(\.photo), .one(\.recording), .one(\.timelapse), .one(\.detection),
        .one(\.playback), .one(\.guest), .one(\.sync), .one(\.cache), .list(\.contents),
        .one(\.access),
        .one(\.board), .one(\.log),
    ]

    /// A table that is read and written by the one that contains it.
    private init<Table: TableSettings>(_ type: Table.Type) {
        (table, keys) = (Table.table, Table.keys)
    }

    private init(actions: Void) { (table, keys) = (ActionKeys.table, ActionKeys.all) }

    private static func one<Table: TableSettings>(
        _ property: any WritableKeyPath<Settings, Table> & Sendable
    ) -> SettingsPart {
        var part = SettingsPart(Table.self)
        part.decode = { decoder, settings in
            guard let node = decoder.table(Table.table) else { return }
            settings[keyPath: property] = decoder.values(at: node)
        }
        part.encode = { settings, writer in settings[keyPath: property].encode(&writer) }
        return part
    }

    private static func list<Table: TableSettings>(
        _ property: any WritableKeyPath<Settings, [Table]> & Sendable
    ) -> SettingsPart {
        var part = SettingsPart(Table.self)
        part.decode = { decoder, settings in
            guard let nodes = decoder.tables(Table.table) else { return }
            settings[keyPath: property] = nodes.map { decoder.values(at: $0) }
        }
        part.encode = { settings, writer in
            for table in settings[keyPath: property] { table.encode(&writer) }
        }
        return part
    }

    /// Decoded last, because it depends on the buttons.
    private static let actions: SettingsPart = {
        var part = SettingsPart(actions: ())
        part.encode = { settings, writer in
            writer.start(ActionKeys.table)
            for (name, gestures) in settings.actions.sorted(by: { $0.key < $1.key }) {
                for (gesture, action) in gestures.sorted(by: { $0.key.rawValue < $1.key.rawValue })
                {
                    writer.line(
                        "\(TOMLText.key(name)).\(gesture.rawValue)", ActionKeys.form.encode(action))
                }
            }
        }
        return part
    }()
}
