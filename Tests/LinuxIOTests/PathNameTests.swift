// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxIO
import Testing

@Suite("PathName")
struct PathNameTests {
    @Test("parent, last part and extension follow dirname, basename and the last dot")
    func parts() {
        let paths: [(path: String, parent: String, last: String, ending: String)] = [
            ("/a/b.jpg", "/a", "b.jpg", "jpg"), ("/a", "/", "a", ""), ("a", ".", "a", ""),
            ("a/b.tar.gz", "a", "b.tar.gz", "gz"), ("/a.b/c", "/a.b", "c", ""),
            ("/a/.hidden", "/a", ".hidden", ""), ("/a/.hidden.jpg", "/a", ".hidden.jpg", "jpg"),
            ("/a/b.", "/a", "b.", ""), ("", ".", "", ""), ("/", "/", "", ""),
            ("/a/\u{301}b.\u{301}jpg", "/a", "\u{301}b.\u{301}jpg", "\u{301}jpg"),
            ("/a/\u{fe0f}\u{200d}.png", "/a", "\u{fe0f}\u{200d}.png", "png"),
        ]
        for (path, parent, last, ending) in paths {
            let name = PathName(path)
            #expect(PathName(name.parent) == PathName(parent), "\(path)")
            #expect(PathName(name.last) == PathName(last), "\(path)")
            #expect(PathName(name.fileExtension) == PathName(ending), "\(path)")
            let rest = ending.isEmpty ? name.withoutExtension : name.withoutExtension + "." + ending
            #expect(PathName(rest) == name, "\(path)")
        }
        #expect(PathName("//a///b/").components == ["a", "b"])
        #expect(PathName("a/\u{301}b").components.map(\.utf8.count) == [1, 3])
        #expect(PathName("/a/.\u{301}b").isHidden && !PathName("/.a/b").isHidden)
    }

    @Test("names are equal only if their bytes are")
    func equality() {
        let composed = PathName("caf\u{e9}")
        let decomposed = PathName("cafe\u{301}")
        #expect(composed.text == decomposed.text)
        #expect(composed != decomposed && Set([composed, decomposed, composed]).count == 2)
        #expect(decomposed < composed && !(composed < decomposed) && !(composed < composed))
    }

    @Test("a folder contains itself and its contents, not names with the same beginning")
    func inside() {
        for path in ["/lib", "/lib/a", "/lib/a/b", "/lib/\u{301}a"] {
            #expect(PathName(path).isInside("/lib") && PathName(path).isInside("/"), "\(path)")
        }
        for path in ["/library", "/li", "/", "lib/a"] {
            #expect(!PathName(path).isInside("/lib"), "\(path)")
        }
        #expect(!PathName("/caf\u{e9}/a").isInside("/cafe\u{301}"))
    }
}
