// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchProcess
import LatchTesting
import Synchronization
import Testing

@Suite struct FileTurnTests {
    private final class Inside: Sendable {
        let count = Mutex((now: 0, most: 0))
    }

    /// A process that holds the lock until it is killed; it has it once it has written a line.
    private func holder(of path: String) async throws -> ChildProcess {
        let process = try ChildProcess.start(
            "/usr/bin/flock", ["--no-fork", path, "/bin/sh", "-c", "echo held; exec sleep 600"])
        await expectEqual(process.line(), "held")
        return process
    }

    /// Waits as often as it takes: on a busy machine eighty turns take longer than any patience.
    private func acquired(_ lock: FileLock) async throws -> FileLock.Holder {
        while true {
            if let holder = try await lock.acquire(timeout: .seconds(60)) { return holder }
        }
    }

    @Test
    func `A lock that tasks wait for is acquired at once if it is free, and again after it was released`() async throws
    {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            for _ in 0..<3 {
                let holder = try #require(try await lock.acquire(timeout: .zero))
                holder.release()
            }
        }
    }

    @Test func `A lock that tasks wait for is held by one of many tasks at a time`() async throws {
        try await withTemporaryFolder { folder in
            let inside = Inside()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<10 {
                            let holder = try await acquired(FileLock("\(folder)/lock"))
                            inside.count.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                            await Task.yield()
                            inside.count.withLock { $0.now -= 1 }
                            holder.release()
                        }
                    }
                }
                try await group.waitForAll()
            }
            expectEqual(inside.count.withLock { $0.most }, 1)
        }
    }

    @Test func `A lock that tasks wait for is free as soon as the process that holds it is killed`() async throws {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let other = try await holder(of: lock.path)
            try await expectNil(lock.acquire(timeout: .zero))
            async let waiting = lock.acquire(timeout: .seconds(60))
            other.kill()
            let holder = try #require(try await waiting)
            holder.release()
            await other.end()
        }
    }

    @Test func `A lock that tasks wait for is left to others after a cancellation or a timeout`() async throws {
        try await withTemporaryFolder { folder in
            let lock = FileLock("\(folder)/lock")
            let first = try #require(try await lock.acquire(timeout: .zero))
            let cancelled = Task { try await lock.acquire(timeout: .seconds(60)) }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            try await expectNil(lock.acquire(timeout: .milliseconds(1)))
            first.release()
            let second = try #require(try await lock.acquire(timeout: .seconds(60)))
            second.release()
        }
    }

    @Test func `A lock that tasks wait for says why it cannot be acquired`() async throws {
        let error = await #expect(throws: FileError.self) {
            try await FileLock("/no/such/folder/lock").acquire(timeout: .zero)
        }
        expectEqual(error?.reason, .missing)
    }
}

@Suite struct FileWatchTests {
    /// Counts the changes that a watch reports, and lets a test wait for the next.
    private func watch(_ path: String) throws -> (watch: FileWatch, changes: AsyncStream<Void>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        return (try FileWatch(path) { continuation.yield() }, stream)
    }

    @Test func `A watch on a file reports a file that is written in place, replaced, or new`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/f"
            let (watch, changes) = try watch(path)
            var iterator = changes.makeAsyncIterator()
            try AtomicFile(path).overwrite(with: [1])
            await iterator.next()
            try AtomicFile(path).replace(with: [2])
            await iterator.next()
            // By another process.
            let (ending, _) = try await ChildProcess.run("/bin/sh", ["-c", "echo x >\(path)"])
            expectEqual(ending, .exited(0))
            await iterator.next()
            withExtendedLifetime(watch) {}
        }
    }

    @Test func `A watch on a file needs the folder`() {
        #expect(throws: FileError.self) { try FileWatch("/no/such/folder/f") {} }
    }
}
