// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct SharedFileLockTests {
    private let patience = Duration.seconds(60)

    @Test
    func `A lock of a file that is shared has any number of holders, and excludes an exclusive one`() async throws {
        try await withTemporaryFolder { folder in
            let (shared, alone) = (FileLock("\(folder)/lock", isShared: true), FileLock("\(folder)/lock"))
            let holders = [
                try await shared.acquire(timeout: patience), try await shared.acquire(timeout: patience),
                try shared.acquireBlocking(),
            ]
            #expect(holders.allSatisfy { $0 != nil })
            try await expectNil(alone.acquire(timeout: .zero))
            for holder in holders.dropLast() { holder?.release() }
            try await expectNil(alone.acquire(timeout: .zero))
            holders.last??.release()
            let holder = try await alone.acquire(timeout: patience)
            #expect(holder != nil)
            try await expectNil(shared.acquire(timeout: .zero))
            holder?.release()
            #expect(try await shared.acquire(timeout: patience) != nil)
        }
    }

    @Test
    func `A lock of a file that is shared goes to an exclusive waiter as soon as the last has released it`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let (shared, alone) = (FileLock("\(folder)/lock", isShared: true), FileLock("\(folder)/lock"))
            let first = try shared.acquireBlocking()
            let second = try shared.acquireBlocking()
            async let waiting = alone.acquire(timeout: patience)
            first.release()
            second.release()
            #expect(try await waiting != nil)
        }
    }

    @Test func `A lock of a file that is shared never lets readers see a change in progress`() async throws {
        try await withTemporaryFolder { folder in
            let (one, other) = (AtomicFile("\(folder)/one"), AtomicFile("\(folder)/other"))
            try await withThrowingTaskGroup { group in
                for number in UInt8(0)..<4 {
                    group.addTask {
                        let holder = try await FileLock("\(folder)/lock").acquire(timeout: patience)
                        defer { holder?.release() }
                        for round in UInt8(0)..<20 {
                            try one.overwrite(with: [number, round])
                            try other.overwrite(with: [number, round])
                        }
                    }
                    group.addTask {
                        for _ in 0..<20 {
                            let holder = try await FileLock("\(folder)/lock", isShared: true).acquire(
                                timeout: patience)
                            defer { holder?.release() }
                            try expectEqual(one.read(), other.read())
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}
