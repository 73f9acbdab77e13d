// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchFoundation
import TestTags
import Testing

@testable import LatchGenerator

@Suite struct OutputPlanTests {
    private static let two = [
        GeneratedFile(path: "swift/A.swift", text: "a\n"), GeneratedFile(path: "swift/deep/B.swift", text: "b\n"),
    ]

    private func plan(
        _ files: [GeneratedFile] = two, in folder: ProjectFolder, origin: String = "protos", force: Bool = false
    ) throws -> OutputPlan { try OutputPlan(files, in: folder.path, origin: origin, force: force) }

    @discardableResult
    private func write(
        _ files: [GeneratedFile] = two, in folder: ProjectFolder, origin: String = "protos", force: Bool = false
    ) throws -> OutputPlan {
        let plan = try plan(files, in: folder, origin: origin, force: force)
        try plan.apply()
        return plan
    }

    @Test(.tags(.reproducibleOutput))
    func `The writer of generated files makes the same bytes twice, and touches nothing the second time`() throws {
        try ProjectFolder.with { folder throws in
            try write(in: folder)
            let before = try folder.content()
            let stamps = try folder.names().map { try Self.number(of: "\(folder.path)/\($0)") }
            let again = try write(in: folder)
            #expect(again.isCurrent && again.changes.isEmpty)
            try expectEqual(folder.content(), before)
            try expectEqual(folder.names().map { try Self.number(of: "\(folder.path)/\($0)") }, stamps)
        }
    }

    @Test func `The writer of generated files follows no link, and writes no name with a control character`() throws {
        try ProjectFolder.with { folder throws in
            try write(in: folder)
            try behind(linkNamed: "deep\u{600}", in: folder)
            let (outside, inside) = ("\(folder.path)-outside", "\(folder.path)/swift/deep")
            try FileManager.default.moveItem(atPath: inside, toPath: outside)
            defer { try? FileManager.default.removeItem(atPath: outside) }
            try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
            let linked = try plan(in: folder, force: true)
            expectEqual(linked.conflicts, [.init(path: "swift/deep/B.swift", reason: .linked)])
            // The manifest names the file behind the link, with its content.
            let rest = try write([Self.two[0]], in: folder)
            #expect(rest.changes.isEmpty)
            #expect(FileManager.default.fileExists(atPath: "\(outside)/B.swift"))
            for path in ["swift/a\nb.swift", "swift/a\rb.swift", "swift/\u{1B}[2J.swift"] {
                #expect(throws: GeneratorError.self) { try plan([GeneratedFile(path: path, text: "")], in: folder) }
            }
        }
    }

    @Test(arguments: ["swift", "swift/deep"])
    func `The writer of generated files writes nothing behind a link that replaces a folder after the plan`(
        place: String
    ) throws {
        try ProjectFolder.with { folder throws in
            let out = ProjectFolder(path: folder.path + "/out")
            try write(in: out)
            try folder.write("mine\n", to: "outside/B.swift")
            try folder.write("mine\n", to: "outside/A.swift")
            let changed = Self.two.map { GeneratedFile(path: $0.path, text: "new\n") }
            let plan = try plan(changed, in: out)
            try FileManager.default.moveItem(atPath: "\(out.path)/\(place)", toPath: folder.path + "/aside")
            try FileManager.default.createSymbolicLink(
                atPath: "\(out.path)/\(place)", withDestinationPath: folder.path + "/outside")
            #expect(throws: GeneratorError.unwritableOutput) { try plan.apply() }
            try expectEqual(
                ProjectFolder(path: folder.path + "/outside").content(),
                [
                    "A.swift": "mine\n", "B.swift": "mine\n",
                ])
        }
    }

    @Test
    func `The writer of generated files follows no link that is the folder of the output`()
        throws
    {
        try ProjectFolder.with(["outside/x": "mine\n"]) { folder throws in
            let (out, outside) = (ProjectFolder(path: folder.path + "/out"), folder.path + "/outside")
            let plan = try plan(in: out)
            try FileManager.default.createSymbolicLink(atPath: out.path, withDestinationPath: outside)
            #expect(throws: GeneratorError.unwritableOutput) { try plan.apply() }
            let error = #expect(throws: GeneratorError.impossibleOutput) { try self.plan(in: out) }
            expectEqual(error?.message.contains("is a link"), true)
            try expectEqual(folder.everything(), ["out", "outside", "outside/x"])
        }
    }

    @Test(arguments: [true, false])
    func `The writer of generated files follows links only above the folder of latchwork.toml`(
        isRelative: Bool
    ) throws {
        try ProjectFolder.with { folder throws in
            let (real, link) = (folder.path + "/real", folder.path + "/root")
            let root = isRelative ? RelativePath.from(".", to: link) : link
            expectEqual(root.hasPrefix(".."), isRelative)
            try folder.write("mine\n", to: "outside/x")
            try folder.write("", to: "real/gen/x")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: real)
            func plan() throws -> OutputPlan {
                try OutputPlan(Self.two, in: root + "/gen/./sub/../out", within: root, origin: "protos")
            }
            try plan().apply()
            try expectEqual(ProjectFolder(path: real + "/gen/out").content()["swift/A.swift"], "a\n")
            let changed = try OutputPlan([Self.two[0]], in: root + "/gen/new", within: root, origin: "protos")
            try FileManager.default.moveItem(atPath: real + "/gen", toPath: real + "/aside")
            try FileManager.default.createSymbolicLink(
                atPath: real + "/gen", withDestinationPath: folder.path + "/outside")
            #expect(throws: GeneratorError.unwritableOutput) { try changed.apply() }
            #expect(throws: GeneratorError.impossibleOutput) { try plan() }
            try expectEqual(ProjectFolder(path: folder.path + "/outside").everything(), ["x"])
        }
    }

    @Test func `The writer of generated files reads no file of gigabytes, neither to compare nor to check it`() throws {
        try ProjectFolder.with(["swift/A.swift": ""]) { folder throws in
            // A file with a hole takes no room.
            let file = try #require(FileHandle(forWritingAtPath: folder.path + "/swift/A.swift"))
            try file.truncate(atOffset: 3 << 30)
            try file.close()
            try expectEqual(plan(in: folder, force: true).conflicts.map(\.reason), [.unreadable])
            let error = #expect(throws: GeneratorError.self) { try SwiftCheck.files(at: folder.path) }
            expectEqual(error?.message.contains("has more than 64 MiB"), true)
        }
    }

    @Test
    func `The writer of generated files removes nothing behind a link that replaces a folder after the plan`() throws {
        try ProjectFolder.with { folder throws in
            let out = ProjectFolder(path: folder.path + "/out")
            try write(in: out)
            let plan = try plan([Self.two[0]], in: out)
            expectEqual(plan.changes.map(\.action), [.remove])
            let (inside, outside) = (out.path + "/swift/deep", folder.path + "/outside")
            try FileManager.default.moveItem(atPath: inside, toPath: outside)
            try FileManager.default.createSymbolicLink(atPath: inside, withDestinationPath: outside)
            #expect(throws: GeneratorError.unwritableOutput) { try plan.apply() }
            #expect(FileManager.default.fileExists(atPath: outside + "/B.swift"))
        }
    }

    /// A repository that contains a bare one, whose settings name a program: git would find it without `.git/HEAD`.
    @Test(arguments: [".git/HEAD", "a/.env", "Makefile", "script.sh", "swift/../.git/HEAD"])
    func `The writer of generated files removes only generated files, whatever a manifest says`(path: String) throws {
        try ProjectFolder.with { folder throws in
            try folder.write("ref: refs/heads/main\n", to: path)
            let digest = FileDigest(of: Array("ref: refs/heads/main\n".utf8)).text
            try folder.write(
                #"{"version":2,"files":{"\#(path)":{"digests":["\#(digest)"],"from":["protos"]}}}"#,
                to: OutputManifest.name)
            let plan = try write(in: folder)
            #expect(!plan.changes.contains { $0.action == .remove } && plan.orphans.isEmpty)
            expectEqual(folder.text(path), "ref: refs/heads/main\n")
            #expect(throws: GeneratorError.self) {
                try self.plan([GeneratedFile(path: ".git/hooks/A.swift", text: "")], in: folder)
            }
        }
    }

    @Test func `The writer of generated files accepts no control character in the path of its folder`() throws {
        try ProjectFolder.with { folder throws in
            for name in ["x/..\u{0}/..\u{0}/other", "a\u{0}", "a\nb"] {
                #expect(throws: GeneratorError.self) {
                    try OutputPlan(Self.two, in: "\(folder.path)/\(name)", origin: "protos")
                }
            }
        }
    }

    @Test func `The writer of generated files makes the folder of the output with all missing parents`() throws {
        try ProjectFolder.with { folder throws in
            let out = ProjectFolder(path: folder.path + "/a/b/c")
            try write(in: out)
            expectEqual(out.text("swift/deep/B.swift"), "b\n")
            try write([], in: out)
            try expectEqual(folder.everything(), ["a", "a/b", "a/b/c", "a/b/c/\(OutputManifest.name)"])
        }
    }

    @Test func `The writer of generated files shows nothing of a file that a link leads to`() throws {
        try ProjectFolder.with(["env": "SECRET=topsecret\n"]) { folder throws in
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/A.swift", withDestinationPath: folder.path + "/env")
            let plan = try plan([GeneratedFile(path: "A.swift", text: "x")], in: folder, force: true)
            expectEqual(plan.steps.map(\.old), [[]])
            try plan.apply()
            try expectEqual(folder.content()["env"], "SECRET=topsecret\n")
            try expectEqual(folder.content()["A.swift"], "x")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [OutputManifest.name, "A.swift"])
    func `The writer of generated files does not wait for a pipe in the place of a file`(name: String) throws {
        try ProjectFolder.with { folder throws in
            expectEqual(mkfifo("\(folder.path)/\(name)", 0o600), 0)
            let file = GeneratedFile(path: "A.swift", text: "x")
            if name == OutputManifest.name {
                #expect(throws: GeneratorError.unwritableOutput) { try plan([file], in: folder) }
            } else {
                try expectEqual(plan([file], in: folder).conflicts.map(\.reason), [.unreadable])
            }
        }
    }

    /// A folder whose name ends with a mark that merges with the slash after it.
    private func behind(linkNamed name: String, in folder: ProjectFolder) throws {
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/swift/\(name)", withDestinationPath: "/tmp")
        let linked = try plan([GeneratedFile(path: "swift/\(name)/B.swift", text: "")], in: folder, force: true)
        expectEqual(linked.conflicts.map(\.reason), [.linked])
        try FileManager.default.removeItem(atPath: "\(folder.path)/swift/\(name)")
    }

    /// The file's number in its file system, which a file that replaces it does not have.
    private static func number(of path: String) throws -> UInt64 {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? UInt64)
    }

    @Test(.tags(.reproducibleOutput))
    func `The writer of generated files refuses, before any write, to replace a file it did not write`() throws {
        try ProjectFolder.with(["swift/deep/B.swift": "mine\n"]) { folder throws in
            let before = try folder.content()
            let plan = try plan(in: folder)
            expectEqual(plan.conflicts, [.init(path: "swift/deep/B.swift", reason: .foreign)])
            #expect(throws: GeneratorError.foreignFiles) { try plan.apply() }
            try expectEqual(folder.content(), before)
        }
    }

    @Test(.tags(.reproducibleOutput))
    func `The writer of generated files overwrites files of other origin only on request`() throws {
        try ProjectFolder.with(["swift/A.swift": "mine\n", "swift/Other.swift": "mine\n"]) { folder throws in
            try write(in: folder, force: true)
            expectEqual(folder.text("swift/A.swift"), "a\n")
            expectEqual(folder.text("swift/Other.swift"), "mine\n", "only generated files are replaced")
        }
    }

    @Test
    func `The writer of generated files refuses to overwrite edited files, and reverts the edits on request`() throws {
        try ProjectFolder.with { folder throws in
            try write(in: folder)
            try folder.write("edited\n", to: "swift/A.swift")
            let changed = [GeneratedFile(path: "swift/A.swift", text: "new\n")]
            try expectEqual(plan(changed, in: folder).conflicts.map(\.reason), [.edited])
            #expect(throws: GeneratorError.foreignFiles) { try write(changed, in: folder) }
            #expect(folder.text("swift/A.swift") == "edited\n" && folder.text("swift/deep/B.swift") == "b\n")
            try write(changed, in: folder, force: true)
            expectEqual(folder.text("swift/A.swift"), "new\n")
        }
    }

    @Test func `The writer of generated files recognizes a file with the right bytes as its own`() throws {
        try ProjectFolder.with(["swift/A.swift": "a\n"]) { folder throws in
            try expectEqual(write(in: folder).changes.map(\.path), ["swift/deep/B.swift"])
            try write([GeneratedFile(path: "swift/A.swift", text: "new\n")], in: folder)
            expectEqual(folder.text("swift/A.swift"), "new\n")
        }
    }

    @Test func `The writer of generated files removes obsolete files, with folders that become empty`() throws {
        try ProjectFolder.with { folder throws in
            try write(in: folder)
            try write([Self.two[0]], in: folder)
            try expectEqual(folder.names(), [OutputManifest.name, "swift/A.swift"])
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/swift/deep"))
        }
    }

    @Test func `The writer of generated files keeps edited obsolete files, and reports them once`() throws {
        try ProjectFolder.with { folder throws in
            try write(in: folder)
            try folder.write("edited\n", to: "swift/deep/B.swift")
            let plan = try write([Self.two[0]], in: folder)
            expectEqual(plan.orphans, ["swift/deep/B.swift"])
            expectEqual(folder.text("swift/deep/B.swift"), "edited\n")
            #expect(try write([Self.two[0]], in: folder).orphans.isEmpty)
        }
    }

    @Test func `The writer of generated files keeps files from other .proto files`() throws {
        try ProjectFolder.with { folder throws in
            let common = GeneratedFile(path: "swift/Common.swift", text: "c\n")
            try write([Self.two[0], common], in: folder, origin: "one")
            try write([Self.two[1], common], in: folder, origin: "two")
            expectEqual(folder.text("swift/A.swift"), "a\n")
            try write([Self.two[1]], in: folder, origin: "two")
            expectEqual(folder.text("swift/Common.swift"), "c\n", "the first still makes it")
            try write([Self.two[0]], in: folder, origin: "one")
            expectNil(folder.text("swift/Common.swift"))
        }
    }

    @Test func `The writer of generated files recognizes its files after a run that was ended in the middle`() throws {
        try ProjectFolder.with { folder throws in
            try write(in: folder)
            // As a run leaves it that was ended between two renames: the manifest knows both, one file is new.
            let new = Self.two.map { GeneratedFile(path: $0.path, text: $0.text + "more\n") }
            let interrupted = try plan(new, in: folder)
            var manifest = interrupted.manifest
            for (path, entry) in manifest.entries {
                let old = Self.two.first { $0.path == path }.map { FileDigest(of: Array($0.text.utf8)) }
                manifest.entries[path]?.digests = entry.digests + [old].compactMap(\.self)
            }
            try folder.write(String(decoding: manifest.bytes, as: UTF8.self), to: OutputManifest.name)
            try folder.write(new[0].text, to: new[0].path)
            let third = Self.two.map { GeneratedFile(path: $0.path, text: "third\n") }
            #expect(try plan(third, in: folder).conflicts.isEmpty)
        }
    }

    @Test func `The writer of generated files leaves nothing behind if a file cannot be made`() throws {
        // A file stands where a folder is needed.
        try ProjectFolder.with(["swift/deep": "a file\n"]) { folder throws in
            #expect(throws: GeneratorError.self) { try write(in: folder) }
            try expectEqual(folder.names(), ["swift/deep"])
        }
    }

    @Test(arguments: [
        "../A.swift", "/etc/A.swift", "a/../../A.swift", "", "a//b", "./a", OutputManifest.name,
        // As a Character the slash merges with the mark after or before it.
        "../\u{301}w\u{600}/../A.swift", "a\u{600}/../../A.swift", "/\u{301}etc/A.swift",
    ])
    func `The writer of generated files refuses names that lead out of the folder`(path: String) throws {
        try ProjectFolder.with { folder throws in
            #expect(throws: GeneratorError.impossibleOutput) {
                try plan([GeneratedFile(path: path, text: "x")], in: folder)
            }
        }
    }

    @Test func `The writer of generated files refuses two files of one name, regardless of case`() throws {
        try ProjectFolder.with { folder throws in
            #expect(throws: GeneratorError.impossibleOutput) {
                try plan(
                    [GeneratedFile(path: "A.swift", text: "x"), GeneratedFile(path: "a.swift", text: "y")], in: folder)
            }
        }
    }

    @Test func `The writer of generated files never overwrites a folder`() throws {
        try ProjectFolder.with(["swift/A.swift/x": "x"]) { folder throws in
            let plan = try plan(in: folder, force: true)
            expectEqual(plan.conflicts, [.init(path: "swift/A.swift", reason: .unreadable)])
        }
    }

    @Test func `The writer of generated files writes files with the permissions of the process`() throws {
        try ProjectFolder.with { folder throws in
            try write(in: folder)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/swift/A.swift")
            let mode = try #require(attributes[.posixPermissions] as? UInt)
            #expect(mode & 0o600 == 0o600 && mode & 0o111 == 0)
        }
    }

    @Test func `The writer of generated files writes a reproducible manifest, without time or machine`() throws {
        try ProjectFolder.with { one throws in
            try ProjectFolder.with { other throws in
                try write(in: one)
                try write(Self.two.reversed(), in: other)
                let text = try #require(one.text(OutputManifest.name))
                expectEqual(text, other.text(OutputManifest.name))
                #expect(!text.contains(one.path))
                #expect(text.hasSuffix("}\n"))
            }
        }
    }

    @Test(arguments: ["", "<<<<<<< HEAD", "[]", "{}", #"{"version": 2}"#, #"{"version": 3, "files": {}}"#])
    func `The writer of generated files stops at a damaged or later manifest, and keeps it`(manifest: String) throws {
        try ProjectFolder.with(["swift/A.swift": "x\n", OutputManifest.name: manifest]) { folder throws in
            let error = #expect(throws: GeneratorError.self) { try plan(in: folder) }
            #expect(error?.code == "unwritableOutput" && error?.message.contains(OutputManifest.name) == true)
            try expectEqual(#require(folder.text(OutputManifest.name)), manifest)
        }
    }

    @Test(arguments: [#"{"version": 1, "files": {}}"#, #"{"version": 1}"#])
    func `The writer of generated files claims no file by a manifest of an earlier version`(manifest: String) throws {
        try ProjectFolder.with(["swift/A.swift": "x\n", OutputManifest.name: manifest]) { folder throws in
            try expectEqual(plan(in: folder).conflicts.map(\.reason), [.foreign])
        }
    }
}
