// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchTesting
import Testing

@testable import LatchCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct AtomicFileTests {
    private let files = FileManager.default

    private func mode(_ path: String) throws -> Int {
        try #require(files.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test
    func `A file that is replaced as a whole is nil if it does not exist, and empty if it is empty`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try expectNil(file.read())
            try file.replace(with: [])
            try expectEqual(file.read(), [])
            try expectNil(AtomicFile("\(folder)/no/such/folder/f").read())
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `A file of another user is read if it is a file, and not too long`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try expectNil(file.readFile())
            try file.replace(with: [1, 2, 3])
            try expectEqual(file.readFile(upTo: 3), [1, 2, 3])
            #expect(throws: FileError.self) { try file.readFile(upTo: 2) }
            expectEqual(mkfifo("\(folder)/pipe", 0o600), 0)
            for path in ["\(folder)/pipe", "/dev/zero", folder] {
                #expect(throws: FileError.self) { try AtomicFile(path).readFile() }
            }
        }
    }

    #if os(Linux)
    // Report 17 in Documentation/PublicReports.md: the kernel's own file systems cannot sync a folder, as CIFS and FUSE.
    @Test func `A file that is replaced as a whole needs no folder that can be synced`() throws {
        try AtomicFile("/proc/self/f").syncFolder()
        #expect(throws: FileError.self) { try AtomicFile("/no/such/folder/f").syncFolder() }
    }
    #endif

    @Test(arguments: [0, 1, 16_383, 16_384, 16_385, 1_000_003])
    func `A file that is replaced as a whole holds the written content of any size`(count: Int) async throws {
        try await withTemporaryFolder { folder in
            var random = SplitMix64(state: UInt64(count))
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let file = AtomicFile("\(folder)/f")
            try file.replace(with: bytes)
            try expectEqual(file.read(), bytes)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `A file that is replaced as a whole keeps its owner, though root writes it`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try file.replace(with: [1])
            expectEqual(chown(file.path, 1_234, 1_235), 0)
            try file.replace(with: [2])
            let attributes = try files.attributesOfItem(atPath: file.path)
            expectEqual(attributes[.ownerAccountID] as? Int, 1_234)
            expectEqual(attributes[.groupOwnerAccountID] as? Int, 1_235)
        }
    }

    @Test(.enabled(if: geteuid() == 0))
    func `A file that root replaces in a user's home is the user's from the first moment`()
        async throws
    {
        try await withTemporaryFolder { folder in
            expectEqual(chown(folder, 1_234, 1_235), 0)
            try AtomicFile("\(folder)/share/app/f").makeFolder()
            try AtomicFile("\(folder)/share/app/f").replace(with: [1])
            try AtomicFile("\(folder)/share/app/o").overwrite(with: [1])
            #expect(try AtomicFile("\(folder)/share/app/c").create())
            try FileLock("\(folder)/share/app/f.lock").acquireBlocking().release()
            for name in ["share", "share/app", "share/app/f", "share/app/o", "share/app/c", "share/app/f.lock"] {
                let attributes = try files.attributesOfItem(atPath: "\(folder)/\(name)")
                expectEqual(attributes[.ownerAccountID] as? Int, 1_234, "\(name)")
                expectEqual(attributes[.groupOwnerAccountID] as? Int, 1_235, "\(name)")
            }
            // A file that was there keeps its owner.
            try AtomicFile("\(folder)/roots").replace(with: [1])
            expectEqual(chown("\(folder)/roots", 0, 0), 0)
            try FileLock("\(folder)/roots").acquireBlocking().release()
            try expectEqual(files.attributesOfItem(atPath: "\(folder)/roots")[.ownerAccountID] as? Int, 0)
        }
    }

    /// pnpm/pnpm#2605: the name of a temporary file beside it is longer, and names have 255 bytes at most.
    @Test(arguments: [
        String(repeating: "n", count: 255), String(repeating: "é", count: 127), "n" + String(repeating: "🦊", count: 63),
    ])
    func `A file that is replaced as a whole can have the longest name`(name: String) async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/\(name)")
            try file.replace(with: [1])
            try file.replace(with: [2])
            try expectEqual(file.read(), [2])
            let writer = try FileWriter(replacing: file.path)
            try await writer.write([3])
            try await writer.commit()
            try expectEqual(file.read(), [3])
            try file.remove()
            let new = try NewFile(file.path)
            try new.write([4])
            try new.publish()
            try expectEqual(file.read(), [4])
        }
    }

    @Test func `A file that is replaced as a whole is its owner's only, even if the one before was not`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try Data("old".utf8).write(to: URL(fileURLWithPath: file.path))
            try files.setAttributes([.posixPermissions: 0o666], ofItemAtPath: file.path)
            try file.replace(with: [1])
            try expectEqual(mode(file.path), 0o600)
        }
    }

    @Test func `A file that is replaced as a whole leaves nothing beside it`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            for round in 0..<20 { try file.replace(with: [UInt8(round)]) }
            try expectEqual(files.contentsOfDirectory(atPath: folder), ["f"])
        }
    }

    /// A reader of the old file keeps reading its bytes, since another file takes the name.
    @Test
    func `A file that is replaced as a whole is another file after it was replaced, and not a changed one`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try file.replace(with: Array("old".utf8))
            let reader = try #require(FileHandle(forReadingAtPath: file.path))
            try file.replace(with: Array("newer".utf8))
            try expectEqual(reader.readToEnd(), Data("old".utf8))
            try expectEqual(file.read(), Array("newer".utf8))
        }
    }

    @Test func `A file that is replaced as a whole is read whole while others replace it`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try file.replace(with: [UInt8](repeating: 0, count: 40_000))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in UInt8(1)...3 {
                    group.addTask {
                        for _ in 0..<25 { try file.replace(with: [UInt8](repeating: writer, count: 40_000)) }
                    }
                }
                for _ in 0..<150 {
                    let bytes = try #require(try file.read())
                    expectEqual(bytes.count, 40_000)
                    expectEqual(Set(bytes).count, 1)
                }
                try await group.waitForAll()
            }
            try expectEqual(files.contentsOfDirectory(atPath: folder), ["f"])
        }
    }

    @Test func `A file that is replaced as a whole that is written in place is never read empty`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try file.overwrite(with: [UInt8](repeating: 0, count: 9))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for count in 3...5 {
                    group.addTask {
                        for _ in 0..<500 { try file.overwrite(with: [UInt8](repeating: UInt8(count), count: count)) }
                    }
                }
                for _ in 0..<1_500 { #expect(try !(file.read() ?? []).isEmpty) }
                try await group.waitForAll()
            }
            try file.overwrite(with: [1])
            try expectEqual(file.read(), [1])
        }
    }

    @Test func `A file that is replaced as a whole replaces a symbolic link and leaves its target`() async throws {
        try await withTemporaryFolder { folder in
            let target = "\(folder)/target"
            try Data("kept".utf8).write(to: URL(fileURLWithPath: target))
            let file = AtomicFile("\(folder)/f")
            try files.createSymbolicLink(atPath: file.path, withDestinationPath: target)
            try file.replace(with: [1])
            try expectEqual(AtomicFile(target).read(), Array("kept".utf8))
            #expect(throws: (any Error).self) { try files.destinationOfSymbolicLink(atPath: file.path) }
            try expectEqual(file.read(), [1])
        }
    }

    @Test func `A file that is replaced as a whole that cannot take its place leaves nothing behind`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try files.createDirectory(atPath: file.path, withIntermediateDirectories: true)
            let failure = #expect(throws: FileError.self) { try file.replace(with: [1]) }
            expectEqual(failure?.operation, "rename")
            expectEqual(failure?.path, file.path)
            try expectEqual(files.contentsOfDirectory(atPath: folder), ["f"])
        }
    }

    @Test func `A file whose folder is missing is an error to write and none to remove`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/missing/f")
            let failure = #expect(throws: FileError.self) { try file.replace(with: [1]) }
            expectEqual(failure?.reason, .missing)
            expectEqual(failure?.operation, "open")
            try file.remove()
        }
    }

    @Test func `A file that is replaced as a whole that is a folder cannot be read, nor removed`() async throws {
        try await withTemporaryFolder { folder in
            #expect(throws: FileError.self) { try AtomicFile(folder).read() }
            #expect(throws: FileError.self) { try AtomicFile(folder).remove() }
            #expect(files.fileExists(atPath: folder))
        }
    }

    @Test func `A file that is replaced as a whole is gone after it was removed, once or twice`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try file.replace(with: [1])
            try file.remove()
            try expectNil(file.read())
            try file.remove()
            #expect(try files.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    /// A process may be forbidden to write files above a size, which fails like a full disk and needs no real one.
    @Test func `A file that is replaced as a whole keeps the old bytes if there is no room for new ones`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await withTemporaryFolder { folder in
                let file = AtomicFile("\(folder)/f")
                try file.replace(with: [1, 2, 3])
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 1_000, rlim_max: 1_000)
                setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
                let failure = #expect(throws: FileError.self) {
                    try file.replace(with: [UInt8](repeating: 9, count: 5_000))
                }
                expectEqual(failure?.reason, .full)
                expectEqual(failure?.operation, "write")
                try expectEqual(file.read(), [1, 2, 3])
                try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["f"])
            }
        }
    }
}
