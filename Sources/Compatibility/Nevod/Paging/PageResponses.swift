// SPDX-License-Identifier: Apache-2.0

/// A page that says whether there are more.
public struct StandardPageResponse<Item: Decodable & Sendable>: Decodable, Sendable {
    /// What is on the page.
    public let items: [Item]
    /// Whether there is another page.
    public let hasMore: Bool
    /// How many items there are in all, where the server says.
    public let total: Int?

    enum CodingKeys: String, CodingKey {
        case items
        case hasMore = "has_more"
        case total
    }
}

/// A page that says where the next one begins.
public struct CursorPageResponse<Item: Decodable & Sendable>: Decodable, Sendable {
    /// What is on the page.
    public let items: [Item]
    /// Where the next page begins.
    public let nextCursor: String?
    /// Whether there is another page.
    public let hasMore: Bool
    /// How many items there are in all, where the server says.
    public let total: Int?

    enum CodingKeys: String, CodingKey {
        case items
        case nextCursor = "next_cursor"
        case hasMore = "has_more"
        case total
    }
}

extension Paginator where PageResponse == [Item] {
    /// A list whose pages are arrays and nothing more: it ends with a page that is not full.
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
    /// A list whose pages say whether there are more.
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
    /// A list whose pages say where the next one begins.
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
    /// How many items a page is to have.
    var pageSize: Int? {
        switch self {
        case .offset(let size), .pageNumber(let size): size
        case .cursor(_, _, let size): size
        }
    }
}
