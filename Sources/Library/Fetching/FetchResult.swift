// SPDX-License-Identifier: GPL-3.0-or-later

/// The result of a fetch at one moment (PHFetchResult's counterpart). It keeps its objects and
/// their order, whatever is changed later. Objects are read on demand, in their current state.
///
/// It holds no transaction, but keeps its library in memory; after ``AssetLibrary/close()`` it
/// throws `closed`. Releasing it ends its background reads. Safe on any thread.
public struct FetchResult<Element: Sendable>: Sendable {
    /// The number of objects that an enumeration reads at a time.
    static var pageSize: Int { 64 }

    private let found: any FoundObjects<Element>

    init(_ found: any FoundObjects<Element>) { self.found = found }

    /// The number of objects. The getter waits until all are known: part of a second for a million.
    /// The first ones can be read before that. Throws `cancelled`, `closed`, `io`.
    public var count: Int {
        get async throws(LibraryError) { try await found.count }
    }

    /// Whether nothing was found. Does not wait.
    public var isEmpty: Bool { found.isEmpty }

    /// Returns the objects in a range; `nil` in place of those permanently removed.
    /// - Parameter range: Indexes from 0 to ``count``. Those beyond are left out.
    /// - Throws: See ``count``.
    public func objects(at range: Range<Int>) async throws(LibraryError) -> [Element?] {
        try await found.objects(at: range)
    }

    /// Returns the object at an index; `nil` if it is permanently removed or there is none.
    /// - Throws: See ``count``.
    public func object(at index: Int) async throws(LibraryError) -> Element? {
        guard (0..<Int.max).contains(index) else { return nil }
        return try await objects(at: index..<index + 1).first ?? nil
    }

    /// Returns the first object that still exists; `nil` if there is none.
    /// - Throws: See ``count``.
    public func firstObject() async throws(LibraryError) -> Element? {
        var first: Element?
        try await enumerate { object, _ in
            first = object
            return false
        }
        return first
    }

    /// Returns the last object that still exists; `nil` if there is none.
    /// - Throws: See ``count``.
    public func lastObject() async throws(LibraryError) -> Element? {
        var last: Element?
        try await enumerate(reversed: true) { object, _ in
            last = object
            return false
        }
        return last
    }

    /// Calls `body` with each object and its index, a page at a time, until it returns `false`.
    /// `nil` for `indexes` means all; `reversed` begins with the last object. Permanently removed
    /// objects and indexes beyond ``count`` are left out.
    /// - Throws: See ``count``; `cancelled` between two pages.
    public func enumerate(
        at indexes: RangeSet<Int>? = nil, reversed: Bool = false,
        _ body: (Element, Int) async throws(LibraryError) -> Bool
    ) async throws(LibraryError) {
        var pages = Pages(indexes, reversed: reversed)
        // A forward enumeration finds the end itself, and begins before all is known.
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

    /// Returns what this fetch would find now and how that differs; `nil` if it does not.
    /// - Throws: See ``count``; `expired` if the history does not go back that far: fetch again.
    public func changes() async throws(LibraryError) -> FetchResultChanges<Element>? {
        try await found.changes()
    }

    /// An iterator over ranges of at most a page.
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
    /// An iterator that reads a page at a time. Permanently removed objects are left out.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let result: FetchResult
        private var next = 0
        private var page: ArraySlice<Element?> = []
        private var isAtEnd = false

        fileprivate init(_ result: FetchResult) { self.result = result }

        /// Returns the next object; `nil` at the end.
        /// - Throws: See ``FetchResult/count``; `cancelled` between two pages.
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

    /// Returns an iterator that starts at the first object.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }
}

/// The source of a ``FetchResult``'s objects.
protocol FoundObjects<Element>: Sendable {
    associatedtype Element: Sendable

    var count: Int { get async throws(LibraryError) }
    var isEmpty: Bool { get }
    /// Returns the objects in a range, as far as it goes; `nil` for those that are gone.
    func objects(at range: Range<Int>) async throws(LibraryError) -> [Element?]
    /// Returns the changes since; `nil` if there are none.
    func changes() async throws(LibraryError) -> FetchResultChanges<Element>?
}
