// SPDX-License-Identifier: GPL-3.0-or-later

import Cache
import Network
import Testing

@Suite("Cache-Control")
struct CacheControlTests {
    private func control(_ headers: String...) -> CacheControl {
        CacheControl(HTTPResponse(lines: ["HTTP/1.1 200 OK"] + headers))
    }

    @Test("max-age counts from the answer's age; no-store and no-cache are heeded")
    func directives() {
        #expect(control("Cache-Control: max-age=60").lifetime == 60)
        #expect(control("cache-control: MAX-AGE=\"60\" , public", "Age: 20").lifetime == 40)
        #expect(control("Cache-Control: max-age=60", "Age: 90").lifetime == 0)
        #expect(control("Cache-Control: max-age=60, max-age=5").lifetime == 60)
        #expect(control("Cache-Control: max-age=-1").lifetime == 0)
        #expect(control("Cache-Control: max-age=soon").lifetime == 0)
        #expect(!control("Cache-Control: no-store").isStorable)
        #expect(control("Cache-Control: private").isStorable)
        let checked = control("Cache-Control: no-cache, max-age=60")
        #expect(checked.lifetime == 0 && checked.mustRevalidate && checked.isStorable)
    }

    @Test("several headers of a name count as one")
    func severalHeaders() {
        let rules = control(
            "Cache-Control: max-age=60", "Cache-Control: stale-while-revalidate=30",
            "Cache-Control: stale-if-error=90")
        #expect(rules.lifetime == 60)
        #expect(rules.staleWhileRevalidate == 30)
        #expect(rules.staleIfError == 90)
    }

    @Test("Expires counts from Date, in all forms of a date; an invalid one has passed")
    func expires() {
        let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(control(date, "Expires: Sun, 06 Nov 1994 08:50:37 GMT").lifetime == 60)
        #expect(control(date, "Expires: Sunday, 06-Nov-94 08:50:37 GMT").lifetime == 60)
        #expect(control(date, "Expires: Sun Nov  6 08:50:37 1994").lifetime == 60)
        #expect(control(date, "Expires: 0").lifetime == 0)
        #expect(
            control(date, "Expires: Sun, 06 Nov 1994 08:50:37 GMT", "Cache-Control: max-age=5")
                .lifetime == 5)
    }

    @Test("without a rule the lifetime is a tenth of the content's age, at most a day")
    func guess() {
        let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"
        #expect(control(date, "Last-Modified: Sun, 06 Nov 1994 08:39:37 GMT").lifetime == 60)
        #expect(control(date, "Last-Modified: Sun, 06 Nov 1904 08:39:37 GMT").lifetime <= 86_400)
        #expect(control(date).lifetime == 0)
    }
}
