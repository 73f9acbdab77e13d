// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The response of a route that returns one page of a list.
///
/// ```swift
/// struct Notes: Decodable, PagedResponse {
///     let notes: [Note], total: Int
///     var page: PageContent<Note> { PageContent(items: notes, total: total) }
/// }
/// ```
public protocol PagedResponse<Item>: Sendable {
    associatedtype Item: Sendable

    /// The items and the pagination data.
    var page: PageContent<Item> { get }
}

/// The items and the pagination data of a response.
///
/// The list ends as soon as any of these values indicates its end.
public struct PageContent<Item: Sendable>: Sendable {
    /// The items of the page.
    public var items: [Item]
    /// The cursor of the next page; nil or empty at the end.
    public var nextCursor: String?
    /// Whether there are more items; nil if the server does not state it.
    public var hasMore: Bool?
    /// The total number of items; nil if the server does not state it.
    public var total: Int?

    /// Creates the content of a page.
    public init(items: [Item], nextCursor: String? = nil, hasMore: Bool? = nil, total: Int? = nil) {
        self.items = items
        self.nextCursor = nextCursor
        self.hasMore = hasMore
        self.total = total
    }
}

extension Client {
    /// Returns a list that is paginated by offset and limit.
    ///
    /// The next offset follows the received items, which may be fewer than requested. The list ends with an empty page,
    /// at the total, or if the response says that there are no more items.
    ///
    /// - Parameters:
    ///   - first: The offset of the first page.
    ///   - limit: The number of items per page.
    ///   - route: Creates the route for an offset and a limit.
    public func pages<Response: PagedResponse>(
        from first: Int = 0, limit: Int, _ route: @escaping @Sendable (_ offset: Int, _ limit: Int) -> Route<Response>
    ) -> Pages<Response.Item, Int> {
        byOffset(from: first) { try await perform(route($0, limit)).page }
    }

    /// Returns a list that is paginated by offset and limit and whose pages are plain arrays; an empty page ends it.
    ///
    /// - Parameters:
    ///   - first: The offset of the first page.
    ///   - limit: The number of items per page.
    ///   - route: Creates the route for an offset and a limit.
    public func pages<Item: Sendable>(
        from first: Int = 0, limit: Int, _ route: @escaping @Sendable (_ offset: Int, _ limit: Int) -> Route<[Item]>
    ) -> Pages<Item, Int> {
        byOffset(from: first) { PageContent(items: try await perform(route($0, limit))) }
    }

    /// Returns a list that is paginated by page number.
    ///
    /// The list ends with an empty page, at the total, or if the response says that there are no more items.
    ///
    /// - Parameters:
    ///   - first: The number of the first page, often 0 or 1.
    ///   - size: The number of items per page.
    ///   - route: Creates the route for a page number and a size.
    public func pages<Response: PagedResponse>(
        numberedFrom first: Int = 1, size: Int,
        _ route: @escaping @Sendable (_ number: Int, _ size: Int) -> Route<Response>
    ) -> Pages<Response.Item, Int> {
        byNumber(from: first, size: size) { try await perform(route($0, size)).page }
    }

    /// Returns a list that is paginated by page number and whose pages are plain arrays; an empty page ends it.
    ///
    /// - Parameters:
    ///   - first: The number of the first page, often 0 or 1.
    ///   - size: The number of items per page.
    ///   - route: Creates the route for a page number and a size.
    public func pages<Item: Sendable>(
        numberedFrom first: Int = 1, size: Int,
        _ route: @escaping @Sendable (_ number: Int, _ size: Int) -> Route<[Item]>
    ) -> Pages<Item, Int> {
        byNumber(from: first, size: size) { PageContent(items: try await perform(route($0, size))) }
    }

    /// Returns a list that is paginated by cursor.
    ///
    /// The list ends without a next cursor, with an empty one, or if the response says that there are no more items. A
    /// cursor that occurs twice causes `HTTPError.pageRepeated`.
    ///
    /// - Parameter route: Creates the route for a cursor; nil for the first page.
    public func pages<Response: PagedResponse>(
        byCursor route: @escaping @Sendable (_ cursor: String?) -> Route<Response>
    ) -> Pages<Response.Item, String?> {
        Pages(from: nil) { cursor in
            let content = try await perform(route(cursor)).page
            var next: String??
            if let text = content.nextCursor, !text.isEmpty, content.hasMore != false { next = .some(text) }
            return Page(items: content.items, position: cursor, next: next, total: content.total)
        }
    }

    private func byOffset<Item: Sendable>(
        from first: Int, _ load: @escaping @Sendable (Int) async throws -> PageContent<Item>
    ) -> Pages<Item, Int> {
        Pages(from: first) { offset in
            let content = try await load(offset)
            let next = offset + content.items.count
            return Page(
                items: content.items, position: offset, next: content.isLast(given: next) ? nil : next,
                total: content.total)
        }
    }

    private func byNumber<Item: Sendable>(
        from first: Int, size: Int, _ load: @escaping @Sendable (Int) async throws -> PageContent<Item>
    ) -> Pages<Item, Int> {
        Pages(from: first) { number in
            let content = try await load(number)
            // All pages but the last one are full.
            let given = (number - first) * max(size, 1) + content.items.count
            return Page(
                items: content.items, position: number, next: content.isLast(given: given) ? nil : number + 1,
                total: content.total)
        }
    }
}

extension PageContent {
    /// Whether the list ends here, given the number of items up to the end of this page.
    fileprivate func isLast(given: Int) -> Bool {
        items.isEmpty || hasMore == false || total.map { given >= $0 } ?? false
    }
}

extension Client {
    /// Returns a paginated list that is linked by `Link: <…>; rel="next"` (RFC 8288).
    ///
    /// ```swift
    /// let issues = client.pages(linkedFrom: try client.request(.get, "issues")) { response in
    ///     try JSONDecoder().decode([Issue].self, from: Data(response.body.bytes))
    /// }
    /// ```
    ///
    /// Each page is requested with the fields of the first request, and through the interceptors. A link to another
    /// origin is not followed, since the credential would be sent there.
    ///
    /// - Parameters:
    ///   - request: The request for the first page, from `Client.request(_:_:query:fields:body:)`.
    ///   - items: Decodes the items of a response, with any status.
    public func pages<Item: Sendable>(
        linkedFrom request: HTTPRequest, reading items: @escaping @Sendable (HTTPResponse) throws -> [Item]
    ) -> Pages<Item, String> {
        Pages(from: request.path) { path in
            var request = request
            request.path = path
            let response = try await respond(to: request)
            let items = try items(response)
            let next = try response.links()["next"].map { try Self.path(of: $0, after: request) }
            return Page(items: items, position: path, next: next)
        }
    }

    /// Returns the target of a link at the same origin.
    private static func path(of link: LinkField.Link, after request: HTTPRequest) throws -> String {
        guard let url = link.url(relativeTo: request) else {
            throw HTTPError.malformedMessage("The link to the next page is invalid.")
        }
        let target = try HTTPOrigin.split(url.absoluteString)
        guard target.origin == request.origin else { throw HTTPError.pageElsewhere }
        return target.path
    }
}
