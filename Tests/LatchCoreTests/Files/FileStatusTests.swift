// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Testing

@Suite struct FileStatusTests {
    @Test func `The attributes of a symbolic link are its target's`() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            try files.createDirectory(atPath: "\(folder)/folder", withIntermediateDirectories: false)
            #expect(files.createFile(atPath: "\(folder)/folder/f", contents: nil))
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(folder)/folder/f")
            try files.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "folder")
            try files.createSymbolicLink(atPath: "\(folder)/f", withDestinationPath: "link/f")
            try files.createSymbolicLink(atPath: "\(folder)/lost", withDestinationPath: "nothing")

            expectEqual(FileStatus(of: "\(folder)/link")?.isFolder, true)
            let status = try #require(FileStatus(of: "\(folder)/f"))
            #expect(status.isFile && status.permissions == 0o600 && !status.isOpenToOthers)
            expectEqual(status.inode, FileStatus(of: "\(folder)/folder/f")?.inode)
            expectNil(FileStatus(of: "\(folder)/lost"))

            let link = try #require(FileStatus(of: "\(folder)/f", followsLink: false))
            #expect(!link.isFile && !link.isFolder && link.inode != status.inode)
        }
    }

    @Test(arguments: [(0o600, false, false), (0o620, true, false), (0o604, true, true), (0o711, false, false)])
    func `The attributes of a file say who can access it`(mode: Int, isOpen: Bool, isReadable: Bool) async throws {
        try await withTemporaryFolder { folder in
            #expect(FileManager.default.createFile(atPath: "\(folder)/f", contents: nil))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(folder)/f")
            let status = try #require(FileStatus(of: "\(folder)/f"))
            #expect(status.isOpenToOthers == isOpen && status.isReadableByOthers == isReadable)
        }
    }
}
