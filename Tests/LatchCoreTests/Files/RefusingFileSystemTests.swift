// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import Testing

@testable import LatchCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// SMB, FAT, shared folders of virtual machines and user namespaces refuse hard links, owners and permissions.
///
/// `make interop` runs these tests, with a folder that does.
@Suite(
    .serialized,
    .enabled(
        if: ProcessInfo.processInfo.environment["LATCH_REFUSING_FOLDER"] != nil, "needs the file system of make interop"
    ))
struct RefusingFileSystemTests {
    private let folder: String

    init() throws {
        folder = try #require(ProcessInfo.processInfo.environment["LATCH_REFUSING_FOLDER"]) + "/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    @Test func `Files of a file system without links, owners and permissions fail where the tests say`() throws {
        let file = AtomicFile("\(folder)/f")
        try file.replace(with: [1])
        #expect(link(file.path, "\(folder)/g") == -1 && errno == EPERM)
        let open = open(file.path, O_RDONLY)
        defer { close(open) }
        expectEqual(fchmod(open, 0o644), -1)
        expectEqual(fchown(open, 1, 1), -1)
    }

    /// oven-sh/bun#36853, termux/termux-app#837.
    @Test func `Files of a refusing file system are set aside, each under a separate name`() throws {
        let file = AtomicFile("\(folder)/f")
        for number: UInt8 in 1...3 {
            try file.replace(with: [number])
            let aside = try #require(try file.setAside(suffix: "corrupt"))
            expectEqual(aside, "\(folder)/f.corrupt" + (number == 1 ? "" : "-\(number)"))
            try expectEqual(AtomicFile(aside).read(), [number])
        }
        try expectNil(file.setAside(suffix: "corrupt"))
    }

    @Test func `Files of a refusing file system appear complete, and replace no other file`() throws {
        let new = try NewFile("\(folder)/f")
        try new.write([1])
        try new.publish()
        try expectEqual(AtomicFile("\(folder)/f").read(), [1])
        let late = try NewFile("\(folder)/g")
        try AtomicFile("\(folder)/g").replace(with: [2])
        let error = #expect(throws: FileError.self) { try late.publish() }
        expectEqual(error?.isExisting, true)
        try expectEqual(AtomicFile("\(folder)/g").read(), [2])
    }

    /// OCR-D/core#1366, lima-vm/lima#231.
    @Test(arguments: [0o644, 0o666])
    func `Files of a refusing file system are replaced if the new one allows no more`(mode: Int) async throws {
        let path = "\(folder)/f"
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        let writer = try FileWriter(replacing: path)
        try await writer.write([1])
        try await writer.commit()
        try expectEqual(AtomicFile(path).read(), [1])
    }

    @Test func `Files of a refusing file system keep their owner, for any umask`() async throws {
        let path = "\(folder)/f"
        #expect(try AtomicFile(path).create())
        let earlier = umask(0o022)
        defer { umask(earlier) }
        let writer = try FileWriter(replacing: path)
        try await writer.commit()
        expectEqual(FileStatus(of: path)?.permissions, 0o600)
    }

    @Test func `Files of a refusing file system lose the permissions of a group that cannot be set`() async throws {
        let path = "\(folder)/f"
        #expect(try AtomicFile(path).create())
        #expect(chown(path, getuid(), 54_321) == 0 && chmod(path, 0o640) == 0)
        let writer = try FileWriter(replacing: path)
        try await writer.commit()
        expectEqual(FileStatus(of: path)?.permissions, 0o600)
    }

    /// podman#8592: the root of a user namespace cannot set a group that is not mapped, and the folder has set it already.
    @Test func `Files of a refusing file system keep their owner without a call`() throws {
        let file = AtomicFile("\(folder)/f")
        for number: UInt8 in 1...2 { try file.replace(with: [number]) }
        try expectEqual(file.read(), [2])
    }

    /// hashicorp/best-practices#223: a script that writes keys takes permissions from everybody.
    @Test(arguments: [0o177, 0o277, 0o777])
    func `Files elsewhere are their owner's under every umask`(mask: Int) throws {
        let home = FileManager.default.temporaryDirectory.path + "/latch-umask-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: home) }
        let earlier = umask(mode_t(mask))
        defer { umask(earlier) }
        let file = AtomicFile(home + "/a/b/f")
        try file.makeFolder()
        try file.replace(with: [1])
        close(try AtomicFile(home + "/a/b/g").openOrCreate(O_RDWR))
        for (path, mode) in [("", 0o700), ("/a", 0o700), ("/a/b", 0o700), ("/a/b/f", 0o600), ("/a/b/g", 0o600)] {
            expectEqual(FileStatus(of: home + path)?.permissions, UInt(mode), "\(path)")
        }
    }

    /// pallets/click#1512, stacklok/toolhive#3979: a file that is mounted by itself into a container.
    @Test func `Files of a refusing file system get the content in place if they are mounted`() async throws {
        let path = "\(folder)/mounted"
        try Data(repeating: 7, count: 1_000_000).write(to: URL(fileURLWithPath: path))
        let writer = try FileWriter(replacing: path)
        try await writer.write([UInt8](repeating: 1, count: 300_000))
        try await writer.write([2])
        try await writer.commit()
        try expectEqual(AtomicFile(path).read(), [UInt8](repeating: 1, count: 300_000) + [2])
        try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), ["mounted"])
    }
}
