// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchProcess
import LatchTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct RemovedLockFileTests {
    /// What a test does in the pauses of a task that waits, one after the other.
    private final class Pauses<Holder: Sendable>: Sendable {
        private let state = Mutex((count: 0, other: Holder?.none))

        /// Counts a pause, and returns its number.
        func next() -> Int {
            state.withLock { state in
                state.count += 1
                return state.count
            }
        }

        var count: Int { state.withLock { $0.count } }
        /// The one that has the lock of the new file.
        var other: Holder? { state.withLock { $0.other } }
        func keep(_ other: Holder?) { state.withLock { $0.other = other } }
    }

    private let patience = Duration.seconds(60)

    /// A process that holds the lock on the file that is at the path now.
    private func process(holding path: String) async throws -> ChildProcess {
        let process = try ChildProcess.start(
            "/usr/bin/flock", ["--no-fork", path, "/bin/sh", "-c", "echo held; exec sleep 600"])
        await expectEqual(process.line(), "held")
        return process
    }

    /// Whether another process gets the lock immediately.
    private func isFree(_ path: String) async throws -> Bool {
        let (ending, _) = try await ChildProcess.run("/usr/bin/flock", ["--nonblock", path, "/bin/true"])
        return ending == .exited(0)
    }

    @Test func `A lock whose file was removed is lost for its holder, and for no other`() async throws {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let first = try #require(try lock.tryAcquire())
            #expect(first.isCurrent)
            try FileManager.default.removeItem(atPath: lock.path)
            #expect(!first.isCurrent)
            let second = try #require(try lock.tryAcquire())
            #expect(!first.isCurrent)
            #expect(second.isCurrent)
            try expectNil(lock.tryAcquire())
            first.release()
            try expectNil(lock.tryAcquire())
            second.release()
            #expect(!second.isCurrent)
        }
    }

    @Test func `A lock whose file was removed is lost if another file took its place`() async throws {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let holder = try #require(try lock.tryAcquire())
            try AtomicFile(lock.path).replace(with: [])
            #expect(!holder.isCurrent)
        }
    }

    @Test
    func `A lock whose file was removed is waited for again on the new file, which another task has locked`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let first = try #require(try lock.tryAcquire())
            let pauses = Pauses<FileLock.Holder>()
            let third = try await lock.acquire(timeout: patience) { _ in
                switch pauses.next() {
                case 1:
                    try FileManager.default.removeItem(atPath: lock.path)
                    pauses.keep(try lock.tryAcquire())
                    first.release()
                case 2:
                    // The first file is free and locks nothing.
                    expectEqual(pauses.other?.isCurrent, true)
                    pauses.other?.release()
                default: Issue.record("The lock is free.")
                }
            }
            expectEqual(third?.isCurrent, true)
            expectEqual(pauses.count, 2)
        }
    }

    @Test func `A lock whose file was removed keeps processes apart from then on`() async throws {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let first = try await process(holding: lock.path)
            try expectNil(lock.tryAcquire())
            try FileManager.default.removeItem(atPath: lock.path)
            let holder = try #require(try lock.tryAcquire())
            #expect(try await !isFree(lock.path))
            first.kill()
            await first.end()
            #expect(try await !isFree(lock.path))
            #expect(holder.isCurrent)
            holder.release()
            #expect(try await isFree(lock.path))
        }
    }

    @Test
    func `A lock whose file was removed is waited for on the new file, which another process has locked`() async throws
    {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let first = try await process(holding: lock.path)
            let pauses = Pauses<ChildProcess>()
            let holder = try await lock.acquire(timeout: patience) { _ in
                switch pauses.next() {
                case 1:
                    try FileManager.default.removeItem(atPath: lock.path)
                    pauses.keep(try await process(holding: lock.path))
                    first.kill()
                    await first.end()
                case 2:
                    pauses.other?.kill()
                    await pauses.other?.end()
                default: Issue.record("The lock is free.")
                }
            }
            expectEqual(holder?.isCurrent, true)
            expectEqual(pauses.count, 2)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct LockWaitTests {
    @Test
    func `A thread that waits for a lock gives up at its limit, with an error that names the file`() async throws {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let holder = try #require(try lock.tryAcquire())
            let failure = #expect(throws: FileError.self) { try lock.acquireBlocking(timeout: .milliseconds(1)) }
            expectEqual(failure?.number, EWOULDBLOCK)
            expectEqual(failure?.path, lock.path)
            holder.release()
            #expect(try lock.acquireBlocking(timeout: .zero).isCurrent)
        }
    }
}
