// SPDX-License-Identifier: GPL-3.0-or-later

import Controls
import Testing

private let millisecond: Int64 = 1_000_000
private let second: Int64 = 1_000_000_000

@Suite("ContactHealth")
struct ContactHealthTests {
    @Test("mains hum counts as noise within seconds, not as a held button", arguments: [100, 120])
    func hum(edges: Int64) {
        var health = ContactHealth(stuckAfter: 60 * second)
        health.contact(isPressed: true, at: 0)
        health.countPress()
        for index in 0..<(5 * edges) { health.edge(at: index * second / edges) }
        #expect(health.state == .noisy)
    }

    @Test("the first edge after noise has ended does not count as noise")
    func afterNoise() {
        var health = ContactHealth(stuckAfter: 60 * second)
        health.edge(at: 0)
        health.countPress()
        for index in 1..<290 as Range<Int64> { health.edge(at: index * 10 * millisecond) }
        #expect(health.state == .noisy)
        health.advance(to: health.nextDeadline ?? 0)
        health.edge(at: 7 * second)
        #expect(health.state == .fine)
    }

    @Test("fast presses on a worn contact are not noise")
    func child() {
        var health = ContactHealth(stuckAfter: 60 * second)
        for press in 0..<100 as Range<Int64> {
            for bounce in 0..<12 as Range<Int64> {
                health.edge(at: press * 100 * millisecond + bounce * millisecond)
            }
            health.countPress()
            health.contact(isPressed: true, at: press * 100 * millisecond)
            health.contact(isPressed: false, at: press * 100 * millisecond + 50 * millisecond)
            #expect(health.state == .fine, "press \(press)")
        }
    }

    @Test("more edges or presses than a hand makes are noise until 3 s without an edge")
    func flood() {
        for isPressing in [false, true] {
            var health = ContactHealth(stuckAfter: nil)
            for index in 0..<500 as Range<Int64> {
                if isPressing && index > 45 { break }
                health.edge(at: index * millisecond)
                if isPressing && index % 2 == 0 { health.countPress() }
            }
            #expect(health.state == .noisy && health.isMuted)
            let due = health.nextDeadline ?? 0
            health.advance(to: due - 1)
            #expect(health.isMuted)
            health.advance(to: due)
            #expect(health.state == .fine)
        }
    }

    @Test(
        "noise that ends pressed becomes stuck, or stays noise without a stuck limit",
        arguments: [nil, 60 * second])
    func noisyAndHeld(stuckAfter: Int64?) {
        var health = ContactHealth(stuckAfter: stuckAfter)
        for index in 0..<500 as Range<Int64> { health.edge(at: index * millisecond) }
        health.contact(isPressed: true, at: 500 * millisecond)
        for _ in 0..<3 {
            guard let due = health.nextDeadline else { break }
            health.advance(to: due)
            #expect(health.state == (stuckAfter == nil ? .noisy : .stuck))
        }
        let released = 60 * second
        health.contact(isPressed: false, at: released)
        health.edge(at: released)
        if let due = health.nextDeadline { health.advance(to: due) }
        #expect(health.state == .fine)
    }

    @Test("a press beyond the limit is stuck until released; without a limit it never is")
    func stuck() {
        var health = ContactHealth(stuckAfter: 5 * second)
        health.contact(isPressed: true, at: 7)
        #expect(health.nextDeadline == 5 * second + 7)
        health.advance(to: 5 * second + 6)
        #expect(health.state == .fine)
        health.advance(to: 5 * second + 7)
        #expect(health.state == .stuck && health.nextDeadline == nil)
        health.contact(isPressed: false, at: 9 * second)
        #expect(health.state == .fine && health.nextDeadline == nil)
        var patient = ContactHealth(stuckAfter: nil)
        patient.contact(isPressed: true, at: 0)
        #expect(patient.nextDeadline == nil)
    }
}
