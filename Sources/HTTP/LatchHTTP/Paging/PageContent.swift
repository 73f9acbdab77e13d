// SPDX-License-Identifier: Apache-2.0

/// What an answer says about a page: the items, and whatever it says about how it goes on.
///
/// All that it says has to agree before another page is asked for: an end that any part of it announces is the end.
public struct PageContent<Item: Sendable>: Sendable {
    /// What is on the page.
    public var items: [Item]
    /// Where the next page begins, for lists that are read by cursor; nil, or empty, at the end.
    public var nextCursor: String?
    /// Whether there are more; nil where the server does not say.
    public var hasMore: Bool?
    /// How many items there are in all; nil where the server does not say.
    public var total: Int?

    /// Content from its parts.
    public init(items: [Item], nextCursor: String? = nil, hasMore: Bool? = nil, total: Int? = nil) {
        self.items = items
        self.nextCursor = nextCursor
        self.hasMore = hasMore
        self.total = total
    }
}
