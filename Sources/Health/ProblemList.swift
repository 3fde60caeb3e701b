// SPDX-License-Identifier: GPL-3.0-or-later

/// The present problems, by stable codes.
public struct ProblemList: Sendable, Equatable {
    /// The importance of a problem.
    public enum Severity: Int, Sendable, Comparable {
        /// Something is missing, but photos can be taken.
        case degraded
        /// No photos can be taken.
        case failed

        /// Orders by importance: `degraded` is less than `failed`.
        public static func < (left: Severity, right: Severity) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// One problem.
    public struct Problem: Sendable, Equatable {
        /// A stable code; the page `guide/troubleshooting` lists all.
        public let code: String
        /// The text for people. Messages with the same code are joined by `; `.
        public let message: String
        /// The importance; the highest of those with the same code.
        public let severity: Severity

        /// Creates a problem.
        public init(code: String, message: String, severity: Severity) {
            self.code = code
            self.message = message
            self.severity = severity
        }
    }

    private var byCode: [String: Problem] = [:]

    /// Creates an empty list.
    public init() {}

    /// All problems, ordered by code.
    public var all: [Problem] { byCode.values.sorted { $0.code < $1.code } }

    /// The worst severity: ok, degraded or failed.
    public var health: String {
        switch byCode.values.map(\.severity).max() {
        case nil: "ok"
        case .degraded: "degraded"
        case .failed: "failed"
        }
    }

    /// Sets the problem of a code; returns whether that changes the list.
    @discardableResult
    public mutating func raise(_ code: String, _ message: String, _ severity: Severity) -> Bool {
        let problem = Problem(code: code, message: message, severity: severity)
        if byCode[code] == problem { return false }
        byCode[code] = problem
        return true
    }

    /// Adds a problem that may share its code with others; the messages are joined.
    public mutating func add(_ code: String, _ message: String, _ severity: Severity) {
        let others = byCode[code].map { $0.message + "; " } ?? ""
        raise(code, others + message, max(severity, byCode[code]?.severity ?? severity))
    }

    /// Removes a problem; returns whether it was in the list.
    @discardableResult
    public mutating func clear(_ code: String) -> Bool { byCode.removeValue(forKey: code) != nil }

    /// Removes all problems whose code begins with `prefix`; returns their codes.
    @discardableResult
    public mutating func clear(prefix: String) -> [String] {
        let codes = byCode.keys.filter { $0.hasPrefix(prefix) }.sorted()
        for code in codes { byCode[code] = nil }
        return codes
    }

    /// Replaces all problems whose code begins with `prefix`; returns the new codes and the removed
    /// ones.
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
