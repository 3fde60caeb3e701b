// SPDX-License-Identifier: GPL-3.0-or-later

/// What is wrong at the moment, by stable codes.
public struct ProblemList: Sendable, Equatable {
    /// How much a problem matters.
    public enum Severity: Int, Sendable, Comparable {
        /// Something is missing, the main job is done all the same.
        case degraded
        /// No photos can be taken.
        case failed

        /// By how much they matter: `degraded` is less than `failed`.
        public static func < (left: Severity, right: Severity) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// One problem.
    public struct Problem: Sendable, Equatable {
        /// A stable word; the README lists them.
        public let code: String
        /// For a person; those of several that share the code, joined by `; `.
        public let message: String
        /// How much it matters; of several that share the code, the worst.
        public let severity: Severity

        /// One problem.
        public init(code: String, message: String, severity: Severity) {
            self.code = code
            self.message = message
            self.severity = severity
        }
    }

    private var byCode: [String: Problem] = [:]

    /// No problem.
    public init() {}

    /// In the order of their codes.
    public var all: [Problem] { byCode.values.sorted { $0.code < $1.code } }

    /// ok, degraded or failed.
    public var health: String {
        switch byCode.values.map(\.severity).max() {
        case nil: "ok"
        case .degraded: "degraded"
        case .failed: "failed"
        }
    }

    /// Notes a problem; answers whether that is news.
    @discardableResult
    public mutating func raise(_ code: String, _ message: String, _ severity: Severity) -> Bool {
        let problem = Problem(code: code, message: message, severity: severity)
        if byCode[code] == problem { return false }
        byCode[code] = problem
        return true
    }

    /// Notes one of several problems that share a code: their messages stand side by side.
    public mutating func add(_ code: String, _ message: String, _ severity: Severity) {
        let others = byCode[code].map { $0.message + "; " } ?? ""
        raise(code, others + message, max(severity, byCode[code]?.severity ?? severity))
    }

    /// Forgets a problem; answers whether there was one.
    @discardableResult
    public mutating func clear(_ code: String) -> Bool { byCode.removeValue(forKey: code) != nil }

    /// Forgets all problems whose code begins with `prefix`; answers those that there were.
    @discardableResult
    public mutating func clear(prefix: String) -> [String] {
        let codes = byCode.keys.filter { $0.hasPrefix(prefix) }.sorted()
        for code in codes { byCode[code] = nil }
        return codes
    }

    /// Puts `others` in the place of all problems whose code begins with `prefix`; answers the codes that
    /// are new, and those that are gone.
    @discardableResult
    public mutating func replace(
        prefix: String, with others: [Problem]
    ) -> (new: [String], gone: [String]) {
        let before = clear(prefix: prefix)
        for problem in others { byCode[problem.code] = problem }
        let now = others.map(\.code)
        return (now.filter { !before.contains($0) }, before.filter { !now.contains($0) })
    }
}
