// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Testing

@Suite struct SetAsideTests {
    @Test func `A file that is set aside keeps its content under a name that states the reason`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try file.replace(with: [1, 2])
            try expectEqual(file.setAside(suffix: "corrupt"), "\(folder)/f.corrupt")
            try expectNil(file.read())
            try expectEqual(AtomicFile("\(folder)/f.corrupt").read(), [1, 2])
        }
    }

    @Test func `A file that is set aside takes the first name that is free and overwrites none`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            var names: [String?] = []
            for round in 1...4 {
                try file.replace(with: [UInt8(round)])
                names.append(try file.setAside(suffix: "old"))
            }
            expectEqual(names, ["f.old", "f.old-2", "f.old-3", "f.old-4"].map { "\(folder)/\($0)" })
            for (number, name) in zip(UInt8(1)..., names.compactMap { $0 }) {
                try expectEqual(AtomicFile(name).read(), [number])
            }
            try AtomicFile("\(folder)/f.old-2").remove()
            try file.replace(with: [9])
            try expectEqual(file.setAside(suffix: "old"), "\(folder)/f.old-2")
        }
    }

    @Test func `A file that is set aside is nil if there was none`() async throws {
        try await withTemporaryFolder { (folder: String) throws in
            try expectNil(AtomicFile("\(folder)/f").setAside(suffix: "old"))
            try expectNil(AtomicFile("\(folder)/no/f").setAside(suffix: "old"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        }
    }

    @Test func `A file that is set aside is an error if every name is taken, and stays in place`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/f")
            try file.replace(with: [7])
            for number in 1...1_000 {
                let name = "\(file.path).old" + (number == 1 ? "" : "-\(number)")
                #expect(FileManager.default.createFile(atPath: name, contents: nil))
            }
            let failure = #expect(throws: FileError.self) { try file.setAside(suffix: "old") }
            expectEqual(failure?.number, EEXIST)
            try expectEqual(file.read(), [7])
        }
    }

    @Test func `A symbolic link that is set aside is moved itself, and not its target`() async throws {
        try await withTemporaryFolder { folder in
            let target = AtomicFile("\(folder)/target")
            try target.replace(with: [3])
            let file = AtomicFile("\(folder)/f")
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target.path)
            let aside = try #require(try file.setAside(suffix: "old"))
            try expectEqual(FileManager.default.destinationOfSymbolicLink(atPath: aside), target.path)
            try expectEqual(target.read(), [3])
        }
    }
}

@Suite struct FileFolderTests {
    @Test(arguments: [
        ("/a/b/c", "/a/b"), ("/a", "/"), ("a", "."), ("a/b", "a"), ("./a", "."), ("/a/b/", "/a/b"), ("", "."),
    ])
    func `The folder of a file is the part before its last slash`(path: String, folder: String) {
        expectEqual(AtomicFile(path).folder, folder)
    }

    @Test
    func `The folder of a file is made with its parents, for the owner only, and can exist already`() async throws {
        try await withTemporaryFolder { folder in
            let file = AtomicFile("\(folder)/a/b/c/f")
            try file.makeFolder()
            try file.makeFolder()
            for made in ["a", "a/b", "a/b/c"] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(made)")
                expectEqual(attributes[.type] as? FileAttributeType, .typeDirectory)
                expectEqual(attributes[.posixPermissions] as? Int, 0o700)
            }
            try file.replace(with: [1])
        }
    }

    @Test(arguments: ["blocked/f", "blocked/deeper/f"])
    func `The folder of a file cannot be made if a file has its name`(path: String) async throws {
        try await withTemporaryFolder { folder in
            try AtomicFile("\(folder)/blocked").replace(with: [1])
            let failure = #expect(throws: FileError.self) { try AtomicFile("\(folder)/\(path)").makeFolder() }
            expectEqual(failure?.operation, "mkdir")
            try expectEqual(AtomicFile("\(folder)/blocked").read(), [1])
        }
    }

    @Test func `The folder of a file that exists needs no permission to write to its parent`() throws {
        // A folder of the kernel's takes no new ones, and this one is there.
        try AtomicFile("/sys/kernel/f").makeFolder()
        let failure = #expect(throws: FileError.self) { try AtomicFile("/sys/latch/f").makeFolder() }
        expectEqual(failure?.path, "/sys/latch")
    }
}
