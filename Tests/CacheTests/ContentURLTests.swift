// SPDX-License-Identifier: GPL-3.0-or-later

import Cache
import Testing

@Suite("URLs of content")
struct ContentURLTests {
    @Test(
        "URLs that RFC 3986 calls equivalent are one key",
        arguments: [
            ("HTTP://Example.ORG", "http://example.org/"),
            ("https://example.org:443/a", "https://example.org/a"),
            ("http://example.org:80", "http://example.org/"),
            ("http://example.org/%7euser/%c3%a4", "http://example.org/~user/%C3%A4"),
            ("http://example.org/a/./b/../c", "http://example.org/a/c"),
            ("http://example.org/../a/..", "http://example.org/"),
            ("http://example.org/a/b/.", "http://example.org/a/b/"),
            ("http://example.org/a?q=%7e#part", "http://example.org/a?q=~"),
            ("http://[2001:DB8::1]:80/a", "http://[2001:db8::1]/a"),
            ("http://Guest:Word@Example.org:8080", "http://Guest:Word@example.org:8080/"),
        ])
    func equivalent(_ text: String, _ normalized: String) {
        #expect(ContentURL(text)?.text == normalized)
        #expect(ContentURL(normalized)?.text == normalized)
    }

    @Test("URLs that differ otherwise are two keys")
    func different() {
        let urls = [
            "http://example.org/a", "https://example.org/a", "http://example.org/a/",
            "http://example.org/A", "http://example.org:81/a", "http://example.org/a?",
            "http://example.org/a?b=1&c=2", "http://example.org/a?c=2&b=1",
            "http://example.org/a%2Fb", "http://example.org/a/b", "http://example.org//a",
        ]
        #expect(Set(urls.compactMap { ContentURL($0) }).count == urls.count)
    }

    @Test(
        "only absolute URLs of http and https are keys",
        arguments: [
            "", "a.png", "/a.png", "ftp://example.org/a", "file:///etc/passwd", "http://",
            "http:///a", "http://example.org/a b", "http://example.org:0/",
            "http://example.org:port/",
            "http://[::1/", "http://exämple.org/", "javascript:alert(1)",
        ])
    func refused(_ text: String) { #expect(ContentURL(text) == nil) }

    @Test("a password is not shown")
    func password() {
        let url = ContentURL("https://guest:secret@example.org/a")
        #expect(url?.description.contains("secret") == false)
        #expect(url?.text.contains("secret") == true)
    }
}
