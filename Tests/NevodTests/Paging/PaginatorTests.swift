// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Nevod
import Synchronization
import TestSupport
import TestTags
import Testing

/// A server of a paginated list of numbers, in every style.
private final class ListServer: Handler {
    let count: Int
    let asked = Mutex<[String]>([])
    let failures = Mutex(0)

    init(count: Int) { self.count = count }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        asked.withLock { $0.append(request.query.map(String.init) ?? "") }
        let fails = failures.withLock { left in
            left -= 1
            return left >= 0
        }
        guard !fails else { return HTTPResponse(status: .notFound) }
        let query = request.queryItems
        let limit = query["limit"].flatMap(Int.init) ?? count
        let first: Int
        if let offset = query["offset"].flatMap(Int.init) {
            first = offset
        } else if let page = query["page"].flatMap(Int.init) {
            first = (page - 1) * limit
        } else {
            first = query["after"].flatMap { Int($0.dropFirst()) } ?? 0
        }
        let end = min(first + limit, count)
        let items = first < end ? Array(first..<end) : []
        if request.pathWithoutQuery == "/plain" { return .json("\(items)") }
        let cursor = end < count ? "\"c\(end)\"" : "null"
        return .json(#"{"items":\#(items),"has_more":\#(end < count),"total":\#(count),"next_cursor":\#(cursor)}"#)
    }
}

private typealias Standard = Paginator<Int, StandardPageResponse<Int>, DefaultDomain>
private typealias Cursor = Paginator<Int, CursorPageResponse<Int>, DefaultDomain>
private typealias Simple = Paginator<Int, [Int], DefaultDomain>

@Suite struct PaginatorTests {
    private func serve(
        _ count: Int, _ body: (ListServer, NetworkProvider) async throws -> Void
    ) async throws {
        let list = ListServer(count: count)
        try await serving(list) { address in
            try await body(list, provider(try #require(URL(string: "http://127.0.0.1:\(address.port)"))))
        }
    }

    @Test(.tags(.pagination)) func `A paginator sends the query of each style`() async throws {
        try await serve(5) { list, provider in
            let offset = Standard.standard(
                provider: provider, endpoint: "list", domain: .default, style: .offset(pageSize: 2),
                additionalQuery: ["q": "a"])
            let read1 = try await offset.loadAll()
            expectEqual(read1, [0, 1, 2, 3, 4])
            let numbered = Standard.standard(
                provider: provider, endpoint: "list", domain: .default, style: .pageNumber(pageSize: 2))
            let read2 = try await numbered.loadAll()
            expectEqual(read2, [0, 1, 2, 3, 4])
            let cursor = Cursor.cursor(
                provider: provider, endpoint: "list", domain: .default, cursorKey: "after", pageSize: 2)
            let read3 = try await cursor.loadAll()
            expectEqual(read3, [0, 1, 2, 3, 4])
            expectEqual(
                list.asked.withLock { $0 },
                [
                    "limit=2&offset=0&q=a", "limit=2&offset=2&q=a", "limit=2&offset=4&q=a",
                    "limit=2&page=1", "limit=2&page=2", "limit=2&page=3",
                    "limit=2", "after=c2&limit=2", "after=c4&limit=2",
                ])
        }
    }

    @Test(.tags(.pagination)) func `A paginator ends an array of items at a page that is not full`() async throws {
        try await serve(5) { list, provider in
            let simple = Simple.simple(provider: provider, endpoint: "plain", domain: .default, pageSize: 2)
            let read4 = try await simple.loadAll()
            expectEqual(read4, [0, 1, 2, 3, 4])
            expectEqual(list.asked.withLock { $0.count }, 3)
            await expectEqual(simple.hasMore, false)
            let read5 = try await simple.loadNext()
            expectEqual(read5, [])
            expectEqual(list.asked.withLock { $0.count }, 3)
        }
    }

    @Test(.tags(.pagination)) func `A paginator reports its position, and can be reset`() async throws {
        try await serve(5) { _, provider in
            let pages = Standard.standard(
                provider: provider, endpoint: "list", domain: .default, style: .pageNumber(pageSize: 2))
            #expect(await pages.hasMore)
            await expectNil(pages.totalCount)
            let read6 = try await pages.loadNext()
            expectEqual(read6, [0, 1])
            let read7 = try await pages.loadNext()
            expectEqual(read7, [2, 3])
            await expectEqual(pages.allItems, [0, 1, 2, 3])
            await expectEqual(pages.totalCount, 5)
            await pages.reset()
            await expectEqual(pages.allItems, [])
            let read8 = try await pages.loadNext()
            expectEqual(read8, [0, 1])
        }
    }

    @Test(.tags(.pagination)) func `A paginator requests each page once, however many calls`() async throws {
        try await serve(40) { list, provider in
            let pages = Standard.standard(
                provider: provider, endpoint: "list", domain: .default, style: .offset(pageSize: 4))
            let loaded = await atOnce(10) { _ in (try? await pages.loadNext()) ?? [] }
            expectEqual(loaded.flatMap { $0 }.sorted(), Array(0..<40))
            await expectEqual(pages.allItems, Array(0..<40))
            let asked = list.asked.withLock { $0 }
            expectEqual(asked.count, Set(asked).count)
        }
    }

    @Test(.tags(.pagination)) func `A paginator requests the same page again after a failure`() async throws {
        try await serve(4) { list, provider in
            let pages = Cursor.cursor(
                provider: provider, endpoint: "list", domain: .default, cursorKey: "after", pageSize: 2)
            let read9 = try await pages.loadNext()
            expectEqual(read9, [0, 1])
            list.failures.withLock { $0 = 1 }
            await expectEqual(failure { try await pages.loadNext() }?.statusCode, 404)
            let read10 = try await pages.loadNext()
            expectEqual(read10, [2, 3])
            await expectEqual(pages.hasMore, false)
        }
    }

    @Test(.tags(.pagination)) func `A paginator does not follow a circular list forever`() async throws {
        let handler = ClosureHandler { _ in .json(#"{"items":[1],"has_more":true,"next_cursor":"same"}"#) }
        try await serving(handler) { address in
            let provider = provider(try #require(URL(string: "http://127.0.0.1:\(address.port)")))
            let pages = Cursor.cursor(provider: provider, endpoint: "list", domain: .default)
            #expect(await failure { try await pages.loadAll() } != nil)
            await expectEqual(pages.allItems, [1, 1])
        }
    }
}
