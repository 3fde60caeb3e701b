// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Settings
import Sync

// Simulates many kiosks with one remote: the schedule, its jitter and its backoff are the ones that
// the service runs; only the clock is simulated. Each line of the result is one JSON object.
//
//     sync-herd KIOSKS [MINUTES]

/// What happens to all kiosks at once.
private enum Scenario: String, CaseIterable {
    /// Ten photos an hour at each kiosk.
    case usual
    /// All kiosks start in the same second, after a power failure, and have photos to send.
    case power
    /// The remote fails for two hours, while photos are taken.
    case outage
    /// No kiosk has a network for two hours; then all have.
    case network
}

private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

private struct Result: Encodable {
    let scenario: String
    let kiosks: Int
    let intervalMinutes: Int
    /// Runs that began in the busiest second, and on average.
    let mostRunsPerSecond: Int
    let meanRunsPerSecond: Double
    /// Requests in the busiest second, for originals, side-cars and their proofs.
    let mostRequestsPerSecond: Int
    /// Seconds after the trouble is over until nine of ten kiosks, and all, have sent everything.
    let secondsUntilMost: Int?
    let secondsUntilAll: Int?
}

/// The requests of a photo: original and side-car are each written and asked for.
private let requestsPerPhoto = 4
/// The requests of a run beside: the manifest of the day.
private let requestsPerRun = 2

private func simulate(_ scenario: Scenario, kiosks: Int, minutes: Int) -> Result {
    var settings = SyncSettings()
    settings.intervalMinutes = minutes
    var random = Generator(state: 1)
    let (trouble, end) = (3600...10_800, 18_000)
    let photosPerHour = 10.0
    var schedules: [SyncSchedule] = []
    var waiting = [Int](repeating: scenario == .power ? 3 : 0, count: kiosks)
    // Kiosks start over a day, except after a power failure.
    for _ in 0..<kiosks {
        var schedule = SyncSchedule(settings, now: 0, using: &random)
        if scenario != .power {
            schedule.began()
            schedule.ended(
                .succeeded, at: -.random(in: 0...Double(minutes) * 54, using: &random),
                using: &random)
        }
        schedules.append(schedule)
    }
    // Buckets of one second hold the kiosks whose schedule is to be asked again.
    var agenda = [[Int32]](repeating: [], count: end + 1)
    func remember(_ kiosk: Int, at second: Double) {
        let bucket = Int(second.rounded(.up))
        if bucket <= end { agenda[bucket].append(Int32(kiosk)) }
    }
    var photos = [[Int32]](repeating: [], count: end + 1)
    for kiosk in 0..<kiosks {
        remember(kiosk, at: schedules[kiosk].delay(at: 0, secondOfDay: nil))
        var time = 0.0
        while true {
            time += -log(.random(in: 0.000_001...1, using: &random)) * 3600 / photosPerHour
            guard time < Double(end - 7200) else { break }
            photos[Int(time)].append(Int32(kiosk))
        }
    }
    var runs = [Int](repeating: 0, count: end + 1)
    var requests = runs
    var doneAt = [Int](repeating: -1, count: kiosks)
    for second in 0...end {
        let now = Double(second)
        let isTrouble = trouble.contains(second)
        for kiosk in photos[second] {
            waiting[Int(kiosk)] += 1
            schedules[Int(kiosk)].captured(at: now)
            remember(Int(kiosk), at: now + schedules[Int(kiosk)].delay(at: now, secondOfDay: nil))
        }
        if scenario == .network, second == trouble.upperBound + 1 {
            for kiosk in 0..<kiosks {
                schedules[kiosk].reconnected(at: now, using: &random)
                remember(kiosk, at: now + schedules[kiosk].delay(at: now, secondOfDay: nil))
            }
        }
        for kiosk in agenda[second].map(Int.init) {
            guard schedules[kiosk].delay(at: now, secondOfDay: nil) == 0 else { continue }
            schedules[kiosk].began()
            let outcome: SyncSchedule.Outcome
            switch scenario {
            case .outage where isTrouble: outcome = .failed
            case .network where isTrouble: outcome = .offline
            default: outcome = .succeeded
            }
            if outcome != .offline {
                runs[second] += 1
                requests[second] += requestsPerRun
            }
            if outcome == .succeeded {
                requests[second] += waiting[kiosk] * requestsPerPhoto
                waiting[kiosk] = 0
                if second > trouble.upperBound || scenario == .power, doneAt[kiosk] < 0 {
                    doneAt[kiosk] = second
                }
            }
            schedules[kiosk].ended(outcome, at: now, using: &random)
            remember(kiosk, at: now + schedules[kiosk].delay(at: now, secondOfDay: nil))
        }
        agenda[second] = []
    }
    let begin = scenario == .power ? 0 : trouble.upperBound + 1
    let times = doneAt.filter { $0 >= 0 }.map { $0 - begin }.sorted()
    let isWhole = scenario != .usual && times.count == kiosks
    return Result(
        scenario: scenario.rawValue, kiosks: kiosks, intervalMinutes: minutes,
        mostRunsPerSecond: runs.max() ?? 0,
        meanRunsPerSecond: Double(runs.reduce(0, +)) / Double(end),
        mostRequestsPerSecond: requests.max() ?? 0,
        secondsUntilMost: isWhole ? times[kiosks * 9 / 10] : nil,
        secondsUntilAll: isWhole ? times.last : nil)
}

private let kiosks = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
private let minutes = CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 15
for scenario in Scenario.allCases {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let line = try encoder.encode(simulate(scenario, kiosks: kiosks, minutes: minutes))
    print(String(decoding: line, as: UTF8.self))
}
