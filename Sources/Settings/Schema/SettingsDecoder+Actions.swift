// SPDX-License-Identifier: GPL-3.0-or-later

extension SettingsDecoder {
    /// Returns the actions of `[actions]` for the buttons `names`, with the defaults for every
    /// button and gesture that the file omits. A name that is neither a button nor a chord of
    /// buttons is a problem. That check is skipped if `isComplete` is false, because a button's own
    /// name was refused.
    mutating func actions(
        for names: [ButtonName], isComplete: Bool
    ) -> [ButtonName: [Settings.Gesture: Settings.Action]] {
        var actions = Self.defaultActions(of: names)
        guard let table = table(ActionKeys.table) else { return actions }
        var chords: [(members: Set<ButtonName>, node: Int)] = []
        for node in document.nodes[table].children {
            guard case .key(let name) = document.nodes[node].name else { continue }
            guard document.nodes[node].value == .table else {
                refuse(
                    .wrongType, at: node,
                    "lacks the gesture, allowed: \(TOMLText.key(name)).press = \"photo\"")
                continue
            }
            if name.contains(Settings.chordSeparator) {
                let members = Settings.chordMembers(name)
                if isComplete { checkChord(members, at: node, among: names, chords) }
                chords.append((Set(members), node))
                actions[name] = [.press: .nothing]
            } else if isComplete, actions[name] == nil {
                refuse(.conflict, at: node, Self.noButton(name, among: names))
            }
            for child in document.nodes[node].children {
                guard case .key(let word) = document.nodes[child].name else { continue }
                guard let gesture = Settings.Gesture(rawValue: word) else {
                    refuse(.unknownKey, at: child, Self.unknownGesture(word))
                    continue
                }
                if gesture != .press, name.contains(Settings.chordSeparator) {
                    refuse(.conflict, at: child, "a chord has no such gesture, allowed: press")
                    continue
                }
                if let action = value(ActionKeys.form, of: ActionKeys.key(gesture), at: child) {
                    actions[name]?[gesture] = action
                }
            }
            let own = actions[name] ?? [:]
            if own[.hold] ?? .nothing != .nothing, own[.longPress] ?? .nothing != .nothing {
                refuse(.conflict, at: node, "has both long_press and hold, allowed: one of them")
            }
        }
        return actions
    }

    static func defaultActions(
        of names: [ButtonName]
    ) -> [ButtonName: [Settings.Gesture: Settings.Action]] {
        let gestures = Settings.Gesture.allCases.map { ($0, ActionKeys.defaultAction(of: $0)) }
        let actions = Dictionary(uniqueKeysWithValues: gestures)
        return Dictionary(names.map { ($0, actions) }) { first, _ in first }
    }

    private mutating func checkChord(
        _ members: [ButtonName], at node: Int, among names: [ButtonName],
        _ others: [(members: Set<ButtonName>, node: Int)]
    ) {
        if let unknown = members.first(where: { !names.contains($0) }) {
            return refuse(
                .conflict, at: node,
                "\(TOMLText.quoted(unknown)) \(Self.noButton(unknown, among: names))")
        }
        guard Set(members).count == members.count, members.count > 1 else {
            return refuse(
                .conflict, at: node,
                "names a button twice, allowed: each button once, as in \"left+right\"")
        }
        let rival = others.first {
            $0.members.isSubset(of: members) || $0.members.isSuperset(of: members)
        }
        if let rival {
            refuse(
                .duplicate, at: node,
                "contains the chord of line \(document.nodes[rival.node].line), or is contained in "
                    + "it, allowed: chords that do not contain each other")
        }
    }

    /// Whether no button's name was refused.
    func hasAllNames(_ buttons: [Int]) -> Bool {
        !buttons.contains { isRefused(\ButtonSettings.name, in: $0) }
    }

    private static func noButton(_ name: String, among names: [ButtonName]) -> String {
        guard !names.isEmpty else { return "names no button, because there are none" }
        if let near = Suggestion.nearest(to: name, among: names) {
            return "names no button, did you mean \(near)?"
        }
        return "names no button, allowed: \(Set(names).sorted().joined(separator: ", "))"
    }

    private static func unknownGesture(_ word: String) -> String {
        let gestures = Settings.Gesture.allCases.map(\.rawValue)
        if let near = Suggestion.nearest(to: word, among: gestures) {
            return "unknown gesture, did you mean \(near)?"
        }
        return "unknown gesture, allowed: \(gestures.joined(separator: ", "))"
    }
}
