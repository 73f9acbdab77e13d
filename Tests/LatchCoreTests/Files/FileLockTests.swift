// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Testing

/// Adds one to the number in a file, as often as told, in the way that loses additions when two do it at the same time.
private func count(_ times: Int, in path: String) throws {
    let file = AtomicFile(path)
    for _ in 0..<times {
        try file.locked { () throws(FileError) in
            let number = try file.read().flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
            try file.replace(with: Array(String(number + 1).utf8))
        } onFailure: {
            $0
        }
    }
}

@Suite struct FileLockTests {
    private func number(in path: String) throws -> String? {
        try AtomicFile(path).read().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `The lock of a file keeps the threads of a process apart`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/number"
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try count(20, in: path) } }
                try await group.waitForAll()
            }
            try expectEqual(number(in: path), "80")
        }
    }

    @Test func `The lock of a file keeps processes apart`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/number"
            async let first = #expect(processExitsWith: .success) { [path = path as String] in
                alarm(120)
                try count(40, in: path)
            }
            async let second = #expect(processExitsWith: .success) { [path = path as String] in
                alarm(120)
                try count(40, in: path)
            }
            try count(40, in: path)
            _ = await (first, second)
            try expectEqual(number(in: path), "120")
        }
    }

    @Test func `The lock of a file ends with the process that held it`() async throws {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/number"
            await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
                alarm(120)
                try AtomicFile(path).locked { () throws(FileError) -> Void in
                    exit(7)
                } onFailure: {
                    $0
                }
            }
            try count(1, in: path)
            try expectEqual(number(in: path), "1")
        }
    }

    private func number(from file: AtomicFile) throws -> Int {
        try file.locked { () throws(FileError) in
            42
        } onFailure: {
            $0
        }
    }

    @Test func `The lock of a file passes on the body's result or error, and is free after both`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try expectEqual(number(from: file), 42)
            #expect(throws: CancellationError.self) {
                try file.locked { () throws(any Error) -> Void in
                    throw CancellationError()
                } onFailure: {
                    $0
                }
            }
            try expectEqual(number(from: file), 42)
            let content = try file.read()
            expectNil(content)
        }
    }

    @Test func `The lock of a file is not taken through a symbolic link`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try FileManager.default.createSymbolicLink(
                atPath: "\(folder)/f.lock", withDestinationPath: "\(folder)/elsewhere")
            let failure = #expect(throws: FileError.self) {
                try file.locked { () throws(FileError) in
                    Issue.record("It ran without the lock.")
                } onFailure: {
                    $0
                }
            }
            expectEqual(failure?.reason, .denied)
            #expect(!FileManager.default.fileExists(atPath: "\(folder)/elsewhere"))
        }
    }

    @Test func `The lock of a file is an error, in the caller's words, if its folder is missing`() async throws {
        struct Unavailable: Error, Equatable { var path: String }
        try await withTemporaryFolder { (folder: String) throws -> Void in
            #expect(throws: Unavailable(path: "\(folder)/no/f.lock")) {
                try AtomicFile("\(folder)/no/f").locked { () throws(Unavailable) in
                } onFailure: {
                    Unavailable(path: $0.path)
                }
            }
        }
    }
}

@Suite struct SystemCallErrorTests {
    @Test(
        arguments: [
            (ENOENT, .missing), (EACCES, .denied), (EPERM, .denied), (ELOOP, .denied), (EROFS, .readOnly),
            (ENOSPC, .full), (EDQUOT, .full), (EFBIG, .full), (EISDIR, .other), (EIO, .other), (0, .other),
        ] as [(Int32, FileError.Reason)])
    func `A failed system call is distinguished where it matters`(number: Int32, reason: FileError.Reason) {
        expectEqual(FileError("open", "/f", number: number).reason, reason)
    }

    @Test func `A failed system call names the call, the file and the system's reason`() {
        expectEqual("\(FileError("open", "/a/b", number: ENOENT))", "open /a/b: No such file or directory")
    }
}
