// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import Testing

/// Runs jobs on a queue of its own and knows whether the caller is on it.
private final class QueueExecutor: TaskExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "session-executor-tests")

    init() { queue.setSpecific(key: Self.key, value: true) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}

/// Notes where it is called.
private final class WatchfulStore: TokenStore {
    let kept: Mutex<Tokens?>
    let loadedOnExecutor = Mutex<[Bool]>([])

    init(_ tokens: Tokens?) { kept = Mutex(tokens) }

    func save(_ tokens: Tokens) { kept.withLock { $0 = tokens } }

    func load() async -> Tokens? {
        loadedOnExecutor.withLock { $0.append(QueueExecutor.isCurrent) }
        return kept.withLock { $0 }
    }

    func clear() { kept.withLock { $0 = nil } }
}

@Suite struct SessionExecutorTests {
    private let clock = ManualClock()

    private var expired: Tokens { Tokens(access: "a0", refresh: "r0", expiry: clock.now.addingTimeInterval(-1)) }
    private var fresh: Tokens { Tokens(access: "a1", refresh: "r1", expiry: clock.now.addingTimeInterval(900)) }

    @Test func `A session with its own executor restores and refreshes on it, for every caller`() async throws {
        let refreshedOnExecutor = Mutex<[Bool]>([])
        let store = WatchfulStore(expired)
        let session = Session(store: store, clock: clock.wallClock(), executor: QueueExecutor()) { [fresh] _ in
            refreshedOnExecutor.withLock { $0.append(QueueExecutor.isCurrent) }
            return fresh
        }
        #expect(!QueueExecutor.isCurrent)
        try await expectEqual(session.credential(), fresh)
        expectEqual(refreshedOnExecutor.withLock { $0 }, [true])
        expectEqual(store.loadedOnExecutor.withLock { $0 }, [true, true])
        #expect(store.kept.withLock { $0 } == fresh)
    }

    @Test
    func `A session with its own executor serves a hundred callers from elsewhere with one refresh`() async throws {
        let refreshes = Mutex(0)
        let store = WatchfulStore(expired)
        let session = Session(store: store, clock: clock.wallClock(), executor: QueueExecutor()) { [fresh] _ in
            refreshes.withLock { $0 += 1 }
            return fresh
        }
        let got = try await withThrowingTaskGroup(of: Tokens.self) { group in
            for _ in 0..<100 { group.addTask { try await session.credential() } }
            return try await group.reduce(into: Set<Tokens>()) { $0.insert($1) }
        }
        expectEqual(got, [fresh])
        expectEqual(refreshes.withLock { $0 }, 1)
    }

    @Test func `A session with its own executor ends, and its streams with it, when no task keeps it`() async throws {
        let states: AsyncStream<Session<Tokens>.State>
        do {
            let session = Session(store: WatchfulStore(nil), clock: clock.wallClock(), executor: QueueExecutor()) {
                $0.credential
            }
            states = session.states
            try await session.signIn(fresh)
            try await session.signOut()
        }
        var seen: [Session<Tokens>.State] = []
        for await state in states { seen.append(state) }
        expectEqual(seen, [.unknown, .signedIn(fresh), .signedOut(.user)])
    }
}
