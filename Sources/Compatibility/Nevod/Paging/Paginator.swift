// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Reads a list that a server gives in parts, page by page.
///
/// Each page is asked for once, however many call at the same time: who calls while a page is on its way gets the one
/// after it.
public actor Paginator<Item: Decodable & Sendable, PageResponse: Decodable & Sendable, Domain: ServiceDomain> {
    /// How the server wants to be asked.
    public enum Style: Sendable, Hashable {
        /// `?offset=20&limit=20`
        case offset(pageSize: Int)
        /// `?page=2&limit=20`, counted from 1.
        case pageNumber(pageSize: Int)
        /// `?cursor=abc&limit=20`
        case cursor(cursorKey: String, limitKey: String?, pageSize: Int?)
    }

    /// Reads a page's content.
    public struct ResponseParser: Sendable {
        let extractItems: @Sendable (PageResponse) -> [Item]
        let hasMore: @Sendable (PageResponse) -> Bool
        let nextCursor: (@Sendable (PageResponse) -> String?)?
        let totalCount: (@Sendable (PageResponse) -> Int?)?

        /// A parser.
        ///
        /// - Parameters:
        ///   - extractItems: What is on the page.
        ///   - hasMore: Whether there is another one.
        ///   - nextCursor: Where that begins, for lists that are read by cursor.
        ///   - totalCount: How many items there are in all.
        public init(
            extractItems: @escaping @Sendable (PageResponse) -> [Item],
            hasMore: @escaping @Sendable (PageResponse) -> Bool,
            nextCursor: (@Sendable (PageResponse) -> String?)? = nil,
            totalCount: (@Sendable (PageResponse) -> Int?)? = nil
        ) {
            self.extractItems = extractItems
            self.hasMore = hasMore
            self.nextCursor = nextCursor
            self.totalCount = totalCount
        }
    }

    private nonisolated let reader: PageReader<Item, PagePlace>

    /// A place at the beginning of a list.
    public init(
        provider: NetworkProvider, endpoint: String, domain: Domain, style: Style = .pageNumber(pageSize: 20),
        parser: ResponseParser, additionalQuery: [String: String] = [:]
    ) {
        let pages = Pages<Item, PagePlace>(from: style.first) { place in
            let query = additionalQuery.merging(style.query(at: place)) { $1 }
            let route = SimpleGetRoute<PageResponse, Domain>(
                endpoint: endpoint, domain: domain, queryParameters: query.isEmpty ? nil : query)
            let answer = try await provider.perform(route)
            let items = parser.extractItems(answer)
            let next = parser.hasMore(answer) ? style.next(after: place, items.count, parser.nextCursor?(answer)) : nil
            return Page(items: items, position: place, next: next, total: parser.totalCount?(answer))
        }
        reader = pages.reader()
    }

    /// Whether there may be more pages.
    public var hasMore: Bool { reader.hasMore }

    /// How many items there are in all, as the last page said; nil where it did not.
    public var totalCount: Int? { reader.total }

    /// The items of all pages that were read since the last `reset`, in their order.
    public var allItems: [Item] { reader.items }

    /// The items of the next page; empty at the end.
    ///
    /// - Throws: `NetworkError`; the next call asks for the same page again.
    public nonisolated func loadNext() async throws -> [Item] {
        do {
            return try await reader.next()?.items ?? []
        } catch {
            throw NetworkError(error)
        }
    }

    /// Reads all that is left, and gives all items that were read since the last `reset`.
    ///
    /// - Throws: `NetworkError`; what was read before it is in `allItems`.
    public nonisolated func loadAll() async throws -> [Item] {
        do {
            return try await reader.loadAll()
        } catch {
            throw NetworkError(error)
        }
    }

    /// Begins anew at the first page.
    public func reset() { reader.reset() }
}

/// Where a page begins.
enum PagePlace: Hashable, Sendable {
    case number(Int)
    case cursor(String?)
}

extension Paginator.Style {
    /// Where the list begins.
    var first: PagePlace {
        switch self {
        case .offset: .number(0)
        case .pageNumber: .number(1)
        case .cursor: .cursor(nil)
        }
    }

    /// The query for a page.
    func query(at place: PagePlace) -> [String: String] {
        switch (self, place) {
        case (.offset(let size), .number(let offset)): return ["offset": "\(offset)", "limit": "\(size)"]
        case (.pageNumber(let size), .number(let number)): return ["page": "\(number)", "limit": "\(size)"]
        case (.cursor(let key, let limitKey, let size), .cursor(let cursor)):
            var query: [String: String] = [:]
            if let cursor { query[key] = cursor }
            if let limitKey, let size { query[limitKey] = "\(size)" }
            return query
        default: return [:]
        }
    }

    /// Where the page after one with so many items begins; nil where the server names no cursor.
    func next(after place: PagePlace, _ count: Int, _ cursor: String?) -> PagePlace? {
        switch (self, place) {
        case (.offset, .number(let offset)): count > 0 ? .number(offset + count) : nil
        case (.pageNumber, .number(let number)): .number(number + 1)
        default: cursor.flatMap { $0.isEmpty ? nil : .cursor($0) }
        }
    }
}
