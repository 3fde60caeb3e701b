// SPDX-License-Identifier: GPL-3.0-or-later

/// Checks that concern several keys: values that exclude, require or repeat each other. `tables`
/// are the nodes of the values; it is empty if the file has none and the defaults apply.
extension SettingsDecoder {
    mutating func checkCameras(_ cameras: [CameraSettings], _ tables: [Int]) {
        var ids: [String: Int] = [:]
        var matches: [CameraMatch: Int] = [:]
        for (camera, table) in zip(cameras, tables) {
            checkUnique(camera.id, \CameraSettings.id, in: table, "camera", &ids)
            checkSize(camera, table)
            if let match = camera.match, match.serial != nil || match.path != nil {
                let node = document.child("match", of: table) ?? table
                if let first = matches[match] {
                    refuse(
                        .duplicate, at: node,
                        "matches the same device as the camera of line \(first), "
                            + "allowed: one camera per device")
                } else {
                    matches[match] = document.nodes[node].line
                }
            }
            if !camera.source.isEmpty, camera.match?.driver != CameraMatch.simulatedDriver {
                refuse(
                    .conflict, \CameraSettings.source, in: table,
                    "only a simulated camera has a source, allowed with: "
                        + "match = { driver = \"\(CameraMatch.simulatedDriver)\" }")
            }
        }
    }

    private mutating func checkSize(_ camera: CameraSettings, _ table: Int) {
        let isRefused =
            isRefused(\CameraSettings.width, in: table)
            || isRefused(\CameraSettings.height, in: table)
        guard !isRefused, (camera.width == nil) != (camera.height == nil) else { return }
        if camera.height == nil {
            refuse(
                .conflict, \CameraSettings.width, in: table,
                "width without height, allowed: both width_px and height_px, or neither")
        } else {
            refuse(
                .conflict, \CameraSettings.height, in: table,
                "height without width, allowed: both width_px and height_px, or neither")
        }
    }

    mutating func checkButtons(_ buttons: [ButtonSettings], _ tables: [Int]) {
        var names: [String: Int] = [:]
        for (index, (button, table)) in zip(buttons, tables).enumerated() {
            checkUnique(button.name, \ButtonSettings.name, in: table, "button", &names)
            if button.line != nil, button.key != nil {
                refuse(
                    .conflict, \ButtonSettings.key, in: table,
                    "the button has both a line and a key, allowed: one of them, or neither")
            }
            if button.device != nil, button.key == nil, !isRefused(\ButtonSettings.key, in: table) {
                refuse(
                    .conflict, \ButtonSettings.device, in: table,
                    "the button has a device without a key, allowed: only together with key")
            }
            guard let key = button.key else { continue }
            // A button on any device also claims the key of a button on one device.
            let rival = zip(buttons, tables).prefix(index).first { other, _ in
                other.key == key
                    && (other.device == nil || button.device == nil
                        || other.device == button.device)
            }
            if let (other, otherTable) = rival {
                let line = line(of: \ButtonSettings.key, in: otherTable)
                refuse(
                    .duplicate, \ButtonSettings.key, in: table,
                    "\(TOMLText.quoted(key)) is already the key of button \(other.name) "
                        + "(line \(line)), allowed: one button per key")
            }
        }
    }

    mutating func checkLines(
        _ buttons: [ButtonSettings], _ tables: [Int], _ lamp: LampSettings,
        _ flash: FlashSettings
    ) {
        var uses: [(name: GPIOLineName, node: Int)] = []
        for (button, table) in zip(buttons, tables) {
            note(button.line, \ButtonSettings.line, in: table, &uses)
        }
        let lampTable = document.child(LampSettings.table.name, of: 0)
        note(lamp.ready, \LampSettings.ready, in: lampTable, &uses)
        note(lamp.recording, \LampSettings.recording, in: lampTable, &uses)
        note(lamp.fault, \LampSettings.fault, in: lampTable, &uses)
        note(
            flash.line, \FlashSettings.line, in: document.child(FlashSettings.table.name, of: 0),
            &uses)

        let inOrder = uses.sorted { document.nodes[$0.node].line < document.nodes[$1.node].line }
        var first: [GPIOLineName: Int] = [:]
        for (name, node) in inOrder {
            if let other = first[name] {
                refuse(
                    .duplicate, at: node,
                    "\(TOMLText.quoted(name.description)) is already \(path(of: other)) "
                        + "(line \(document.nodes[other].line)), allowed: one use per line")
            } else {
                first[name] = node
            }
        }
    }

    /// Requires stuck_s > long_press_ms and debounce_ms < double_press_ms.
    mutating func checkGestures(
        _ buttons: [ButtonSettings], _ tables: [Int], _ gesture: GestureSettings
    ) {
        for (button, table) in zip(buttons, tables) {
            let stuck = button.stuckSeconds * 1000
            if button.stuckSeconds > 0, stuck <= gesture.longPressMilliseconds {
                refuse(
                    .conflict, \ButtonSettings.stuckSeconds, in: table,
                    "is not longer than a long press, allowed: more than "
                        + "\(gesture.longPressMilliseconds) ms")
            }
            if button.debounceMilliseconds >= gesture.doublePressMilliseconds {
                refuse(
                    .conflict, \ButtonSettings.debounceMilliseconds, in: table,
                    "is not shorter than a double press, allowed: less than "
                        + "\(gesture.doublePressMilliseconds) ms")
            }
        }
    }

    mutating func checkFlash(_ flash: FlashSettings) {
        guard flash.maximumMilliseconds <= flash.leadMilliseconds + 50,
            let table = document.child(FlashSettings.table.name, of: 0),
            !isRefused(\FlashSettings.maximumMilliseconds, in: table),
            !isRefused(\FlashSettings.leadMilliseconds, in: table)
        else { return }
        refuse(
            .conflict, \FlashSettings.maximumMilliseconds, in: table,
            "\(flash.maximumMilliseconds) ms ends the flash before the photo is exposed, "
                + "allowed: more than lead_ms + 50 (\(flash.leadMilliseconds + 50) ms)")
    }

    /// Refuses equal connectors. A first display without one takes any but the second's.
    mutating func checkDisplays(_ first: DisplaySettings, _ second: SecondDisplaySettings) {
        // The kernel numbers connectors of one type across all cards, so the card does not matter.
        guard let connector = second.connector, connector == first.connector,
            let table = document.child(SecondDisplaySettings.table.name, of: 0)
        else { return }
        refuse(
            .conflict, \SecondDisplaySettings.connector, in: table,
            "\(TOMLText.quoted(connector)) is already display.connector, allowed: another one"
        )
    }

    /// Refuses a second content of a kind of which the screen shows one.
    mutating func checkContents(_ contents: [ContentSettings], _ tables: [Int]) {
        var lines: [ContentSettings.Kind: Int] = [:]
        for (content, table) in zip(contents, tables)
        where content.kind != .file && !content.url.isEmpty {
            if let first = lines[content.kind] {
                refuse(
                    .duplicate, \ContentSettings.kind, in: table,
                    "\(TOMLText.quoted(content.kind.rawValue)) is already the kind of the content "
                        + "of line \(first), allowed: one content per kind, except file")
            } else {
                lines[content.kind] = line(of: \ContentSettings.kind, in: table)
            }
        }
    }

    private func note<Table: TableSettings>(
        _ name: GPIOLineName?, _ property: PartialKeyPath<Table>, in table: Int?,
        _ uses: inout [(name: GPIOLineName, node: Int)]
    ) {
        guard let name, let node = child(property, of: table) else { return }
        uses.append((name, node))
    }

    private mutating func checkUnique<Table: TableSettings>(
        _ name: String, _ key: PartialKeyPath<Table>, in table: Int, _ kind: String,
        _ seen: inout [String: Int]
    ) {
        guard !isRefused(key, in: table) else { return }
        if let first = seen[name] {
            refuse(
                .duplicate, key, in: table,
                "\(TOMLText.quoted(name)) is already the name of a \(kind) (line \(first)), "
                    + "allowed: a unique name")
        } else {
            seen[name] = line(of: key, in: table)
        }
    }
}
