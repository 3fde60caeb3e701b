// SPDX-License-Identifier: GPL-3.0-or-later

/// What a fetch found, as it was at one moment (PHFetchResult's counterpart): which objects and in
/// which order never changes, whatever is added, changed or deleted afterwards. The objects are read
/// when asked for, as they are then.
///
/// It holds no transaction, and keeps what it came from open; after ``AssetLibrary/close()`` it throws
/// `closed`. Dropping it ends what it still reads. Safe on any thread.
public struct FetchResult<Element: Sendable>: Sendable {
    /// Objects read at a time by an enumeration.
    static var pageSize: Int { 64 }

    private let found: any FoundObjects<Element>

    init(_ found: any FoundObjects<Element>) { self.found = found }

    /// How many objects were found. Waits until all are known: at a million a part of a second, while
    /// the first of them can already be read.
    /// - Throws: `cancelled`, `closed`, `io`.
    public var count: Int {
        get async throws(LibraryError) { try await found.count }
    }

    /// Whether nothing was found. Waits for nothing.
    public var isEmpty: Bool { found.isEmpty }

    /// The objects at these places; `nil` in place of one that is gone for good since.
    /// - Parameter range: Within 0 and ``count``; what is beyond is left out.
    /// - Throws: as ``count``.
    public func objects(at range: Range<Int>) async throws(LibraryError) -> [Element?] {
        try await found.objects(at: range)
    }

    /// The object at this place; `nil` when it is gone for good since, or there is no such place.
    /// - Throws: as ``count``.
    public func object(at index: Int) async throws(LibraryError) -> Element? {
        guard (0..<Int.max).contains(index) else { return nil }
        return try await objects(at: index..<index + 1).first ?? nil
    }

    /// The first object that is still there; `nil` when there is none.
    /// - Throws: as ``count``.
    public func firstObject() async throws(LibraryError) -> Element? {
        var first: Element?
        try await enumerate { object, _ in
            first = object
            return false
        }
        return first
    }

    /// The last object that is still there; `nil` when there is none.
    /// - Throws: as ``count``.
    public func lastObject() async throws(LibraryError) -> Element? {
        var last: Element?
        try await enumerate(reversed: true) { object, _ in
            last = object
            return false
        }
        return last
    }

    /// Calls `body` with each object and its place, in order, a page read at a time. What is gone for
    /// good since is left out.
    ///
    /// - Parameters:
    ///   - indexes: Only these places; those beyond ``count`` are left out. `nil` for all.
    ///   - reversed: From the last to the first.
    ///   - body: Answers whether to go on.
    /// - Throws: as ``count``, and `cancelled` between two pages.
    public func enumerate(
        at indexes: RangeSet<Int>? = nil, reversed: Bool = false,
        _ body: (Element, Int) async throws(LibraryError) -> Bool
    ) async throws(LibraryError) {
        var pages = Pages(indexes, reversed: reversed)
        // Forwards the end shows itself; a small first page is read long before all is known.
        if reversed || indexes != nil { pages.clamp(to: try await count) }
        while let page = pages.next() {
            if Task.isCancelled { throw LibraryError(.cancelled, "fetch: cancelled") }
            let objects = try await objects(at: page)
            let places = reversed ? Array(objects.indices.reversed()) : Array(objects.indices)
            for place in places {
                guard let object = objects[place] else { continue }
                guard try await body(object, page.lowerBound + place) else { return }
            }
            if objects.count < page.count { return }
        }
    }

    /// What this fetch would find now, and where that differs; `nil` where it does not.
    /// - Throws: `expired` when the library's history does not go back to this result: fetch again;
    ///   as ``count``.
    public func changes() async throws(LibraryError) -> FetchResultChanges<Element>? {
        try await found.changes()
    }

    /// Ranges of at most a page.
    private struct Pages {
        private var left: [Range<Int>]
        private let reversed: Bool

        init(_ indexes: RangeSet<Int>?, reversed: Bool) {
            left = indexes.map { Array($0.ranges) } ?? [0..<Int.max]
            self.reversed = reversed
        }

        mutating func clamp(to count: Int) {
            left = left.map { $0.clamped(to: 0..<count) }.filter { !$0.isEmpty }
        }

        mutating func next() -> Range<Int>? {
            guard let range = reversed ? left.popLast() : left.first else { return nil }
            if !reversed { left.removeFirst() }
            guard range.count > pageSize else { return range }
            if reversed {
                left.append(range.lowerBound..<range.upperBound - pageSize)
                return range.upperBound - pageSize..<range.upperBound
            }
            left.insert(range.lowerBound + pageSize..<range.upperBound, at: 0)
            return range.lowerBound..<range.lowerBound + pageSize
        }
    }
}

extension FetchResult: AsyncSequence {
    /// Each object in order, a page read at a time; what is gone for good since is left out.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let result: FetchResult
        private var next = 0
        private var page: ArraySlice<Element?> = []
        private var isAtEnd = false

        fileprivate init(_ result: FetchResult) { self.result = result }

        /// - Throws: as ``FetchResult/count``, and `cancelled` between two pages.
        public mutating func next() async throws(LibraryError) -> Element? {
            while true {
                while let object = page.popFirst() {
                    if let object { return object }
                }
                if isAtEnd { return nil }
                if Task.isCancelled { throw LibraryError(.cancelled, "fetch: cancelled") }
                page = try await result.objects(at: next..<next + pageSize)[...]
                next += pageSize
                isAtEnd = page.count < pageSize
            }
        }
    }

    /// Starts at the first object.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// Where a ``FetchResult`` has its objects from.
protocol FoundObjects<Element>: Sendable {
    associatedtype Element: Sendable

    var count: Int { get async throws(LibraryError) }
    var isEmpty: Bool { get }
    /// `nil` for what is gone; shorter than the range where that reaches beyond the end.
    func objects(at range: Range<Int>) async throws(LibraryError) -> [Element?]
    /// `nil` when the same would be found.
    func changes() async throws(LibraryError) -> FetchResultChanges<Element>?
}
