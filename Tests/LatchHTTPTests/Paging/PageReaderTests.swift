// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@Suite(.tags(.pagination)) struct PageReaderTests {
    let asked = Recording<Int>()

    /// Ten pages of two, asked for by number; `before` runs first and may wait or throw.
    private func reader(
        pages count: Int = 10, _ before: @escaping @Sendable (Int) async throws -> Void = { _ in }
    ) -> PageReader<Int, Int> {
        Pages(from: 0) { [asked] number in
            asked.add(number)
            try await before(number)
            return Page(
                items: [2 * number, 2 * number + 1], position: number, next: number + 1 < count ? number + 1 : nil,
                total: 2 * count)
        }
        .reader()
    }

    @Test func `A reader of pages gives one page after the other, and nothing after the last`() async throws {
        let reader = reader(pages: 3)
        #expect(reader.hasMore)
        expectNil(reader.total)
        try await expectEqual(reader.next()?.items, [0, 1])
        expectEqual(reader.items, [0, 1])
        expectEqual(reader.total, 6)
        try await expectEqual(reader.loadAll(), [0, 1, 2, 3, 4, 5])
        #expect(!reader.hasMore)
        for _ in 0..<3 { try await expectNil(reader.next()) }
        expectEqual(asked.entries, [0, 1, 2])
    }

    @Test(arguments: [2, 10, 50])
    func `A reader of pages gives each page to one of many concurrent callers`(callers: Int)
        async throws
    {
        let inside = Mutex(0)
        let most = Recording<Int>()
        let reader = reader { _ in
            most.add(
                inside.withLock { inside in
                    inside += 1
                    return inside
                })
            for _ in 0..<5 { await Task.yield() }
            inside.withLock { $0 -= 1 }
        }
        let given = try await withThrowingTaskGroup(of: Int?.self) { group in
            for _ in 0..<callers { group.addTask { try await reader.next()?.position } }
            var given: [Int] = []
            for try await position in group { given += position.map { [$0] } ?? [] }
            return given
        }
        expectEqual(given.sorted(), Array(0..<min(callers, 10)))
        expectEqual(asked.entries, Array(0..<min(callers, 10)))
        #expect(most.entries.allSatisfy { $0 == 1 })
        expectEqual(reader.items, Array(0..<(2 * min(callers, 10))))
    }

    @Test func `A reader of pages asks for the same page again after an error`() async throws {
        let failures = Mutex(2)
        let reader = reader(pages: 3) { number in
            let fails = failures.withLock { failures in
                guard number == 1, failures > 0 else { return false }
                failures -= 1
                return true
            }
            if fails { throw HTTPError.offline }
        }
        try await expectEqual(reader.next()?.position, 0)
        for _ in 0..<2 { await #expect(throws: HTTPError.offline) { try await reader.next() } }
        expectEqual(reader.items, [0, 1])
        #expect(reader.hasMore)
        try await expectEqual(reader.loadAll().count, 6)
        expectEqual(asked.entries, [0, 1, 1, 1, 2])
    }

    @Test func `A reader of pages asks for the same page again after a cancellation`() async throws {
        let clock = ManualClock()
        let reader = reader(pages: 2) { _ in try await clock.wallClock().sleep(for: .seconds(1)) }
        let asking = Task { try await reader.next() }
        _ = await clock.sleepers(atLeast: 1)
        let waiting = Task { try await reader.next() }
        waiting.cancel()
        await #expect(throws: HTTPError.cancelled) { try await waiting.value }
        asking.cancel()
        await #expect(throws: HTTPError.cancelled) { try await asking.value }
        let again = Task { try await reader.next() }
        _ = await clock.wakeNext()
        try await expectEqual(again.value?.position, 0)
        expectEqual(asked.entries, [0, 0])
    }

    @Test func `A reader of pages begins again when it is reset, also while a page is loading`() async throws {
        let clock = ManualClock()
        let reader = reader(pages: 3) { number in
            if number == 1 { try await clock.wallClock().sleep(for: .seconds(1)) }
        }
        try await expectEqual(reader.next()?.position, 0)
        let asking = Task { try await reader.next() }
        _ = await clock.sleepers(atLeast: 1)
        reader.reset()
        #expect(reader.items.isEmpty)
        _ = await clock.wakeNext()
        // Who asked before gets his page, which counts no more.
        try await expectEqual(asking.value?.position, 1)
        #expect(reader.items.isEmpty)
        try await expectEqual(reader.next()?.position, 0)
        expectEqual(reader.items, [0, 1])
    }

    @Test func `A reader of pages detects a list that leads in a circle`() async throws {
        let pages = Pages(from: 0) { [asked] number in
            asked.add(number)
            return Page(items: [number], position: number, next: (number + 1) % 4)
        }
        var items: [Int] = []
        var iterator = pages.items.makeAsyncIterator()
        await #expect(throws: HTTPError.pageRepeated) {
            while let item = try await iterator.next() { items.append(item) }
        }
        expectEqual(items, [0, 1, 2, 3])
        expectEqual(asked.entries, [0, 1, 2, 3])
        let reader = pages.reader()
        await #expect(throws: HTTPError.pageRepeated) { try await reader.loadAll() }
        await #expect(throws: HTTPError.pageRepeated) { try await reader.next() }
        expectEqual(reader.items, [0, 1, 2, 3])
    }

    @Test func `A reader of pages skips a limited number of empty pages`() async throws {
        let sparse = Pages<Int, Int>(from: 0) { number in
            let items = number % 5 == 4 ? [number] : []
            return Page(items: items, position: number, next: number < 14 ? number + 1 : nil)
        }
        try await expectEqual(sparse.reader().loadAll(), [4, 9, 14])
        let endless = Pages(from: 0) { [asked] number in
            asked.add(number)
            return Page(items: [Int](), position: number, next: number + 1)
        }
        await #expect(throws: HTTPError.pageRepeated) { try await endless.reader().next() }
        expectEqual(asked.entries.count, 100)
    }
}

@Suite(.tags(.pagination)) struct ListErrorTests {
    private func client(_ answer: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse) throws -> Client {
        Client(
            baseURL: try #require(URL(string: "https://api.example.com/v1")), transport: ClosureHandler(answer))
    }

    private func json(_ text: String, _ fields: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status: .ok, fields: fields, body: HTTPBody(text))
    }

    private func cursors(_ client: Client) -> Pages<Int, String?> {
        client.pages { .get("notes", query: [("cursor", $0 ?? "")], as: NotesPage.self) }
    }

    @Test func `A list with a repeated cursor is an error, and not an endless loop`() async throws {
        let client = try client { _ in json(#"{"notes":[1],"next":"a"}"#) }
        let reader = cursors(client).reader()
        await #expect(throws: HTTPError.pageRepeated) { try await reader.loadAll() }
        expectEqual(reader.items, [1, 1])
    }

    @Test(arguments: [
        #"{"notes":[1],"next":""}"#, #"{"notes":[1],"next":null}"#, #"{"notes":[1]}"#,
        #"{"notes":[1],"next":"a","hasMore":false}"#,
    ])
    func `A list with contradictory signs ends if one of them is the end`(answer: String) async throws {
        let client = try client { _ in json(answer) }
        try await expectEqual(cursors(client).reader().loadAll(), [1])
    }

    @Test func `A list with an empty page before its total ends there`() async throws {
        let client = try client { _ in json(#"{"notes":[],"total":9,"hasMore":true}"#) }
        let pages = client.pages(limit: 3) { offset, _ in .get("notes", query: [("o", "\(offset)")], as: NotesPage.self)
        }
        try await expectEqual(pages.reader().loadAll(), [])
    }

    @Test func `A list with an error status is that error`() async throws {
        let client = try client { _ in HTTPResponse(status: .internalServerError) }
        await #expect(throws: HTTPError.unacceptableStatus) { try await cursors(client).reader().next() }
    }

    @Test(arguments: [
        ("<https://evil.example/v1/notes>; rel=next", HTTPError.pageElsewhere),
        ("<http://api.example.com/v1/notes>; rel=next", .pageElsewhere),
        ("<//evil.example/>; rel=next", .pageElsewhere), ("<mailto:a@b>; rel=next", .malformedMessage),
        ("<https://a:b@api.example.com/>; rel=next", .malformedMessage), ("</v1/notes; rel=next", .malformedMessage),
        ("</v1/notes>; rel=next", .pageRepeated),
    ])
    func `A list with a link that leads elsewhere or nowhere is an error, and sends nothing there`(
        link: String, error: HTTPError
    ) async throws {
        let origins = Recording<String>()
        let client = try client { request in
            origins.add(request.origin.description)
            return json("[1]", ["Link": link])
        }
        let pages = client.pages(linkedFrom: try client.request(.get, "notes")) { response in
            try JSONDecoder().decode([Int].self, from: Data(response.body.bytes))
        }
        await #expect(throws: error) { try await pages.reader().loadAll() }
        expectEqual(origins.entries, ["https://api.example.com"])
    }

    @Test func `A list whose server errs is read with the fields of the first request`() async throws {
        let seen = Recording<String>()
        let client = try client { request in
            seen.add("\(request.path) \(request.fields["X-Own"] ?? "-")")
            return json(
                "[1]", seen.entries.count < 3 ? ["Link": "<?page=\(seen.entries.count)>; rel=\"next last\""] : [:])
        }
        let first = try client.request(.get, "notes", fields: ["X-Own": "1"])
        let pages = client.pages(linkedFrom: first) { _ in [1] }
        try await expectEqual(pages.reader().loadAll().count, 3)
        expectEqual(seen.entries, ["/v1/notes 1", "/v1/notes?page=1 1", "/v1/notes?page=2 1"])
    }
}
