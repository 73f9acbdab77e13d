// SPDX-License-Identifier: Apache-2.0

/// A paginated list.
///
/// ```swift
/// let pages = client.pages(limit: 50) { offset, limit in
///     .get("notes", query: [("offset", "\(offset)"), ("limit", "\(limit)")], as: [Note].self)
/// }
/// for try await page in pages { show(page.items) }
/// for try await note in pages.items { show(note) }        // begins anew
/// ```
///
/// It describes the list and has no position in it. Each loop starts at the beginning and requests a page only when it
/// gets there. `reader()` returns a position that callers can share.
public struct Pages<Item: Sendable, Position: Hashable & Sendable>: AsyncSequence, Sendable {
    /// The position where each reading begins.
    let first: Position
    /// The maximum number of pages.
    var limit: Int?
    /// Requests the page at a position.
    let load: @Sendable (Position) async throws -> Page<Item, Position>

    /// Creates a list from a function that requests a page.
    public init(from first: Position, load: @escaping @Sendable (Position) async throws -> Page<Item, Position>) {
        self.first = first
        self.load = load
    }

    /// Returns the list limited to a number of pages.
    public func prefix(pages count: Int) -> Pages {
        var copy = self
        copy.limit = Swift.min(limit ?? .max, Swift.max(count, 0))
        return copy
    }

    /// Returns a reader at the beginning of the list that callers can share.
    ///
    /// It keeps the items of the pages that it reads.
    public func reader() -> PageReader<Item, Position> { PageReader(self, keepingItems: true) }

    /// The items of all pages.
    public var items: some AsyncSequence<Item, any Error> & Sendable { PageItems(pages: self) }

    /// Creates an iterator that starts at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: PageReader(self, keepingItems: false)) }

    /// An iterator that reads the list once.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: PageReader<Item, Position>

        /// Returns the next page, or nil at the end.
        public func next() async throws -> Page<Item, Position>? { try await reader.next() }
    }
}

/// One page of a paginated list.
public struct Page<Item: Sendable, Position: Hashable & Sendable>: Sendable {
    /// The items in the server's order.
    public let items: [Item]
    /// The position of the page.
    package let position: Position
    /// The position of the next page; nil if this is the last one.
    public let next: Position?
    /// The total number of items; nil if the server does not state it.
    public let total: Int?

    /// Creates a page.
    public init(items: [Item], position: Position, next: Position?, total: Int? = nil) {
        self.items = items
        self.position = position
        self.next = next
        self.total = total
    }
}

/// The items of a paginated list; each page is requested when the previous one is used up.
private struct PageItems<Item: Sendable, Position: Hashable & Sendable>: AsyncSequence, Sendable {
    let pages: Pages<Item, Position>

    /// Creates an iterator that starts at the first page.
    func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// An iterator that reads the list once.
    struct Iterator: AsyncIteratorProtocol {
        let pages: Pages<Item, Position>.Iterator
        private var rest: ArraySlice<Item> = []

        init(pages: Pages<Item, Position>.Iterator) { self.pages = pages }

        /// Returns the next item, or nil at the end.
        mutating func next() async throws -> Item? {
            if let item = rest.popFirst() { return item }
            guard let page = try await pages.next() else { return nil }
            rest = page.items[...]
            return rest.popFirst()
        }
    }
}
