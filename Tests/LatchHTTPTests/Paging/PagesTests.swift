// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

/// A page as many servers write it.
struct NotesPage: Codable, PagedResponse {
    var notes: [Int]
    var total: Int?
    var hasMore: Bool?
    var next: String?

    var page: PageContent<Int> { PageContent(items: notes, nextCursor: next, hasMore: hasMore, total: total) }
}

/// A list of numbers behind a server, read in every style.
struct NumberList: Handler {
    let count: Int
    /// The server gives no more than this, whatever it is asked for.
    var mostPerPage = 100
    var tellsTotal = true
    var tellsMore = true
    let targets = Recording<String>()

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        targets.add(request.path)
        let query = Dictionary(request.queryItems.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        let limit = min(query["limit"].flatMap { Int($0) } ?? 3, mostPerPage)
        let number = query["page"].flatMap { Int($0) }
        let from = number.map { ($0 - 1) * limit } ?? (query["cursor"] ?? query["offset"]).flatMap { Int($0) } ?? 0
        let upTo = min(from + limit, count)
        let items = from < upTo ? Array(from..<upTo) : []
        let isArray = request.path.hasPrefix("/array")
        let page = NotesPage(
            notes: items, total: tellsTotal ? count : nil, hasMore: tellsMore ? upTo < count : nil,
            next: upTo < count ? String(upTo) : nil)
        let content = try isArray ? JSONEncoder().encode(items) : JSONEncoder().encode(page)
        var response = HTTPResponse(
            status: .ok, fields: [.contentType: "application/json"], body: HTTPBody([UInt8](content)))
        if request.path.hasPrefix("/array/linked"), upTo < count {
            response.fields["Link"] = #"</array/linked?cursor=\#(upTo)&limit=\#(limit)>; rel="next""#
        }
        return response
    }
}

@Suite(.tags(.pagination)) struct PagesTests {
    /// The list behind a real socket.
    private func over(_ list: NumberList, _ body: @Sendable (Client) async throws -> Void) async throws {
        try await serving(list) { address in
            try await body(Client(baseURL: try #require(URL(string: address.url)), transport: CurlTransport()))
        }
    }

    private func byOffset(_ client: Client, limit: Int = 3) -> Pages<Int, Int> {
        client.pages(limit: limit) { offset, limit in
            .get("notes", query: [("offset", "\(offset)"), ("limit", "\(limit)")], as: NotesPage.self)
        }
    }

    /// Reads a list by its items, and expects the first so many numbers.
    private func expect(_ count: Int, in pages: Pages<Int, some Hashable & Sendable>) async throws {
        var items: [Int] = []
        for try await item in pages.items { items.append(item) }
        expectEqual(items, Array(0..<count))
    }

    @Test(arguments: [0, 1, 3, 7, 9])
    func `A list in pages is read by offset up to the total`(count: Int) async throws {
        let list = NumberList(count: count, tellsMore: false)
        try await over(list) { client in try await expect(count, in: byOffset(client)) }
        expectEqual(list.targets.entries.count, max(1, (count + 2) / 3))
        expectEqual(list.targets.entries.first, "/notes?offset=0&limit=3")
    }

    @Test(arguments: [0, 1, 3, 7, 9])
    func `A list in pages is read by the number of the page`(count: Int) async throws {
        let list = NumberList(count: count, tellsMore: false)
        try await over(list) { client in
            let pages = client.pages(size: 3) { number, size in
                .get("notes", query: [("page", "\(number)"), ("limit", "\(size)")], as: NotesPage.self)
            }
            try await expect(count, in: pages)
        }
        expectEqual(list.targets.entries.count, max(1, (count + 2) / 3))
        expectEqual(list.targets.entries.first, "/notes?page=1&limit=3")
    }

    @Test(arguments: [0, 1, 3, 7, 9]) func `A list in pages is read by cursor`(count: Int) async throws {
        let list = NumberList(count: count, tellsTotal: false, tellsMore: false)
        try await over(list) { client in
            let pages = client.pages { cursor in
                .get("notes", query: cursor.map { [("cursor", $0)] } ?? [], as: NotesPage.self)
            }
            try await expect(count, in: pages)
        }
        expectEqual(list.targets.entries.prefix(2), count > 3 ? ["/notes", "/notes?cursor=3"] : ["/notes"])
    }

    @Test(arguments: [0, 1, 3, 7, 9])
    func `A list in pages is read by the links of the answers`(count: Int) async throws {
        let list = NumberList(count: count)
        try await over(list) { client in
            let first = try client.request(.get, "array/linked", query: [("limit", "3")], fields: ["X-Own": "1"])
            let pages = client.pages(linkedFrom: first) { response in
                try JSONDecoder().decode([Int].self, from: Data(response.body.bytes))
            }
            try await expect(count, in: pages)
        }
        expectEqual(list.targets.entries.count, max(1, (count + 2) / 3))
    }

    @Test func `A list in pages of plain arrays ends with an empty page`() async throws {
        let list = NumberList(count: 6)
        try await over(list) { client in
            let pages = client.pages(limit: 3) { offset, limit in
                .get("array", query: [("offset", "\(offset)"), ("limit", "\(limit)")], as: [Int].self)
            }
            try await expect(6, in: pages)
            let numbered = client.pages(size: 3) { number, size in
                .get("array", query: [("page", "\(number)"), ("limit", "\(size)")], as: [Int].self)
            }
            try await expect(6, in: numbered)
        }
        expectEqual(list.targets.entries.count, 6)
    }

    @Test func `A list in pages ends if the server says that there is no more`() async throws {
        let list = NumberList(count: 6, tellsTotal: false)
        try await over(list) { client in try await expect(6, in: byOffset(client)) }
        expectEqual(list.targets.entries.count, 2)
    }

    @Test func `A list in pages loses nothing if the server gives less than requested`() async throws {
        let list = NumberList(count: 10, mostPerPage: 4)
        try await over(list) { client in try await expect(10, in: byOffset(client, limit: 50)) }
        expectEqual(list.targets.entries.map { $0.dropFirst(14).prefix(1) }, ["0", "4", "8"])
    }

    @Test func `A list in pages states of each page its start, the next start, and the total`() async throws {
        try await over(NumberList(count: 7)) { client in
            var seen: [Page<Int, Int>] = []
            for try await page in byOffset(client) { seen.append(page) }
            expectEqual(seen.map(\.position), [0, 3, 6])
            expectEqual(seen.map(\.next), [3, 6, nil])
            expectEqual(seen.map(\.total), [7, 7, 7])
            expectEqual(seen.map(\.items), [[0, 1, 2], [3, 4, 5], [6]])
        }
    }

    @Test func `A list in pages is requested only as far as it is read, and again by each loop`() async throws {
        let list = NumberList(count: 9)
        try await over(list) { client in
            let pages = byOffset(client)
            for try await item in pages.items where item == 3 { break }
            expectEqual(list.targets.entries.count, 2)
            for try await page in pages {
                expectEqual(page.items, [0, 1, 2])
                break
            }
            expectEqual(list.targets.entries.count, 3)
        }
    }

    @Test(arguments: [(0, 0), (1, 3), (2, 6), (9, 7), (-1, 0)])
    func `A list in pages ends after a maximum number of pages, if configured`(limit: Int, count: Int) async throws {
        let list = NumberList(count: 7)
        try await over(list) { client in
            try await expect(count, in: byOffset(client).prefix(pages: limit))
            try await expect(count, in: byOffset(client).prefix(pages: limit).prefix(pages: 100))
        }
    }
}
