// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Foundation
import LatchCore
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct ManyWatchesTests {
    /// The watches on files, and a stream of the numbers of those that were called.
    private func watches(
        on paths: [String]
    ) throws -> (watches: [FileWatch], calls: AsyncStream<Int>.Iterator) {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let watches = try paths.enumerated().map { number, path in
            try FileWatch(path) { continuation.yield(number) }
        }
        return (watches, stream.makeAsyncIterator())
    }

    /// The number of the kernel's queues that this process has.
    private func queues() throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)"))
                == "anon_inode:inotify"
        }
    }

    @Test func `Many watches on files share one queue of the kernel, and each hears of its own file`() async throws {
        try await withTemporaryFolder { folder in
            let paths = try (0..<300).map { number in
                let path = "\(folder)/\(number % 20)/file-\(number)"
                try AtomicFile(path).makeFolder()
                return path
            }
            var (watches, calls) = try watches(on: paths)
            // That of an earlier test closes in the background.
            try await eventually { try queues() == 1 }
            for number in [0, 299, 150, 20] {
                try AtomicFile(paths[number]).overwrite(with: [1])
                await expectEqual(calls.next(), number)
                try AtomicFile(paths[number]).replace(with: [2])
                await expectEqual(calls.next(), number)
            }
            watches.removeAll()
        }
    }

    @Test func `Many watches on files do not end with another on the same file or folder`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/a"
            var (watches, calls) = try watches(on: [path, path, "\(folder)/b"])
            watches.remove(at: 0)
            watches.removeLast()
            try AtomicFile(path).overwrite(with: [1])
            await expectEqual(calls.next(), 1)
            withExtendedLifetime(watches) {}
        }
    }

    @Test func `Many watches on files can begin again after the last one has ended`() async throws {
        try await withTemporaryFolder { folder in
            for _ in 0..<20 {
                var (watches, calls) = try watches(on: ["\(folder)/a"])
                try AtomicFile("\(folder)/a").overwrite(with: [1])
                await expectEqual(calls.next(), 0)
                watches.removeAll()
            }
        }
    }

    @Test func `Many watches on files hear of concurrent changes, of each at least once`() async throws {
        try await withTemporaryFolder { folder in
            let paths = (0..<50).map { "\(folder)/\($0)" }
            var (watches, calls) = try watches(on: paths)
            for path in paths { for _ in 0..<20 { try AtomicFile(path).overwrite(with: [1]) } }
            var heard: Set<Int> = []
            while heard.count < 50, let number = await calls.next() { heard.insert(number) }
            expectEqual(heard.count, 50)
            withExtendedLifetime(watches) {}
        }
    }

}
#endif
