// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@testable import LatchGenerator

@Suite struct StagedOutputTests {
    /// Enough for several threads, in folders that lie in others.
    private static let files = (0..<300).map { number in
        GeneratedFile(path: "a/\(number % 7)/\(number % 3)/F\(number).swift", text: "file \(number)\n")
    }

    private func staged(_ files: [GeneratedFile], in folder: ProjectFolder) throws -> StagedOutput {
        let staged = StagedOutput(in: try OutputFolder(folder.path))
        try staged.stage(files.map { ($0.path, $0.text) })
        return staged
    }

    @Test func `Files that are staged together appear together, each with its text`() throws {
        try ProjectFolder.with { folder throws in
            let staged = try staged(Self.files, in: folder)
            #expect(try folder.names().allSatisfy { $0.hasSuffix(".tmp") })
            try staged.commit()
            let expected = Dictionary(uniqueKeysWithValues: Self.files.map { ($0.path, $0.text) })
            try expectEqual(folder.content(), expected)
        }
    }

    @Test func `Files that are staged together leave no file and no folder behind when they are dropped`() throws {
        try ProjectFolder.with(["mine/A.swift": "mine\n"]) { folder throws in
            _ = try staged(Self.files, in: folder)
            try expectEqual(folder.everything(), ["mine", "mine/A.swift"])
        }
    }

    @Test(arguments: [0, 150, 299])
    func `Files that are staged together leave nothing behind if one of them cannot be written`(number: Int) throws {
        try ProjectFolder.with(["mine": "a file\n"]) { folder throws in
            var files = Self.files
            files[number].path = "mine/A.swift"
            #expect(throws: FileError.self) { try staged(files, in: folder) }
            try expectEqual(folder.everything(), ["mine"])
        }
    }
}
