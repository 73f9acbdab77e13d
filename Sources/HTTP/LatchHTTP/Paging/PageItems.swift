// SPDX-License-Identifier: Apache-2.0

/// The items of a list, without its pages; each page is asked for when the one before is used up.
public struct PageItems<Item: Sendable, Position: Hashable & Sendable>: AsyncSequence, Sendable {
    /// One item.
    public typealias Element = Item

    let pages: Pages<Item, Position>

    /// Begins to read at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(pages: pages.makeAsyncIterator()) }

    /// Reads the list once.
    public struct Iterator: AsyncIteratorProtocol {
        let pages: Pages<Item, Position>.Iterator
        private var rest: ArraySlice<Item> = []

        init(pages: Pages<Item, Position>.Iterator) { self.pages = pages }

        /// The next item; nil at the end.
        public mutating func next() async throws -> Item? {
            if let item = rest.popFirst() { return item }
            guard let page = try await pages.next() else { return nil }
            rest = page.items[...]
            return rest.popFirst()
        }
    }
}
