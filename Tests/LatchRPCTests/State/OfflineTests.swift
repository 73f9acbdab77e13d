// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchRPC
import LatchTesting
import Synchronization
import TestTags
import Testing

/// A network that a test takes away.
private final class Network: Sendable {
    private let isUp = Mutex(true)

    var status: NetworkStatus { NetworkStatus { self.isUp.withLock { $0 } } }
    func set(_ isUp: Bool) { self.isUp.withLock { $0 = isUp } }
}

@Suite(.tags(.offlineData)) struct OfflineTests {
    private let network = Network()
    private let clock = ManualClock()

    private func client(
        _ service: ShelfService, answers: (any ResponseStore)? = nil, limit: Int = 100
    ) -> ShelfClient {
        ShelfClient(
            service, ShelfState(),
            ClientSettings(
                clock: clock.wallClock(), network: network.status, responseStore: answers, cachedResponseLimit: limit))
    }

    @Test func `An offline action that supports it returns the last response, marked as stale`() async throws {
        let service = ShelfService()
        let client = client(service)
        try await client.process(.load(Book("a")))
        #expect(await !client.getCurrentState().isStale)
        try await client.process(.drop(Book("a")))
        network.set(false)
        try await client.process(.load(Book("a")))
        await expectEqual(client.getCurrentState().ids, ["a"])
        #expect(await client.getCurrentState().isStale)
        expectEqual(service.names, ["load", "drop"])
        network.set(true)
        try await client.process(.load(Book("a")))
        #expect(await !client.getCurrentState().isStale)
        await expectEqual(client.getStatistics().cacheHits, 1)
    }

    @Test func `An action also returns the last response if the call finds no network`() async throws {
        let client = client(
            ShelfService { _, book, call in
                if call > 1 { throw RPCError(.unavailable) }
                return BookList([book])
            })
        try await client.process(.load(Book("a")))
        try await client.process(.load(Book("a")))
        #expect(await client.getCurrentState().isStale)
        await expectNil(client.getCurrentState().error)
    }

    @Test func `An action fails at once while offline if it does not support that, without a call`() async {
        let service = ShelfService()
        let client = client(service)
        network.set(false)
        let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.add(Book("a"))) }
        expectEqual(thrown?.code, "unreachable")
        #expect(service.names.isEmpty)
    }

    @Test func `An offline request without a cached response fails`() async throws {
        let client = client(ShelfService())
        try await client.process(.load(Book("a")))
        network.set(false)
        let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.load(Book("b"))) }
        expectEqual(thrown?.code, "unreachable")
        await expectEqual(client.getCurrentState().ids, ["a"])
    }

    @Test func `An error of the service is reported instead of a cached response`() async throws {
        let client = client(
            ShelfService { _, book, call in
                if call > 1 { throw RPCError(.permissionDenied) }
                return BookList([book])
            })
        try await client.process(.load(Book("a")))
        let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.load(Book("a"))) }
        expectEqual(thrown?.code, "callFailed")
    }

    @Test func `Persistent responses survive a restart`() async throws {
        try await withTemporaryFolder { folder in
            let store = FileResponseStore(folder: folder + "/answers")
            try await client(ShelfService(), answers: store).process(.saved(Book("a", title: "Emma")))
            network.set(false)
            let next = client(ShelfService(), answers: FileResponseStore(folder: folder + "/answers"))
            try await next.process(.saved(Book("a", title: "Emma")))
            await expectEqual(next.getCurrentState().books, [Book("a", title: "Emma")])
            #expect(await next.getCurrentState().isStale)
            // Those of the other strategy are not in the store.
            await #expect(throws: ShelfFailure.self) { try await next.process(.load(Book("a"))) }
            try await next.removeCachedResponses()
            await #expect(throws: ShelfFailure.self) { try await next.process(.saved(Book("a", title: "Emma"))) }
        }
    }

    @Test func `A reset leaves nothing of a user, not even a running action`() async throws {
        try await withTemporaryFolder { folder in
            let store = FileResponseStore(folder: folder + "/answers")
            let gate = Gate()
            let service = ShelfService { _, book, _ in
                if book.id == "b" { await gate.pass() }
                return BookList([book])
            }
            let client = client(service, answers: store)
            try await client.process(.saved(Book("a", title: "Emma")))
            let late = Task { try await client.process(.saved(Book("b", title: "Persuasion"))) }
            await gate.reached()
            try await client.reset(to: ShelfState())
            gate.open()
            await #expect(throws: CancellationError.self) { try await late.value }
            await expectEqual(client.getCurrentState(), ShelfState())
            network.set(false)
            for book in [Book("a", title: "Emma"), Book("b", title: "Persuasion")] {
                await #expect(throws: ShelfFailure.self) { try await client.process(.saved(book)) }
            }
        }
    }

    @Test func `The call that found the session ended says so, and leaves no error to the next user`() async throws {
        let gate = Gate()
        let service = ShelfService { _, _, _ in
            await gate.pass()
            throw RPCError(.unauthenticated, "The session has ended.")
        }
        let client = client(service)
        let call = Task { try await client.process(.drop(Book("a"))) }
        await gate.reached()
        try await client.reset(to: ShelfState())
        gate.open()
        await #expect(throws: ShelfFailure.self) { try await call.value }
        await expectEqual(client.getCurrentState(), ShelfState())
    }

    @Test func `A request of a user is not sent once the user has signed out`() async throws {
        let gate = Gate()
        let service = ShelfService { _, book, _ in
            await gate.pass()
            return BookList([book])
        }
        let client = client(service)
        // The second action of each sequence, and the next attempt of a retry, come after the reset.
        let sequence = Task {
            try await client.process(sequence: [.drop(Book("a")), .drop(Book("b"))])
        }
        await gate.reached()
        try await client.reset(to: ShelfState())
        gate.open()
        await #expect(throws: CancellationError.self) { try await sequence.value }
        expectEqual(service.names, ["drop"])
        await expectEqual(client.getCurrentState(), ShelfState())
    }

    @Test func `A user who has signed out leaves no time limit's error to the next`() async throws {
        let gate = Gate()
        let service = ShelfService { _, book, _ in
            await gate.pass()
            return BookList([book])
        }
        let client = client(service)
        let late = Task { try await client.process(.drop(Book("a")), timeout: .seconds(5)) }
        await gate.reached()
        try await client.reset(to: ShelfState())
        _ = await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(6))
        await #expect(throws: CancellationError.self) { try await late.value }
        await expectEqual(client.getCurrentState(), ShelfState())
        gate.open()
    }

    @Test func `A response that cannot be stored is not a failure`() async throws {
        let client = client(ShelfService(), answers: FileResponseStore(folder: "/dev/null/answers"))
        try await client.process(.saved(Book("a")))
        await expectEqual(client.getCurrentState().ids, ["a"])
        await expectEqual(client.getStatistics().failedCacheWrites, 1)
    }

    @Test func `The number of cached responses is limited`() async throws {
        let client = client(ShelfService(), limit: 2)
        for id in ["a", "b", "a", "c"] { try await client.process(.load(Book(id))) }
        network.set(false)
        try await client.process(.load(Book("a")))
        try await client.process(.load(Book("c")))
        await #expect(throws: ShelfFailure.self) { try await client.process(.load(Book("b"))) }
    }

    @Test func `A fresh response replaces a conditional call, and an old one does not`() async throws {
        let service = ShelfService()
        let client = client(service)
        try await client.process(.young(Book("a")))
        clock.advance(by: .seconds(59))
        try await client.process(.young(Book("a")))
        expectEqual(service.names.count, 1)
        #expect(await !client.getCurrentState().isStale)
        clock.advance(by: .seconds(1))
        try await client.process(.young(Book("a")))
        expectEqual(service.names.count, 2)
        clock.jump(by: -3_600)
        try await client.process(.young(Book("a")))
        expectEqual(service.names.count, 3)
    }
}

@Suite struct FileResponseStoreTests {
    @Test func `A file response store returns the response of each request, and no damaged one`() async throws {
        try await withTemporaryFolder { folder in
            let store = FileResponseStore(folder: folder)
            let keys = [
                ResponseCacheKey(action: "a", request: [1, 2]), ResponseCacheKey(action: "a", request: []),
                ResponseCacheKey(action: "a\u{1}", request: [2]),
            ]
            for (index, key) in keys.enumerated() {
                try await expectNil(store.response(for: key))
                try await store.store(CachedResponse(bytes: [UInt8(index)], time: 1.5), for: key)
            }
            for (index, key) in keys.enumerated() {
                try await expectEqual(store.response(for: key), CachedResponse(bytes: [UInt8(index)], time: 1.5))
            }
            try await store.removeAll()
            for key in keys { try await expectNil(store.response(for: key)) }
        }
    }
}
