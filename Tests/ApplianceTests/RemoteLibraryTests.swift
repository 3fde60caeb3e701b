// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Commands
import TestSupport
import Testing

@Suite("RemoteLibrary", .ownThread, .timeLimit(.common))
struct RemoteLibraryTests {
    @Test("a picture has the bytes that the appliance sends; other answers are refused")
    func pictures() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "control.sock")
        let server = try ControlServer(path: path, version: "test")
        server.start { request, _ in
            JSONValue.string(request.arguments["id"] == .string("good") ? "/9j/2Q==" : "none!")
        }
        let library = RemoteLibrary(try ControlClient(paths: [path]))
        let jpeg = try await library.picture("good", as: nil, size: nil, fills: false)
        #expect(jpeg == [0xff, 0xd8, 0xff, 0xd9])
        let error = await #expect(throws: CommandError.self) {
            try await library.picture("bad", as: nil, size: nil, fills: false)
        }
        #expect(error?.code == "answer.unreadable")
        await server.stop()
    }
}
