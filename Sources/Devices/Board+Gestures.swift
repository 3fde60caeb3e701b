// SPDX-License-Identifier: GPL-3.0-or-later

package import Controls
package import Kiosk
internal import Settings

/// Translates the settings' gestures and actions for ``Controls`` and ``Kiosk``.
extension Board {
    /// The gestures that have an action. A button does not wait for others.
    package var repertoire: GestureRepertoire {
        var repertoire = GestureRepertoire(
            doublePress: nanoseconds(milliseconds: settings.gesture.doublePressMilliseconds),
            longPress: nanoseconds(milliseconds: settings.gesture.longPressMilliseconds),
            chord: nanoseconds(milliseconds: settings.gesture.chordMilliseconds))
        for (name, actions) in settings.actions {
            let members = Settings.chordMembers(name)
            if members.count > 1 {
                if actions[.press] ?? .nothing == .nothing { continue }
                repertoire.chords[name] = Set(members)
            } else {
                let mapped = actions.filter { $0.value != .nothing }.keys
                repertoire.gestures[name] = Set(
                    mapped.compactMap { Gesture(rawValue: $0.rawValue) })
            }
        }
        return repertoire
    }

    /// The buttons and chords whose gestures may do one of these actions.
    static func buttons(for wanted: Set<Settings.Action>, _ settings: Settings) -> Set<String> {
        var names: Set<String> = []
        for (name, actions) in settings.actions
        where actions.values.contains(where: wanted.contains) {
            names.formUnion(Settings.chordMembers(name) + [name])
        }
        return names
    }

    package func action(for event: GestureEvent) -> KioskAction {
        let gesture = Settings.Gesture(rawValue: event.gesture.rawValue) ?? .press
        return switch settings.action(for: event.name, gesture) {
        case .photo: .photo
        case .burst: .burst
        case .loop: .loop
        case .timelapse: .timelapse
        case .switchCamera: .switchCamera
        case .browse: .browse
        case .next: .next
        case .previous: .previous
        case .cancel: .cancel
        case .primary: .primary
        case .secondary: .secondary
        case .record: .record
        case .endSession: .endSession
        case .nothing: .none
        }
    }

    private func nanoseconds(milliseconds: Int) -> Int64 { Int64(milliseconds) * 1_000_000 }
}
