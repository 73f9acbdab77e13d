// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension Client {
    /// A list that is read by offset: how many items to leave out, and how many to give.
    ///
    /// The next offset is after what has come, which may be less than was asked for. The list ends with an empty page, at
    /// the total, or where the answer says that there is no more.
    ///
    /// - Parameters:
    ///   - first: The offset of the first page.
    ///   - limit: How many items a page is to have.
    ///   - route: The route for an offset and the limit.
    public func pages<Answer: PagedAnswer>(
        from first: Int = 0, limit: Int, _ route: @escaping @Sendable (_ offset: Int, _ limit: Int) -> Route<Answer>
    ) -> Pages<Answer.Item, Int> {
        byOffset(from: first) { try await perform(route($0, limit)).page }
    }

    /// A list that is read by offset, whose pages are arrays and nothing more: it ends with an empty one.
    ///
    /// - Parameters:
    ///   - first: The offset of the first page.
    ///   - limit: How many items a page is to have.
    ///   - route: The route for an offset and the limit.
    public func pages<Item: Sendable>(
        from first: Int = 0, limit: Int, _ route: @escaping @Sendable (_ offset: Int, _ limit: Int) -> Route<[Item]>
    ) -> Pages<Item, Int> {
        byOffset(from: first) { PageContent(items: try await perform(route($0, limit))) }
    }

    /// A list that is read by the number of the page.
    ///
    /// The list ends with an empty page, when as many items were given as there are in all, or where the answer says that
    /// there is no more.
    ///
    /// - Parameters:
    ///   - first: The number of the first page; some count from 0.
    ///   - size: How many items a page is to have.
    ///   - route: The route for a number and the size.
    public func pages<Answer: PagedAnswer>(
        numberedFrom first: Int = 1, size: Int,
        _ route: @escaping @Sendable (_ number: Int, _ size: Int) -> Route<Answer>
    ) -> Pages<Answer.Item, Int> {
        byNumber(from: first, size: size) { try await perform(route($0, size)).page }
    }

    /// A list that is read by the number of the page, whose pages are arrays and nothing more: it ends with an empty one.
    ///
    /// - Parameters:
    ///   - first: The number of the first page; some count from 0.
    ///   - size: How many items a page is to have.
    ///   - route: The route for a number and the size.
    public func pages<Item: Sendable>(
        numberedFrom first: Int = 1, size: Int,
        _ route: @escaping @Sendable (_ number: Int, _ size: Int) -> Route<[Item]>
    ) -> Pages<Item, Int> {
        byNumber(from: first, size: size) { PageContent(items: try await perform(route($0, size))) }
    }

    /// A list that is read by cursor: each page says where the next begins.
    ///
    /// The list ends where there is no next cursor, or an empty one, or where the answer says that there is no more. A
    /// cursor that comes a second time is `HTTPError.pageRepeated`.
    ///
    /// - Parameter route: The route for a cursor; nil for the first page.
    public func pages<Answer: PagedAnswer>(
        byCursor route: @escaping @Sendable (_ cursor: String?) -> Route<Answer>
    ) -> Pages<Answer.Item, String?> {
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
            // Pages before the last are full, so that this many items lie before the end of this one.
            let given = (number - first) * max(size, 1) + content.items.count
            return Page(
                items: content.items, position: number, next: content.isLast(given: given) ? nil : number + 1,
                total: content.total)
        }
    }
}

extension PageContent {
    /// Whether the list ends here, when so many items were given with this page.
    fileprivate func isLast(given: Int) -> Bool {
        items.isEmpty || hasMore == false || total.map { given >= $0 } ?? false
    }
}
