// SPDX-License-Identifier: GPL-3.0-or-later

internal import GRDB
internal import LinuxIO
internal import Synchronization

/// A trigram index of captions, keywords and file names: `derived/search.sqlite`. Any thread. It
/// follows the library's history of changes, so storing a photo does not wait for it. It can be
/// made again at any time: a file that is damaged or of another version is removed.
final class SearchIndex: Sendable {
    enum Column: String {
        case caption, keywords
        case fileName = "file_name"
    }

    /// The number of assets and of changes that are indexed in one transaction.
    private static let batch: Int64 = 2000
    /// The largest backlog of changes that a search itself works off, in at most 20 ms.
    private static let mostBehind: Int64 = 400
    /// Above so many candidates, a scan of all assets in order finds the first matches soon.
    static let mostCandidates = 20_000
    private static let version = 1

    private let path: String
    private let queue = Mutex<DatabaseQueue?>(nil)
    /// Starts the task that keeps the index up to date; `nil` once it has started.
    private let keeper = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter path: The path of the file, which is opened at its first use.
    init(at path: String) { self.path = path }

    /// Calls `begin` once: now if there is an index, otherwise at the first search. A library in
    /// which nobody searches has no index.
    func keep(by begin: @escaping @Sendable () -> Void) {
        keeper.withLock { $0 = begin }
        if (try? FileTree.entry(path)) ?? nil != nil { beginKeeping() }
    }

    private func beginKeeping() {
        let begin = keeper.withLock { keeper in
            defer { keeper = nil }
            return keeper
        }
        begin?()
    }

    // MARK: - Searching

    /// Returns the assets that may have this text in a column, or in any column; the caller must
    /// check each. `nil` if the index cannot tell: it is incomplete, or too many assets match.
    /// - Parameter db: The library at the moment of the search.
    func candidates(_ db: Database, for text: String, in column: Column?) throws -> [Int64]? {
        let text = TextSearch.searchable(text)
        guard !text.isEmpty, !text.utf8.contains(0) else { return nil }
        beginKeeping()
        return try usingCurrent(db) { index in
            let found = try Self.find(text, in: column, index)
            return found.count > Self.mostCandidates ? nil : found
        }
    }

    /// Returns the next assets that may have all of these texts, in the order of sequences: at most
    /// `limit` after `last`, or before it if `isBackwards`. A `last` of `nil` asks for the first
    /// page. The cost grows with the matches, not the library. `nil` if the index cannot tell.
    /// - Parameter db: The library at the moment of the search.
    func candidates(
        _ db: Database, for texts: [(text: String, column: Column?)], after last: Int64?,
        isBackwards: Bool, limit: Int
    ) throws -> [Int64]? {
        guard !texts.contains(where: { $0.text.utf8.contains(0) }) else { return nil }
        let expressions = texts.compactMap { text, column in
            Self.expression(TextSearch.searchable(text), in: column)
        }
        if expressions.isEmpty { return nil }
        beginKeeping()
        return try usingCurrent(db) { index in
            let bound = isBackwards ? "rowid < ?2 ORDER BY rowid DESC" : "rowid > ?2 ORDER BY rowid"
            return try Int64.fetchAll(
                index.cachedStatement(
                    sql: "SELECT rowid FROM text WHERE text MATCH ?1 AND \(bound) LIMIT ?3"),
                arguments: [
                    expressions.joined(separator: " AND "), last ?? (isBackwards ? .max : 0), limit,
                ])
        }
    }

    /// Runs `body` with an index that is up to date; `nil` if it is incomplete or too far behind.
    private func usingCurrent<Value>(
        _ db: Database, _ body: (Database) throws -> Value?
    ) throws -> Value? {
        try using { index in
            guard let state = try State.fetch(index), state.isComplete,
                try AssetLibrary.token(db).value - state.token <= Self.mostBehind,
                try advance(index, db)
            else { return nil }
            return try body(index)
        }
    }

    private static func find(
        _ text: String, in column: Column?, _ index: Database
    ) throws -> [Int64] {
        let limit = mostCandidates + 1
        guard let expression = expression(text, in: column) else {
            return try Int64.fetchAll(
                index.cachedStatement(
                    sql: """
                        SELECT DISTINCT doc FROM term WHERE term >= ?1 AND term < ?2
                            AND (?3 IS NULL OR col = ?3)
                        LIMIT ?4
                        """),
                arguments: [text, text + "\u{10FFFF}", column?.rawValue, limit])
        }
        return try Int64.fetchAll(
            index.cachedStatement(sql: "SELECT rowid FROM text WHERE text MATCH ? LIMIT ?"),
            arguments: [expression, limit])
    }

    /// Returns an FTS5 query; `nil` for a text shorter than three characters.
    private static func expression(_ text: String, in column: Column?) -> String? {
        let scalars = Array(text.unicodeScalars)
        if scalars.count < 3 { return nil }
        let trigrams = (0...scalars.count - 3).prefix(20).map { start in
            var trigram = String.UnicodeScalarView()
            trigram.append(contentsOf: scalars[start..<start + 3])
            return "\"\(String(trigram).replacing("\"", with: "\"\""))\""
        }
        let words = "(\(trigrams.joined(separator: " AND ")))"
        return column.map { "(\($0.rawValue) : \(words))" } ?? words
    }

    // MARK: - Following the library

    private struct State {
        /// The index contains all changes up to this one, for assets up to `sequence`.
        var token: Int64
        var sequence: Int64
        var isComplete: Bool

        static func fetch(_ index: Database) throws -> State? {
            try Row.fetchOne(index, sql: "SELECT token, sequence, is_complete FROM state").map {
                State(token: $0[0], sequence: $0[1], isComplete: $0[2])
            }
        }

        func store(_ index: Database) throws {
            try index.execute(sql: "DELETE FROM state")
            try index.execute(
                sql: "INSERT INTO state VALUES (?, ?, ?)", arguments: [token, sequence, isComplete])
        }
    }

    /// Indexes one batch of changes, and one batch of assets if the index is incomplete. Returns
    /// whether the index is up to date.
    func advance(_ db: Database) throws -> Bool { try using { try advance($0, db) } ?? true }

    private func advance(_ index: Database, _ db: Database) throws -> Bool {
        let now = try AssetLibrary.token(db).value
        let oldest = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT token FROM change ORDER BY token LIMIT 1"))
        var state: State
        if let known = try State.fetch(index), known.token <= now,
            known.token >= (oldest ?? now + 1) - 1
        {
            state = known
        } else {
            try index.execute(
                sql: "INSERT INTO text (text) VALUES ('delete-all'); DELETE FROM document")
            state = State(token: now, sequence: 0, isComplete: false)
        }
        if state.token == now && state.isComplete { return true }
        let until = min(now, state.token + Self.batch)
        let changed = try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT DISTINCT asset FROM change
                    WHERE token > ? AND token <= ? AND collection IS NULL AND asset <= ?
                    """),
            arguments: [state.token, until, state.isComplete ? .max : state.sequence])
        try forget(changed, index)
        try read(changed, db, into: index)
        state.token = until
        if !state.isComplete {
            let next = try Int64.fetchAll(
                db.cachedStatement(
                    sql: "SELECT sequence FROM asset WHERE sequence > ? ORDER BY sequence LIMIT ?"),
                arguments: [state.sequence, Self.batch])
            try read(next, db, into: index)
            state.sequence = next.last ?? state.sequence
            state.isComplete = next.count < Self.batch
        }
        try state.store(index)
        return state.token == now && state.isComplete
    }

    private func forget(_ sequences: [Int64], _ index: Database) throws {
        let statement = try index.cachedStatement(
            sql: """
                INSERT INTO text (text, rowid, caption, keywords, file_name)
                SELECT 'delete', sequence, caption, keywords, file_name FROM document
                    WHERE sequence = ?
                """)
        let removal = try index.cachedStatement(sql: "DELETE FROM document WHERE sequence = ?")
        for sequence in sequences {
            try statement.execute(arguments: [sequence])
            try removal.execute(arguments: [sequence])
        }
    }

    private func read(_ sequences: [Int64], _ db: Database, into index: Database) throws {
        let list = "[" + sequences.map(String.init).joined(separator: ",") + "]"
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT sequence, caption, file_name,
                        (SELECT group_concat(keyword, char(1)) FROM asset_keyword
                            WHERE asset = sequence)
                    FROM asset WHERE sequence IN (SELECT value FROM json_each(?))
                    """), arguments: [list])
        let document = try index.cachedStatement(sql: "INSERT INTO document VALUES (?, ?, ?, ?)")
        let text = try index.cachedStatement(
            sql: "INSERT INTO text (rowid, caption, keywords, file_name) VALUES (?, ?, ?, ?)")
        while let row = try rows.next() {
            let arguments: StatementArguments = [
                row[0] as Int64, Self.indexed(row[1]), Self.indexed(row[3]), Self.indexed(row[2]),
            ]
            try document.execute(arguments: arguments)
            try text.execute(arguments: arguments)
        }
    }

    /// Appends two characters, so that a trigram begins with each character of the text. A search
    /// for one or two characters needs this.
    private static func indexed(_ text: String?) -> String? {
        text.map { TextSearch.searchable($0) + "\u{1}\u{1}" }
    }

    // MARK: - The file

    /// - Returns: The result of `body`; `nil` if the file cannot be used.
    private func using<Value>(_ body: (Database) throws -> Value?) throws -> Value? {
        guard
            let queue = queue.withLock({ queue in
                if queue == nil { queue = try? open() }
                return queue
            })
        else { return nil }
        do {
            return try queue.write(body)
        } catch let error as DatabaseError where error.resultCode != .SQLITE_INTERRUPT {
            // The index failed. The library's errors are StoreErrors, or occur again without it.
            remove()
            return nil
        }
    }

    private func open() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.label = "search"
        configuration.prepareDatabase { index in
            try index.execute(
                sql: """
                    PRAGMA journal_mode = WAL;
                    PRAGMA synchronous = NORMAL;
                    PRAGMA journal_size_limit = 4194304;
                    """)
        }
        func connect() throws -> DatabaseQueue {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.write { index in
                let version = try Int.fetchOne(index, sql: "PRAGMA user_version")
                if version == Self.version { return }
                guard version == 0 else { throw DatabaseError(resultCode: .SQLITE_CORRUPT) }
                try index.execute(sql: Self.schema)
            }
            return queue
        }
        do {
            return try connect()
        } catch {
            removeFiles()
            return try connect()
        }
    }

    private static let schema = """
        PRAGMA user_version = \(version);
        CREATE TABLE state (token INTEGER NOT NULL, sequence INTEGER NOT NULL,
            is_complete INTEGER NOT NULL) STRICT;
        CREATE TABLE document (sequence INTEGER PRIMARY KEY, caption TEXT, keywords TEXT,
            file_name TEXT) STRICT;
        CREATE VIRTUAL TABLE text USING fts5(
            caption, keywords, file_name, content = 'document', content_rowid = 'sequence',
                detail = 'column',
            tokenize = 'trigram case_sensitive 1');
        CREATE VIRTUAL TABLE term USING fts5vocab('text', 'instance');
        """

    private func remove() {
        close()
        removeFiles()
    }

    private func removeFiles() {
        for suffix in ["", "-wal", "-shm"] { try? FileTree.remove(path + suffix) }
    }

    /// Closes the file. The next use opens it again.
    func close() {
        queue.withLock { queue in
            try? queue?.close()
            queue = nil
        }
    }
}
