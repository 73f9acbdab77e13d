// SPDX-License-Identifier: Apache-2.0

/// The pages of a list that a server gives in parts.
///
/// ```swift
/// let pages = client.pages(limit: 50) { offset, limit in
///     .get("notes", query: [("offset", "\(offset)"), ("limit", "\(limit)")], as: [Note].self)
/// }
/// for try await page in pages { show(page.items) }
/// for try await note in pages.items { show(note) }        // begins anew
/// ```
///
/// It is a recipe, not a place in the list: each loop reads from the beginning, and asks for a page only when it gets
/// there. `reader()` is one place for many callers.
public struct Pages<Item: Sendable, Position: Hashable & Sendable>: AsyncSequence, Sendable {
    /// One page.
    public typealias Element = Page<Item, Position>

    /// Where the first page begins.
    let first: Position
    /// How many pages are read at most.
    var limit: Int?
    /// Asks for the page at a position.
    let load: @Sendable (Position) async throws -> Page<Item, Position>

    /// Pages from a closure that asks for one.
    public init(from first: Position, load: @escaping @Sendable (Position) async throws -> Page<Item, Position>) {
        self.first = first
        self.load = load
    }

    /// The same list, ended after so many pages.
    public func prefix(pages count: Int) -> Pages {
        var copy = self
        copy.limit = Swift.min(limit ?? .max, Swift.max(count, 0))
        return copy
    }

    /// A place in the list that many callers may share, at its beginning.
    ///
    /// It keeps the items of the pages that it reads.
    public func reader() -> PageReader<Item, Position> { PageReader(self, keepingItems: true) }

    /// The items of all pages, one after the other.
    public var items: PageItems<Item, Position> { PageItems(pages: self) }

    /// Begins to read at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: PageReader(self, keepingItems: false)) }

    /// Reads the list once.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: PageReader<Item, Position>

        /// The next page; nil at the end.
        public func next() async throws -> Page<Item, Position>? { try await reader.next() }
    }
}
