// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchRPC
import LatchTesting
import Synchronization
import Testing

/// A store whose answers a test spoils, or that fails.
private final class SpoiltStore: ResponseStore {
    struct Broken: Error {}
    let answer: Mutex<Result<CachedResponse?, Broken>>

    init(_ answer: Result<CachedResponse?, Broken>) { self.answer = Mutex(answer) }
    func response(for request: ResponseCacheKey) async throws -> CachedResponse? { try answer.withLock { $0 }.get() }
    func store(_ response: CachedResponse, for request: ResponseCacheKey) async throws { throw Broken() }
    func removeAll() async throws { throw Broken() }
}

@Suite struct CachedResponseTests {
    private let unreachable = ShelfService { _, _, _ in throw RPCError(.unavailable) }

    @Test func `A cached response that cannot be read is ignored, and the error names the network`() async throws {
        for answer in [
            .success(CachedResponse(bytes: [0xFF], time: 0)), .failure(SpoiltStore.Broken()), .success(nil),
        ] as [Result<CachedResponse?, SpoiltStore.Broken>] {
            let client = ShelfClient(
                unreachable, ShelfState(), ClientSettings(responseStore: SpoiltStore(answer)))
            let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.saved(Book("a"))) }
            expectEqual(thrown?.code, "unreachable")
            await expectEqual(client.getCurrentState().error?.code, "unreachable")
            await expectEqual(client.getStatistics().cacheHits, 0)
        }
    }

    @Test func `A cached response is returned as stale if it can be read`() async throws {
        let bytes = try BookList([Book("kept")]).serialized()
        let store = SpoiltStore(.success(CachedResponse(bytes: bytes, time: 0)))
        let client = ShelfClient(unreachable, ShelfState(), ClientSettings(responseStore: store))
        try await client.process(.saved(Book("a")))
        await expectEqual(client.getCurrentState().ids, ["kept"])
        #expect(await client.getCurrentState().isStale)
    }

    @Test func `A cached response is fresh exactly for its lifetime, and never from the future`() async throws {
        let clock = ManualClock()
        let service = ShelfService()
        let client = ShelfClient(
            service, ShelfState(), ClientSettings(clock: clock.wallClock(), cachedResponseLifetime: .seconds(60)))
        try await client.process(.young(Book("a")))
        for (seconds, calls) in [(59.0, 1), (0.9, 1), (0.1, 2), (59.9, 2), (0.2, 3)] {
            clock.advance(by: seconds)
            try await client.process(.young(Book("a")))
            expectEqual(service.names.count, calls, "after \(seconds)")
        }
        clock.jump(by: -3_600)
        try await client.process(.young(Book("a")))
        expectEqual(service.names.count, 4)
    }

    @Test func `A cached response without a lifetime is never fresh`() async throws {
        for lifetime in [Duration.zero, .seconds(-5)] {
            let service = ShelfService()
            let client = ShelfClient(service, ShelfState(), ClientSettings(cachedResponseLifetime: lifetime))
            for _ in 0..<2 { try await client.process(.young(Book("a"))) }
            expectEqual(service.names.count, 2)
        }
    }

    @Test func `A cached response is removed from memory even if the store fails to remove it`() async throws {
        let service = ShelfService()
        let client = ShelfClient(
            service, ShelfState(), ClientSettings(responseStore: SpoiltStore(.success(nil))))
        try await client.process(.young(Book("a")))
        await #expect(throws: SpoiltStore.Broken.self) { try await client.removeCachedResponses() }
        try await client.process(.young(Book("a")))
        expectEqual(service.names.count, 2)
    }
}

@Suite struct ZeroLimitTests {
    @Test(arguments: [0, -1, Int.min]) func `Rules with a limit of zero keep no item`(limit: Int) {
        let rules = ItemRules<Book, String>("books", limit: limit, key: { $0.id })
        var books = [Book("a")]
        rules.append([Book("b"), Book("c")], to: &books)
        #expect(books.isEmpty)
        rules.replaceAll(&books, with: [Book("a")])
        #expect(books.isEmpty)
        expectEqual(rules.issues([Book("a")]), [.collectionSizeExceeded(collection: "books", count: 1, limit: 0)])
    }

    @Test(arguments: [(Int.min, Int.max), (-1, 1), (0, Int.max), (2, Int.max), (Int.max, Int.max), (0, Int.min)])
    func `Rules with a limit of zero return pages of any offset and length`(offset: Int, limit: Int) {
        let rules = ItemRules<Book, String>("books", key: { $0.id })
        let page = rules.page([Book("a"), Book("b"), Book("c")], offset: offset, limit: limit)
        expectEqual(page.count, limit <= 0 || offset > 2 ? 0 : min(limit, 3 - max(0, offset)))
    }
}
