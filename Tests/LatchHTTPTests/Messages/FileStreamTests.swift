// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@Suite struct FileStreamTests {
    private func write(_ bytes: [UInt8], to path: String) throws { try Data(bytes).write(to: URL(filePath: path)) }

    private func read(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

    private func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder)
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 262_145, 1_000_000])
    func `A file as content is read whole, in pieces, as often as wanted`(size: Int) async throws {
        let content = [UInt8]((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try await withTemporaryFolder { folder in
            try write(content, to: folder + "/file")
            let stream = try HTTPBodyStream.file(at: folder + "/file")
            expectEqual(stream.length, size)
            #expect(stream.isReplayable)
            for _ in 0..<2 {
                var bytes: [UInt8] = []
                for try await piece in stream {
                    #expect(piece.count <= 262_144)
                    bytes += piece
                }
                expectEqual(bytes, content)
            }
        }
    }

    @Test func `A file as content that is missing, a folder or a device is refused at once`() async throws {
        try await withTemporaryFolder { folder in
            for path in [folder + "/missing", folder, "/dev/null", ""] {
                let error = #expect(throws: HTTPError.self) { try HTTPBodyStream.file(at: path) }
                expectEqual(error?.code, HTTPError.fileUnavailable.code)
            }
        }
    }

    @Test func `A file as content keeps its permissions if it is replaced`() async throws {
        try await withTemporaryFolder { folder in
            try write([1], to: folder + "/file")
            chmod(folder + "/file", 0o600)
            try await HTTPBodyStream([2, 3] as [UInt8]).write(to: folder + "/file")
            try expectEqual(read(folder + "/file"), [2, 3])
            let mode = try FileManager.default.attributesOfItem(atPath: folder + "/file")[.posixPermissions] as? Int
            expectEqual(mode, 0o600)
        }
    }

    /// As root, a file that was renamed over `/dev/null` would replace the device.
    @Test func `A file as content goes into a pipe or a device as it is`() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/pipe"
            expectEqual(mkfifo(path, 0o600), 0)
            // Nobody reads it.
            await #expect(throws: HTTPError.fileUnavailable) {
                try await HTTPBodyStream([1] as [UInt8]).write(to: path)
            }
            let reader = open(path, O_RDONLY | O_NONBLOCK)
            try await HTTPBodyStream([1, 2, 3] as [UInt8]).write(to: path)
            var buffer = [UInt8](repeating: 0, count: 8)
            #expect(Foundation.read(reader, &buffer, 8) == 3 && buffer.prefix(3) == [1, 2, 3])
            close(reader)
            try expectEqual(names(in: folder), ["pipe"])
            try await HTTPBodyStream([1] as [UInt8]).write(to: "/dev/null")
            try expectEqual(
                FileManager.default.attributesOfItem(atPath: "/dev/null")[.type] as? FileAttributeType,
                .typeCharacterSpecial)
        }
    }

    @Test func `A file as content that has another length when it is opened again has changed`() async throws {
        try await withTemporaryFolder { folder in
            try write([1, 2, 3], to: folder + "/file")
            let stream = try HTTPBodyStream.file(at: folder + "/file")
            try write([1, 2, 3, 4], to: folder + "/file")
            await #expect(throws: HTTPError.fileChanged) { for try await _ in stream {} }
        }
    }

    @Test(arguments: [400_000, 800_000])
    func `A file as content that becomes longer or shorter while it is read has changed`(size: Int) async throws {
        try await withTemporaryFolder { folder in
            try write([UInt8](repeating: 7, count: 600_000), to: folder + "/file")
            let stream = try HTTPBodyStream.file(at: folder + "/file")
            var iterator = stream.makeAsyncIterator()
            try await expectEqual(iterator.next()?.count, 262_144)
            let handle = try #require(FileHandle(forWritingAtPath: folder + "/file"))
            try handle.truncate(atOffset: UInt64(size))
            await #expect(throws: HTTPError.fileChanged) { while try await iterator.next() != nil {} }
        }
    }

    @Test func `A file as content that is removed while it is read is read to its end`() async throws {
        try await withTemporaryFolder { folder in
            try write([UInt8](repeating: 7, count: 600_000), to: folder + "/file")
            let stream = try HTTPBodyStream.file(at: folder + "/file")
            var (iterator, count) = (stream.makeAsyncIterator(), 0)
            while let piece = try await iterator.next() {
                if count == 0 { try FileManager.default.removeItem(atPath: folder + "/file") }
                count += piece.count
            }
            expectEqual(count, 600_000)
            await #expect(throws: HTTPError.fileUnavailable) { for try await _ in stream {} }
        }
    }

    @Test func `A file as content is written whole, with progress`() async throws {
        try await withTemporaryFolder { folder in
            try write([1], to: folder + "/file")
            let pieces = Mutex<[[UInt8]]>([[1, 2], [3], [4, 5, 6]])
            let stream = HTTPBodyStream(length: 6, once: { pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
            let progress = Recording<[Int?]>()
            let count = try await stream.write(to: folder + "/file") { progress.add([$0, $1]) }
            expectEqual(count, 6)
            expectEqual(progress.entries, [[2, 6], [3, 6], [6, 6]])
            try expectEqual(read(folder + "/file"), [1, 2, 3, 4, 5, 6])
            try expectEqual(names(in: folder), ["file"])
        }
    }

    @Test func `A file as content that does not arrive whole leaves the old one and nothing else`() async throws {
        struct Broken: Error {}
        try await withTemporaryFolder { folder in
            let path = folder + "/file"
            try write([9], to: path)
            let left = Mutex(3)
            let broken = HTTPBodyStream(once: {
                let isLeft = left.withLock { left in
                    left -= 1
                    return left >= 0
                }
                guard isLeft else { throw Broken() }
                return [1]
            })
            await #expect(throws: Broken.self) { try await broken.write(to: path) }
            await #expect(throws: HTTPError.tooLarge) { try await HTTPBodyStream([1, 2]).write(to: path, upTo: 1) }
            let unannounced = HTTPBodyStream { HTTPBodyStream.Source?.none ?? { [1, 2] } }
            await #expect(throws: HTTPError.tooLarge) { try await unannounced.write(to: path, upTo: 99) }
            let short = HTTPBodyStream(length: 3) { { nil } }
            await #expect(throws: HTTPError.lengthMismatch) { try await short.write(to: path) }
            try expectEqual(read(path), [9])
            try expectEqual(names(in: folder), ["file"])
        }
    }

    @Test func `A file as content that is canceled while it arrives leaves nothing`() async throws {
        try await withTemporaryFolder { folder in
            let (arrivals, arrive) = AsyncStream<Void>.makeStream()
            let stream = HTTPBodyStream(once: {
                arrive.yield()
                try await untilCancelled()
                return [1]
            })
            let task = Task { try await stream.write(to: folder + "/file") }
            for await _ in arrivals { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            let left = try names(in: folder)
            expectEqual(left, [])
        }
    }

    @Test func `A file as content in a folder that is missing cannot be written`() async throws {
        await #expect(throws: HTTPError.fileUnavailable) {
            try await HTTPBodyStream([1]).write(to: "/nonexistent-\(UInt64.random(in: 0 ... .max))/file")
        }
    }
}
