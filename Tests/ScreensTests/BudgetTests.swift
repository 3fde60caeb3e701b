// SPDX-License-Identifier: GPL-3.0-or-later

import Drawing
import Foundation
import Kiosk
import Media
import Screens
import TestSupport
import Testing

// Each test runs in a child process, where other tests' allocations do not count.
@Suite("screens: memory budget", .serialized)
struct BudgetTests {
    @Test("2,000 redraws do not grow the memory")
    func redraws() async {
        await #expect(processExitsWith: .success) {
            let renderer = try SceneRenderer(Dimensions(width: 800, height: 480))
            let picture = Picture(Dimensions(width: 400, height: 300)) { x, y in UInt32(x * y) }
            func redraw(_ count: Int) {
                let all = Array(scenes.values)
                for index in 0..<count {
                    unsafe picture.withPixels {
                        _ = unsafe renderer.render(all[index % all.count], picture: $0)
                    }
                }
            }
            redraw(400)
            let before = allocatedBytes()
            redraw(2000)
            let grown = allocatedBytes() - before
            print("2,000 redraws: \(grown) bytes more")
            precondition(grown < 64 * 1024, "\(grown) bytes more")
        }
    }

    @Test("200 renderers leave no memory behind")
    func renderers() async {
        await #expect(processExitsWith: .success) {
            func make(_ count: Int) throws {
                for _ in 0..<count {
                    let renderer = try SceneRenderer(Dimensions(width: 320, height: 240))
                    for scene in scenes.values { _ = renderer.render(scene) }
                }
            }
            try make(20)
            let before = allocatedBytes()
            try make(200)
            // Pango matches fonts on threads of its own, which free their memory a little later.
            try blockUntil("less than 256 KiB more than before") {
                allocatedBytes() - before < 256 * 1024
            }
        }
    }

    @Test("the measure counts memory that is kept")
    func control() async {
        // This test runs in a child process as well, because other tests free memory meanwhile.
        await #expect(processExitsWith: .success) {
            let before = allocatedBytes()
            let kept = [UInt8](repeating: 1, count: 100_000)
            precondition(allocatedBytes() - before > 90_000)
            precondition(kept.last == 1)
        }
    }

    @Test("a machine without fonts draws every scene without text")
    func noFonts() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let configuration = "<fontconfig><cachedir>\(folder.path)</cachedir></fontconfig>"
            let file = try folder.write(configuration.utf8, to: "fonts.conf")
            precondition(unsafe setenv("FONTCONFIG_FILE", file, 1) == 0)
            let canvas = try Canvas(Dimensions(width: 320, height: 240))
            let size = canvas.measure("Hello", TextStyle(.pixels(40)), width: 300)
            precondition(size.width == 0, "there are fonts all the same")
            let renderer = try SceneRenderer(Dimensions(width: 320, height: 240))
            for scene in scenes.values { precondition(renderer.render(scene) != nil) }
            withExtendedLifetime(folder) {}
        }
    }
}

/// Returns the bytes that malloc has allocated and not freed, from malloc_info(3). Swift does not
/// see <malloc.h>, so the function is looked up by name.
func allocatedBytes() -> Int {
    typealias MallocInfo = @convention(c) (CInt, UnsafeMutableRawPointer?) -> CInt
    guard let symbol = unsafe dlsym(nil, "malloc_info") else { fatalError("no malloc_info") }
    let mallocInfo = unsafe unsafeBitCast(symbol, to: MallocInfo.self)
    var buffer: UnsafeMutablePointer<CChar>?
    var length = 0
    guard let stream = unsafe open_memstream(&buffer, &length) else { fatalError("no memory") }
    precondition(unsafe mallocInfo(0, UnsafeMutableRawPointer(stream)) == 0)
    unsafe fclose(stream)
    defer { unsafe free(buffer) }
    // The last lines are the sums of all arenas.
    let text = unsafe buffer.map { unsafe String(cString: $0) } ?? ""
    func bytes(_ start: String) -> Int {
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix(start) }),
            let size = line.components(separatedBy: "size=\"").last?.prefix(while: \.isNumber)
        else { fatalError("malloc_info without \(start)") }
        return Int(size) ?? 0
    }
    return bytes("<system type=\"current\"") + bytes("<total type=\"mmap\"")
        - bytes("<total type=\"fast\"") - bytes("<total type=\"rest\"")
}
