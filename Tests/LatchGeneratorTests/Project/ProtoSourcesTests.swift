// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchFoundation
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct ProtoSourcesTests {
    private static let head = "syntax = \"proto3\";\n"

    @Test func `The search for .proto files names a file from the folder that its package leads to`() throws {
        try ProjectFolder.with(["protos/user/v1/a.proto": Self.head + "package user.v1;\n"]) { folder throws in
            let sources = try ProtoSources.find([folder.path + "/protos/user/v1/a.proto"], includes: [])
            expectEqual(sources.names, ["user/v1/a.proto"])
            expectEqual(sources.path(of: "user/v1/a.proto"), folder.path + "/protos/user/v1/a.proto")
        }
    }

    @Test func `The search for .proto files names a file from its own folder if its package leads nowhere`() throws {
        try ProjectFolder.with(["x/a.proto": Self.head + "package other;\n", "x/b.proto": Self.head]) { folder throws in
            let sources = try ProtoSources.find([folder.path + "/x/a.proto", folder.path + "/x/b.proto"], includes: [])
            expectEqual(sources.names, ["a.proto", "b.proto"])
            expectEqual(sources.roots, [folder.path + "/x"])
        }
    }

    @Test func `The search for .proto files names a file from the nearest included folder, as protoc does`() throws {
        try ProjectFolder.with(["x/y/a.proto": Self.head + "package y;\n"]) { folder throws in
            let path = folder.path + "/x/y/a.proto"
            try expectEqual(ProtoSources.find([path], includes: [folder.path]).names, ["x/y/a.proto"])
            let both = try ProtoSources.find([path], includes: [folder.path, folder.path + "/x/"])
            expectEqual(both.names, ["y/a.proto"])
        }
    }

    @Test func `The search for .proto files goes down folders in one order, but skips hidden ones and links`() throws {
        try ProjectFolder.with([
            "b/z.proto": Self.head, "a/y.proto": Self.head, "x.proto": Self.head, ".hidden/h.proto": Self.head,
            "a/notes.txt": "",
        ]) { folder throws in
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/a/loop", withDestinationPath: folder.path)
            try expectEqual(
                ProtoSources.find([folder.path], includes: []).names, ["a/y.proto", "b/z.proto", "x.proto"])
        }
    }

    @Test func `The search for .proto files refuses two files whose names are one in Unicode`() throws {
        try ProjectFolder.with(["\u{E9}.proto": Self.head]) { folder throws in
            try Data(Self.head.utf8).write(to: URL(filePath: folder.path + "/e\u{301}.proto"))
            #expect(throws: GeneratorError.impossibleOutput) { try ProtoSources.find([folder.path], includes: []) }
        }
    }

    @Test func `The search for .proto files keeps a mark that merges with the slash before it`() throws {
        try ProjectFolder.with(["x/\u{301}a.proto": Self.head]) { folder throws in
            let sources = try ProtoSources.find([folder.path + "/x"], includes: [])
            expectEqual(sources.names.map { Array($0.utf8) }, [Array("\u{301}a.proto".utf8)])
        }
    }

    @Test func `The search for .proto files imports nothing by a path that leads out of the search paths`() throws {
        try ProjectFolder.with([
            "in/a.proto": Self.head + "import \"../\u{301}w\u{600}/../o.proto\";\n", "in/\u{301}w\u{600}/x": "",
            "o.proto": Self.head,
        ]) { folder throws in
            let result = try ProtoSources.find(["\(folder.path)/in/a.proto"], includes: []).compile()
            #expect(result.diagnostics.contains { $0.severity == .error })
        }
    }

    @Test func `The search for .proto files quotes nothing of a linked file outside the search paths`() throws {
        try ProjectFolder.with(["env": "SECRET_KEY=topsecret\n", "in/b.proto": "SECRET_B\n"]) { folder throws in
            for (name, target) in [("l.proto", "../env"), ("m.proto", "b.proto")] {
                try FileManager.default.createSymbolicLink(
                    atPath: "\(folder.path)/in/\(name)", withDestinationPath: target)
            }
            func diagnostics(_ name: String) throws -> String {
                try ProtoSources.find(["\(folder.path)/in/\(name)"], includes: []).compile().diagnostics
                    .map(\.description).joined(separator: "\n")
            }
            let outside = try diagnostics("l.proto")
            #expect(outside.contains("in/l.proto:1:1: error: ") && !outside.contains("SECRET"))
            #expect(try diagnostics("m.proto").contains("SECRET_B"))
        }
    }

    @Test func `The search for .proto files quotes nothing of a folder that only a foreign file names`() throws {
        try ProjectFolder.with(["secret/env.proto": "SECRET_KEY\n", "repo/in/a.proto": "VISIBLE\n"]) { folder throws in
            func texts(_ paths: [String], _ includes: [String], _ folders: (String?, String?)) throws -> String {
                let sources = try ProtoSources.find(
                    paths.map { "\(folder.path)/\($0)" }, includes: includes.map { "\(folder.path)/\($0)" },
                    within: (folders.0.map { "\(folder.path)/\($0)" }, folders.1.map { "\(folder.path)/\($0)" }))
                return sources.compile().diagnostics.map(\.description).joined(separator: "\n")
            }
            let named = try texts(["repo/in/a.proto", "repo/../secret/env.proto"], [], ("repo", nil))
            #expect(named.contains("VISIBLE") && named.contains("secret/env.proto:1:") && !named.contains("SECRET"))
            let included = try texts(["secret/env.proto"], ["secret"], ("repo", "repo"))
            #expect(!included.contains("SECRET") && included.contains("-I"))
            #expect(
                try texts(["secret/env.proto"], ["secret"], ("repo", nil)).contains("SECRET"), "a user has named it")
            #expect(try texts(["secret/env.proto"], [], (nil, nil)).contains("SECRET"))
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/repo/link", withDestinationPath: "../secret")
            #expect(try !texts(["repo/link/env.proto"], ["repo/link"], ("repo", "repo")).contains("SECRET"))
        }
    }

    @Test func `The search for .proto files quotes nothing above the folders that a user has named`() throws {
        try ProjectFolder.with([
            "ada/.aws/credentials": "SECRET_KEY\n", "ada/inc/.aws/credentials/.keep": "",
            "ada/repo/x.proto": #"syntax = "proto3"; package ada.repo; import "ada/.aws/credentials";"#,
            "ada/inc/y.proto": #"syntax = "proto3"; import ".aws/credentials";"#,
        ]) { folder throws in
            func texts(_ path: String, _ includes: [String], _ foreign: String?) throws -> String {
                try ProtoSources.find(
                    ["\(folder.path)/\(path)"], includes: includes.map { "\(folder.path)/\($0)" },
                    within: (nil, foreign.map { "\(folder.path)/\($0)" })
                ).compile().diagnostics.map(\.description).joined(separator: "\n")
            }
            let widened = try texts("ada/repo/x.proto", [], nil)
            #expect(widened.contains("credentials") && !widened.contains("SECRET"), "\(widened)")
            // A folder of the name does not stand for the file that is read.
            let shadowed = try texts("ada/inc/y.proto", ["ada/inc", "ada"], "ada/inc")
            #expect(shadowed.contains("credentials") && !shadowed.contains("SECRET"), "\(shadowed)")
            for path in ["secret\u{0}/../repo/x.proto", "ada/repo/x.proto\n"] {
                #expect(throws: GeneratorError.missingInput) { try texts(path, [], nil) }
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `The search for .proto files refuses a file of more than 64 MiB, and a pipe without waiting`() throws {
        try ProjectFolder.with(["p/large.proto": Self.head, "p/a.proto": Self.head + "import \"large.proto\";"]) {
            folder throws in
            expectEqual(truncate("\(folder.path)/p/large.proto", 64 << 20 + 1), 0)
            for name in ["large.proto", "a.proto"] {
                let result = try ProtoSources.find(["\(folder.path)/p/\(name)"], includes: []).compile()
                #expect(!result.compilation.isComplete)
                let first = try #require(result.diagnostics.first)
                #expect(first.message.hasPrefix("the file cannot be read, or has more than 64 MiB: "))
                #expect(first.file.hasSuffix("p/large.proto"))
                #expect(!result.diagnostics.contains { $0.message == "the file does not exist" })
            }
            try folder.remove("p/large.proto")
            expectEqual(mkfifo("\(folder.path)/p/large.proto", 0o600), 0)
            let result = try ProtoSources.find(["\(folder.path)/p/large.proto"], includes: []).compile()
            #expect(!result.compilation.isComplete && result.diagnostics.count == 1)
        }
    }

    @Test func `The search for .proto files finds imports next to the files, in includes, and built in`() throws {
        try ProjectFolder.with([
            "p/a.proto": Self.head
                + "import \"b.proto\"; import \"far/c.proto\"; import \"built/in.proto\"; message A { B b = 1; C c = 2; D d = 3; }",
            "p/b.proto": Self.head + "message B {}", "inc/far/c.proto": Self.head + "message C {}",
        ]) { folder throws in
            let sources = try ProtoSources.find([folder.path + "/p/a.proto"], includes: [folder.path + "/inc"])
            let (compilation, diagnostics) = sources.compile(builtIn: { name in
                name == "built/in.proto" ? Array((Self.head + "message D {}").utf8) : nil
            })
            #expect(diagnostics.isEmpty)
            expectEqual(compilation.filesToGenerate.map(\.name), ["a.proto"])
            expectEqual(Set(compilation.files.map(\.name)), ["a.proto", "b.proto", "far/c.proto", "built/in.proto"])
        }
    }

    @Test func `The search for .proto files reports errors with the path of the file, as editors open it`() throws {
        try ProjectFolder.with(["user/v1/a.proto": Self.head + "package user.v1;\nmessage A { B b = 1; }\n"]) {
            folder in
            let sources = try ProtoSources.find([folder.path + "/user/v1/a.proto"], includes: [])
            let diagnostic = try #require(sources.compile().diagnostics.first)
            #expect(diagnostic.description.hasPrefix("\(folder.path)/user/v1/a.proto:3:13: error: "))
            #expect(diagnostic.description.contains("^"))
        }
    }

    @Test func `The search for .proto files fails for a missing path, and names it`() throws {
        try ProjectFolder.with(["a.txt": "", "empty/x.txt": ""]) { folder throws in
            for path in ["/no/such/folder", folder.path + "/a.txt", folder.path + "/empty"] {
                let error = #expect(throws: GeneratorError.missingInput) { try ProtoSources.find([path], includes: []) }
                expectEqual(error?.message.contains(path), true)
            }
            #expect(throws: GeneratorError.missingInput) {
                try ProtoSources.find([folder.path], includes: ["/no/such/include"])
            }
        }
    }

    @Test(
        arguments: [
            ("package a.b;", "a.b"), ("// package x;\npackage a;", "a"), ("/* package x;\n*/ package a;", "a"),
            ("/*\npackage x;\n*/\n  package\ta . b ;", "a.b"), ("message package {}", nil),
            ("syntax = \"proto3\"; package a.b; message M {}", "a.b"), ("message M { string package = 1; }", nil),
            ("", nil),
        ] as [(String, String?)])
    func `The search for .proto files reads the package without compiling`(text: String, package: String?) {
        expectEqual(PackageStatement.find(in: Array(text.utf8)), package)
    }

    @Test(arguments: [
        ("a", "./a"), ("./a", "./a"), (".", "."), ("./", "."), ("/a//b/./c/", "/a/b/c"), ("../a", "../a"),
        ("a/..", "./a/.."),
        ("/", "/"),
    ])
    func `The search for .proto files normalizes paths`(path: String, spelled: String) {
        expectEqual(ProtoSources.normalized(path), spelled)
    }
}

@Suite struct RelativePathTests {
    @Test(arguments: [
        ("/a/b", "/a/c/d", "../c/d"), ("/a/b", "/a/b/c", "c"), ("/a", "/a", "."), ("/a/b/../c", "/a/d", "../d"),
        ("out", "protos/x.proto", "../protos/x.proto"), ("./out/x", "./protos", "../../protos"),
    ])
    func `The relative path between two paths is the same in any folder`(folder: String, path: String, relative: String)
    {
        expectEqual(RelativePath.from(folder, to: path), relative)
    }
}

@Suite struct FileStampTests {
    @Test func `The stamp of files changes when a file is written, created or removed`() throws {
        try ProjectFolder.with(["p/a.proto": "a", "q.proto": "q"]) { folder throws in
            let paths = [folder.path + "/p", folder.path + "/q.proto"]
            let first = FileSnapshot(paths)
            #expect(FileSnapshot(paths) == first && first.count == 2)
            try folder.write("longer", to: "p/a.proto")
            let second = FileSnapshot(paths)
            expectNotEqual(second, first)
            try folder.write("b", to: "p/b.proto")
            let third = FileSnapshot(paths)
            #expect(third != second && third.count == 3)
            try folder.remove("q.proto")
            expectNotEqual(FileSnapshot(paths), third)
        }
    }

    @Test func `The stamp of files changes if a file of the same size replaces another`() throws {
        try ProjectFolder.with(["a.proto": "a", "b.proto": "b"]) { folder throws in
            let before = FileSnapshot([folder.path + "/a.proto"])
            try folder.remove("a.proto")
            try FileManager.default.moveItem(atPath: folder.path + "/b.proto", toPath: folder.path + "/a.proto")
            expectNotEqual(FileSnapshot([folder.path + "/a.proto"]), before)
        }
    }

    @Test func `The stamp of files changes with the target of a symbolic link`() throws {
        try ProjectFolder.with(["a.proto": "a"]) { folder throws in
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/link.proto", withDestinationPath: "a.proto")
            let before = FileSnapshot([folder.path + "/link.proto"])
            try folder.write("longer", to: "a.proto")
            expectNotEqual(FileSnapshot([folder.path + "/link.proto"]), before)
        }
    }
}
