// SPDX-License-Identifier: GPL-3.0-or-later

internal import LinuxIO
package import Network

/// Keeps configured content fresh, and in its place for the kiosk: downloads each item, asks for a
/// newer one when its lifetime ends, and goes on trying while the network is away.
package actor ContentService {
    /// Content that is kept.
    package struct Item: Hashable, Sendable {
        let url: String
        let lifetime: Double
        let expectation: Expectation

        /// - Parameter lifetime: The seconds from the end of a download for which it is fresh.
        package init(url: String, lifetime: Double, expectation: Expectation) {
            self.url = url
            self.lifetime = lifetime
            self.expectation = expectation
        }
    }

    /// The configuration, which may change at any time.
    package struct Configuration: Equatable, Sendable {
        let folder: String
        let quota: Int
        let http: HTTPClient.Configuration
        let items: [Item]

        /// - Parameters:
        ///   - folder: The folder of the cache.
        ///   - quota: The most bytes of all its files.
        package init(folder: String, quota: Int, http: HTTPClient.Configuration, items: [Item]) {
            self.folder = folder
            self.quota = quota
            self.http = http
            self.items = items
        }
    }

    /// The plan of an item.
    private struct Plan {
        /// The time of the next attempt, in seconds since boot.
        var next = 0.0
        var failures = 0
        var failure: ContentError.Code?
        /// The file that the kiosk sees.
        var shown: String?
    }

    private let configure: @Sendable () throws -> Configuration
    private let log: @Sendable (String) -> Void
    private var generator = SystemRandomNumberGenerator()
    private var configuration: Configuration?
    private var cache: ContentCache?
    private var plans: [Item: Plan] = [:]
    /// The items that are being fetched.
    private var running: Set<Item> = []
    private var lastLine = ""

    /// - Parameters:
    ///   - configure: Reads the configuration.
    ///   - log: Takes a line for the log.
    package init(
        configure: @escaping @Sendable () throws -> Configuration,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.configure = configure
        self.log = log
    }

    /// The longest time without a look at the configuration and the network, in seconds.
    private static let patience = 30.0

    private static var now: Double { Double(Clock.boot) / 1e9 }

    /// Runs until the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            let delay = await step()
            try? await Task.sleep(for: .seconds(delay))
        }
    }

    /// Does what is due. Returns the seconds until the next step.
    private func step() async -> Double {
        do {
            let new = try configure()
            if new != configuration { try await use(new) }
        } catch {
            say("content: \(error)")
        }
        guard let configuration, let cache else { return Self.patience }
        for item in configuration.items
        where (plans[item]?.next ?? 0) <= Self.now && running.insert(item).inserted {
            // A slow download holds up no other one.
            Task {
                do throws(ContentError) {
                    let result = try await cache.fetch(
                        item.url, expiresIn: item.lifetime, expecting: item.expectation)
                    finish(item, .success(result), cache)
                } catch {
                    finish(item, .failure(error), cache)
                }
            }
        }
        let next = plans.filter { !running.contains($0.key) }.values.map(\.next).min() ?? .infinity
        return running.isEmpty ? min(max(next - Self.now, 1), Self.patience) : 1
    }

    /// Takes a new configuration. Makes no folder if there are no items.
    private func use(_ new: Configuration) async throws {
        plans = [:]
        cache = nil
        guard try !new.items.isEmpty || FileTree.entry("\(new.folder)/shown") != nil else {
            return configuration = new
        }
        let opened = try ContentCache(
            at: new.folder, quota: new.quota, client: HTTPClient(new.http))
        await opened.setPinned(new.items.map(\.url))
        try opened.hideAll(but: new.items.map(\.url))
        for item in new.items { plans[item] = Plan() }
        cache = opened
        configuration = new
    }

    private func finish(
        _ item: Item, _ result: Result<ContentResult, ContentError>, _ cache: ContentCache
    ) {
        running.remove(item)
        // The configuration may have changed meanwhile.
        guard cache === self.cache, var plan = plans[item] else { return }
        defer { plans[item] = plan }
        do throws(ContentError) {
            let result = try result.get()
            if case .stale(let failure?) = result.source {
                fail(failure, item, &plan)
            } else {
                plan.failures = 0
                plan.failure = nil
                let age = ContentMoment.now.seconds(since: result.item.renewed) ?? 0
                plan.next = Self.now + max(1, result.item.lifetime - age)
                if result.source == .network {
                    log("content: \(result.item.url): \(result.item.bytes) bytes")
                }
            }
            if plan.shown != result.path { try cache.show(result) }
            plan.shown = result.path
        } catch {
            fail(error, item, &plan)
        }
    }

    private func fail(_ error: ContentError, _ item: Item, _ plan: inout Plan) {
        if error.code == .unreachable, !NetworkRoutes.hasRoute {
            // No attempt counts while there is no network.
            plan.next = Self.now + Self.patience
        } else {
            plan.failures += 1
            plan.next =
                Self.now
                + Double(Backoff.standard.delay(attempts: plan.failures, using: &generator))
        }
        if error.code != plan.failure { log("content: \(error.message); next: \(error.next)") }
        plan.failure = error.code
    }

    /// Logs a line, unless it says the same as the last one.
    private func say(_ line: String) {
        if line != lastLine { log(line) }
        lastLine = line
    }
}
