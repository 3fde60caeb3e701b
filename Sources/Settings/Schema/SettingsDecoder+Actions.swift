// SPDX-License-Identifier: GPL-3.0-or-later

extension SettingsDecoder {
    /// The actions of `[actions]` for the buttons of these names, with the default for every
    /// button and gesture that the file leaves out. A name that is no button's is a problem,
    /// unless the names are not complete because one was refused.
    mutating func actions(
        for names: [ButtonName], isComplete: Bool
    ) -> [ButtonName: [Settings.Gesture: Settings.Action]] {
        var actions: [ButtonName: [Settings.Gesture: Settings.Action]] = [:]
        for name in names {
            actions[name] = [.press: ActionKeys.press.defaultValue]
        }
        guard let table = table(ActionKeys.table) else { return actions }
        for node in document.nodes[table].children {
            guard case .key(let name) = document.nodes[node].name else { continue }
            guard document.nodes[node].value == .table else {
                refuse(
                    .wrongType, at: node,
                    "lacks the gesture, allowed: \(TOMLText.key(name)).press = \"photo\"")
                continue
            }
            if isComplete, actions[name] == nil {
                refuse(.conflict, at: node, Self.noButton(name, among: names))
            }
            for child in document.nodes[node].children {
                guard case .key(let word) = document.nodes[child].name else { continue }
                guard let gesture = Settings.Gesture(rawValue: word) else {
                    refuse(.unknownKey, at: child, Self.unknownGesture(word))
                    continue
                }
                let action = value(ActionKeys.press, at: child)
                actions[name]?[gesture] = action
            }
        }
        return actions
    }

    /// Whether no button's name was refused.
    func hasAllNames(_ buttons: [Int]) -> Bool {
        !buttons.contains { isRefused(ButtonKeys.name, in: $0) }
    }

    private static func noButton(_ name: String, among names: [ButtonName]) -> String {
        guard !names.isEmpty else { return "names no button, there is none" }
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
