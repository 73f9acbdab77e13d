// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A reader of a list that a server returns page by page.
///
/// Each page is requested once; a call while a page is loading returns the page after it.
public actor Paginator<Item: Decodable & Sendable, PageResponse: Decodable & Sendable, Domain: ServiceDomain> {
    /// The query parameters with which the server selects a page.
    public enum Style: Sendable, Hashable {
        /// `?offset=20&limit=20`
        case offset(pageSize: Int)
        /// `?page=2&limit=20`, counted from 1.
        case pageNumber(pageSize: Int)
        /// `?cursor=abc&limit=20`
        case cursor(cursorKey: String, limitKey: String?, pageSize: Int?)
    }

    /// The closures that extract the parts of a page.
    public struct ResponseParser: Sendable {
        let extractItems: @Sendable (PageResponse) -> [Item]
        let hasMore: @Sendable (PageResponse) -> Bool
        let nextCursor: (@Sendable (PageResponse) -> String?)?
        let totalCount: (@Sendable (PageResponse) -> Int?)?

        /// Creates a parser.
        ///
        /// - Parameters:
        ///   - extractItems: Returns the items of the page.
        ///   - hasMore: Returns whether there is another page.
        ///   - nextCursor: Returns the cursor of the next page, for lists with cursors.
        ///   - totalCount: Returns the total number of items.
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

    private nonisolated let reader: PageReader<Item, PagePosition>

    /// Creates a paginator at the beginning of a list.
    public init(
        provider: NetworkProvider, endpoint: String, domain: Domain, style: Style = .pageNumber(pageSize: 20),
        parser: ResponseParser, additionalQuery: [String: String] = [:]
    ) {
        let pages = Pages<Item, PagePosition>(from: style.first) { position in
            let query = additionalQuery.merging(style.query(at: position)) { $1 }
            let route = SimpleGetRoute<PageResponse, Domain>(
                endpoint: endpoint, domain: domain, queryParameters: query.isEmpty ? nil : query)
            let answer = try await provider.perform(route)
            let items = parser.extractItems(answer)
            let next =
                parser.hasMore(answer) ? style.next(after: position, items.count, parser.nextCursor?(answer)) : nil
            return Page(items: items, position: position, next: next, total: parser.totalCount?(answer))
        }
        reader = pages.reader()
    }

    /// Whether there may be more pages.
    public var hasMore: Bool { reader.hasMore }

    /// The total number of items according to the last page; nil if the page does not state it.
    public var totalCount: Int? { reader.total }

    /// The items of all pages since the last `reset`, in order.
    public var allItems: [Item] { reader.items }

    /// Loads the items of the next page; empty at the end.
    ///
    /// - Throws: `NetworkError`; the next call requests the same page again.
    public nonisolated func loadNext() async throws -> [Item] {
        do {
            return try await reader.next()?.items ?? []
        } catch {
            throw NetworkError(error)
        }
    }

    /// Loads the remaining pages, and returns all items since the last `reset`.
    ///
    /// - Throws: `NetworkError`; `allItems` contains the items so far.
    public nonisolated func loadAll() async throws -> [Item] {
        do {
            return try await reader.loadAll()
        } catch {
            throw NetworkError(error)
        }
    }

    /// Starts again at the first page.
    public func reset() { reader.reset() }
}

enum PagePosition: Hashable, Sendable {
    case number(Int)
    case cursor(String?)
}

extension Paginator.Style {
    var first: PagePosition {
        switch self {
        case .offset: .number(0)
        case .pageNumber: .number(1)
        case .cursor: .cursor(nil)
        }
    }

    func query(at position: PagePosition) -> [String: String] {
        switch (self, position) {
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

    /// Returns the position after a page with `count` items; nil at the end of the list.
    func next(after position: PagePosition, _ count: Int, _ cursor: String?) -> PagePosition? {
        switch (self, position) {
        case (.offset, .number(let offset)): count > 0 ? .number(offset + count) : nil
        case (.pageNumber, .number(let number)): .number(number + 1)
        default: cursor.flatMap { $0.isEmpty ? nil : .cursor($0) }
        }
    }
}

/// A page with a flag for further pages.
public struct StandardPageResponse<Item: Decodable & Sendable>: Decodable, Sendable {
    /// The items of the page.
    public let items: [Item]
    /// Whether there is another page.
    public let hasMore: Bool
    /// The total number of items, if the server includes it.
    public let total: Int?

    enum CodingKeys: String, CodingKey {
        case items
        case hasMore = "has_more"
        case total
    }
}

/// A page with the cursor of the next page.
public struct CursorPageResponse<Item: Decodable & Sendable>: Decodable, Sendable {
    /// The items of the page.
    public let items: [Item]
    /// The cursor of the next page.
    public let nextCursor: String?
    /// Whether there is another page.
    public let hasMore: Bool
    /// The total number of items, if the server includes it.
    public let total: Int?

    enum CodingKeys: String, CodingKey {
        case items
        case nextCursor = "next_cursor"
        case hasMore = "has_more"
        case total
    }
}

extension Paginator where PageResponse == [Item] {
    /// Creates a paginator for pages that are arrays; the list ends with a page that is not full.
    public static func simple(
        provider: NetworkProvider, endpoint: String, domain: Domain, style: Style? = nil, pageSize: Int = 20,
        additionalQuery: [String: String] = [:]
    ) -> Paginator {
        let style = style ?? .pageNumber(pageSize: pageSize)
        let size = style.pageSize ?? pageSize
        return Paginator(
            provider: provider, endpoint: endpoint, domain: domain, style: style,
            parser: ResponseParser(extractItems: { $0 }, hasMore: { $0.count >= size }),
            additionalQuery: additionalQuery)
    }
}

extension Paginator where PageResponse == StandardPageResponse<Item> {
    /// Creates a paginator for pages with a flag for further pages.
    public static func standard(
        provider: NetworkProvider, endpoint: String, domain: Domain, style: Style = .pageNumber(pageSize: 20),
        additionalQuery: [String: String] = [:]
    ) -> Paginator {
        Paginator(
            provider: provider, endpoint: endpoint, domain: domain, style: style,
            parser: ResponseParser(
                extractItems: { $0.items }, hasMore: { $0.hasMore }, totalCount: { $0.total }),
            additionalQuery: additionalQuery)
    }
}

extension Paginator where PageResponse == CursorPageResponse<Item> {
    /// Creates a paginator that sends the cursor of each page for the next.
    public static func cursor(
        provider: NetworkProvider, endpoint: String, domain: Domain, cursorKey: String = "cursor",
        limitKey: String? = "limit", pageSize: Int? = 20, additionalQuery: [String: String] = [:]
    ) -> Paginator {
        Paginator(
            provider: provider, endpoint: endpoint, domain: domain,
            style: .cursor(cursorKey: cursorKey, limitKey: limitKey, pageSize: pageSize),
            parser: ResponseParser(
                extractItems: { $0.items }, hasMore: { $0.hasMore }, nextCursor: { $0.nextCursor },
                totalCount: { $0.total }),
            additionalQuery: additionalQuery)
    }
}

extension Paginator.Style {
    /// The requested number of items per page.
    var pageSize: Int? {
        switch self {
        case .offset(let size), .pageNumber(let size): size
        case .cursor(_, _, let size): size
        }
    }
}
