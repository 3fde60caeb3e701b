// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Settings
import TestSupport
import Testing

@Suite("Files")
struct FileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("the error of a missing file has its path and the system's reason")
    func missing() {
        let error = #expect(throws: SettingsError.self) {
            try Settings.load(file: "/nonexistent/vitrine.toml")
        }
        #expect(
            error?.description
                == "/nonexistent/vitrine.toml: cannot be read: No such file or directory")
        #expect(error?.problems.first?.code == .unreadable)
        #expect(error?.problems.first?.line == nil)
    }

    @Test("the error of a path through a file has the system's reason")
    func notADirectory() {
        let error = #expect(throws: SettingsError.self) {
            try Settings.load(file: "/etc/passwd/vitrine.toml")
        }
        #expect(error?.description == "/etc/passwd/vitrine.toml: cannot be read: Not a directory")
    }

    @Test("a folder and a device are refused as configuration")
    func notRegular() {
        let folder = #expect(throws: SettingsError.self) { try Settings.load(file: "/tmp") }
        #expect(folder?.description == "/tmp: is a directory, allowed: a file")
        let device = #expect(throws: SettingsError.self) { try Settings.load(file: "/dev/zero") }
        #expect(device?.description == "/dev/zero: is not a regular file")
    }

    @Test("a file of more than 1 MiB is refused before it is read")
    func tooLong() throws {
        let bytes = [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)
        let file = try folder.write(bytes, to: "long.toml")
        let error = #expect(throws: SettingsError.self) { try Settings.load(file: file) }
        #expect(error?.description == "\(file): is 1048577 bytes long, allowed: up to 1048576")
    }

    @Test("a file is read through a link, and problems name the link's path")
    func link() throws {
        try folder.write("[log]\nlevel = 1\n".utf8, to: "real.toml")
        let link = folder.path(of: "link.toml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "real.toml")
        let error = #expect(throws: SettingsError.self) { try Settings.load(file: link) }
        #expect(error?.problems.first?.file == link)
        #expect(error?.problems.first?.line == 2)
    }

    @Test("the error of a dangling link has the system's reason")
    func danglingLink() throws {
        let link = folder.path(of: "link.toml")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "gone.toml")
        let error = #expect(throws: SettingsError.self) { try Settings.load(file: link) }
        #expect(error?.description == "\(link): cannot be read: No such file or directory")
    }

    @Test("relative paths start at the file's folder")
    func relativePaths() throws {
        let text = """
            [library]
            path = "photos/library"
            [[camera]]
            id = "a"
            match = { driver = "simulated" }
            source = "../clips/a.mp4"
            [[camera]]
            id = "b"
            match = { driver = "simulated" }
            source = "pattern"
            """
        let file = try folder.write(text.utf8, to: "vitrine.toml")
        let settings = try Settings.load(file: file)
        #expect(settings.library.path == folder.path(of: "photos/library"))
        let parent = URL(filePath: folder.path).deletingLastPathComponent()
        #expect(settings.cameras[0].source == parent.appending(path: "clips/a.mp4").path)
        #expect(settings.cameras[1].source == "pattern")
    }

    @Test("default paths stay absolute")
    func absolutePaths() throws {
        let file = try folder.write([UInt8](), to: "vitrine.toml")
        #expect(try Settings.load(file: file) == Settings())
    }

    @Test("every configuration that ships with the tree is valid")
    func shippedConfigurations() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let shipped = root.appending(path: "rootfs-overlay/etc/vitrine/vitrine.toml").path
        #expect(try Settings.load(file: shipped) == Settings(), "the example shows the defaults")

        let board = root.appending(path: "board")
        let folders =
            (try? FileManager.default.contentsOfDirectory(
                at: board, includingPropertiesForKeys: nil)) ?? []
        for folder in folders {
            let files =
                (try? FileManager.default.contentsOfDirectory(
                    at: folder, includingPropertiesForKeys: nil)) ?? []
            for file in files where file.pathExtension == "toml" {
                #expect(throws: Never.self) { try Settings.load(file: file.path) }
            }
        }
    }

    @Test("every commented key of the shipped example has its default")
    func shippedComments() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let example = try String(
            contentsOf: root.appending(path: "rootfs-overlay/etc/vitrine/vitrine.toml"),
            encoding: .utf8)
        var table = ""
        var documented: Set<String> = []
        for line in example.split(separator: "\n") {
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") {
                table = String(line[..<end].drop { $0 == "[" })
            }
            guard let match = line.wholeMatch(of: /(?:# )?([a-z0-9_.]+) += (.+)/) else { continue }
            let name = "\(table).\(match.1)".replacing("shutter.", with: "NAME.")
            documented.insert(name)
            guard let key = SettingsSchema.keys.first(where: { $0.path == name }) else { continue }
            let value = match.2.split(separator: "  #")[0].trimmingCharacters(in: .whitespaces)
            let examples = ["\"pinctrl-bcm2711:GPIO17\"", "\"KEY_ENTER\"", "\"usb\""]
            #expect(
                value == key.defaultValue || examples.contains(value),
                "\(line) against \(key.defaultValue)")
        }
        let missing = SettingsSchema.keys.map(\.path).filter {
            !documented.contains($0) && !$0.hasPrefix("camera.match.") && $0 != "camera.source"
        }
        #expect(missing.isEmpty, "the example shows every key")
    }
}
