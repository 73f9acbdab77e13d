// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct ProtocPluginTests {
    /// A parsed response.
    private struct Response {
        var files: [String: String] = [:]
        let error: String?
        let message: WireMessage
    }

    private static let proto = """
        syntax = "proto3";
        package shop.v1;
        // Something for sale.
        message Item { string id = 1; optional string note = 2; }
        service ShopService { rpc Get(Item) returns (Item); }
        """

    /// A request as protoc writes it.
    private func request(
        _ texts: [String: String], generate: [String], parameter: String = ""
    ) throws -> [UInt8] {
        let compilation = Compiler(recordsLocations: true) { texts[$0].map { Array($0.utf8) } }.compile(generate)
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        var writer = WireWriter()
        for name in generate { writer.string(1, name) }
        if !parameter.isEmpty { writer.string(2, parameter) }
        writer.message(3) { $0.int32(1, 36) }
        for file in compilation.files { writer.bytes(15, file.serialized(sourceInfo: true)) }
        return writer.bytes
    }

    private func response(_ request: [UInt8]) throws -> Response {
        let message = try WireMessage(ProtocPlugin.response(to: request))
        var response = Response(error: message.string(1), message: message)
        for file in try message.messages(15) { response.files[file.string(1) ?? ""] = file.string(15) }
        return response
    }

    @Test func `A call from protoc returns a file next to each .proto file, with its comments`() throws {
        let response = try response(try request(["shop/v1/shop.proto": Self.proto], generate: ["shop/v1/shop.proto"]))
        expectNil(response.error)
        expectEqual(response.files.keys.sorted(), ["shop/v1/shop.latch.swift"])
        let text = try #require(response.files["shop/v1/shop.latch.swift"])
        #expect(text.contains("/// Something for sale.") && text.contains("var note: String?"))
    }

    @Test(arguments: ["Order {}", "A\nlet pwned = 1", "1st", "Über", ""], 0..<6)
    func `A call from protoc is refused if a name is not an identifier`(name: String, place: Int) throws {
        var names = ["Order", "total", "Kind", "KIND_BIG", "Orders", "Get"]
        names[place] = name
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.message(15) { file in
            file.string(1, "a.proto")
            file.message(4) { message in
                message.string(1, names[0])
                message.message(2) { field in
                    field.string(1, names[1])
                    for (number, value) in [(3, 1), (4, 1), (5, 9)] as [(Int32, Int32)] { field.int32(number, value) }
                }
            }
            file.message(5) { kind in
                kind.string(1, names[2])
                kind.message(2) { $0.string(1, names[3]) }
            }
            file.message(6) { service in
                service.string(1, names[4])
                service.message(2) { method in
                    method.string(1, names[5])
                    for number in [2, 3] as [Int32] { method.string(number, ".\(names[0])") }
                }
            }
        }
        let response = try response(writer.bytes)
        #expect(response.files.isEmpty && response.error?.contains("is not an identifier") == true)
    }

    @Test(arguments: ["../../up.proto", "/etc/up.proto", "a/../../up.proto", "a\u{1B}[2J.proto"])
    func `A call from protoc is refused if a file would be outside the output`(name: String) throws {
        var writer = WireWriter()
        writer.string(1, name)
        writer.message(15) { file in
            file.string(1, name)
            file.message(4) { $0.string(1, "Up") }
        }
        let response = try response(writer.bytes)
        #expect(response.files.isEmpty)
        expectEqual(response.error?.contains("is not a path within the output"), true, "\(response.error ?? "")")
        expectEqual(response.error?.contains("\u{1B}"), false)
    }

    @Test func `A call from protoc gets the same text as a call of the generator itself`() throws {
        let compilation = Compiler { _ in Array(Self.proto.utf8) }.compile(["shop.proto"])
        var options = SwiftOptions()
        options.layout = .perFile
        let written = SwiftWriter(files: compilation.filesToGenerate, options: options).write()
        let response = try response(try request(["shop.proto": Self.proto], generate: ["shop.proto"]))
        expectEqual(response.files["shop.latch.swift"], written.files.first?.text)
    }

    @Test func `A call from protoc says that it knows proto3's optional and the editions from proto2 to 2026`() throws {
        let message = try response(try request(["a.proto": Self.proto], generate: ["a.proto"])).message
        expectEqual(message.number(2), 3)
        #expect((message.int32(3), message.int32(4)) == (998, 1002))
    }

    @Test func `A call from protoc knows editions`() throws {
        let text =
            "edition = \"2023\"; package e; message M { string a = 1 [features.field_presence = IMPLICIT]; string b = 2; }"
        let response = try response(try request(["e.proto": text], generate: ["e.proto"]))
        let swift = try #require(response.files["e.latch.swift"], "\(response.error ?? "")")
        #expect(swift.contains("var a: String {") && swift.contains("var b: String? {"))
    }

    @Test func `A call from protoc takes parameters`() throws {
        let files = ["shop/v1/shop.proto": Self.proto]
        let response = try response(
            try request(
                files, generate: ["shop/v1/shop.proto"],
                parameter: "visibility=internal,naming=PathToUnderscores,prefix=XY"))
        let text = try #require(
            response.files["shop_v1_shop.latch.swift"], "\(response.files.keys) \(response.error ?? "")")
        #expect(text.contains("\nstruct XYItem: Message {"))
    }

    @Test(arguments: ["colour=red", "visibility=open", "layout=flat"])
    func `A call from protoc reports unknown parameters`(parameter: String) throws {
        let response = try response(try request(["a.proto": Self.proto], generate: ["a.proto"], parameter: parameter))
        #expect(response.error?.contains(parameter.split(separator: "=")[0]) == true && response.files.isEmpty)
        expectEqual(response.message.number(2), 3, "what it can do is told in any case")
    }

    @Test
    func `A call from protoc finds types of other modules by a mapping, and reports missing ones without it`() throws {
        let files = [
            "base/money.proto": "syntax = \"proto3\"; package base; message Money { int64 cents = 1; }",
            "shop.proto":
                "syntax = \"proto3\"; package shop; import \"base/money.proto\"; message Price { base.Money money = 1; }",
        ]
        let mapped = try response(try request(files, generate: ["shop.proto"], parameter: "Mbase/=Base"))
        expectEqual(mapped.files["shop.latch.swift"]?.contains("import Base"), true, "\(mapped.error ?? "")")
    }

    @Test func `A call from protoc writes the requested files, and not their imports`() throws {
        let files = [
            "base/money.proto": "syntax = \"proto3\"; package base; message Money { int64 cents = 1; }",
            "shop.proto":
                "syntax = \"proto3\"; package shop; import \"base/money.proto\"; message Price { base.Money money = 1; }",
        ]
        let one = try response(try request(files, generate: ["shop.proto"]))
        expectEqual(one.files.keys.sorted(), ["shop.latch.swift"], "\(one.error ?? "")")
        let both = try response(try request(files, generate: ["shop.proto", "base/money.proto"]))
        expectEqual(both.files.keys.sorted(), ["base/money.latch.swift", "shop.latch.swift"])
        expectEqual(both.files["shop.latch.swift"], one.files["shop.latch.swift"])
    }

    @Test func `A call from protoc trusts protoc, which passes on no options for sources only`() throws {
        // protoc has read `default_symbol_visibility` and `declaration`, and left both out of the request.
        let base = """
            edition = "2024"; package base;
            message Top { message In {} extensions 5 to 6 [verification = DECLARATION]; }
            """
        let shop = """
            edition = "2024"; package shop; import "base.proto";
            message Price { base.Top.In in = 1; }
            extend base.Top { int32 declared = 5; }
            """
        let open = base.replacing("message In", with: "export message In")
            .replacing(" [verification = DECLARATION]", with: "")
        func compile(_ base: String, _ name: String) -> Compilation {
            Compiler { ["base.proto": base, "shop.proto": shop][$0].map { Array($0.utf8) } }.compile([name])
        }
        let (compilation, unchecked) = (compile(base, "base.proto"), compile(open, "shop.proto"))
        try #require(compilation.isComplete && unchecked.isComplete, "\(unchecked.diagnostics)")
        var writer = WireWriter()
        writer.string(1, "shop.proto")
        for file in compilation.files + unchecked.filesToGenerate { writer.bytes(15, file.serialized()) }
        let response = try response(writer.bytes)
        expectEqual(response.files.keys.sorted(), ["shop.latch.swift"], "\(response.error ?? "")")
    }

    @Test(arguments: [[], [0xFF], [0x0A, 0x05, 0x61]] as [[UInt8]])
    func `A call from protoc that is malformed gets an error, and does not trap`(bytes: [UInt8]) throws {
        let response = try response(bytes)
        #expect(response.files.isEmpty && (bytes.isEmpty || response.error != nil))
    }

    @Test(arguments: [("a/Shop.proto", "a/shop.proto"), ("\u{E9}.proto", "e\u{301}.proto")])
    func `A call from protoc is refused if a file system can keep only one of two files`(one: String, other: String)
        throws
    {
        var writer = WireWriter()
        for name in [one, other] { writer.string(1, name) }
        for (index, name) in [one, other].enumerated() {
            writer.message(15) { file in
                file.string(1, name)
                file.message(4) { $0.string(1, "M\(index)") }
            }
        }
        let response = try response(writer.bytes)
        #expect(response.files.isEmpty)
        let error = try #require(response.error)
        #expect(error.contains("would have one path") || error.contains("another form of Unicode"), "\(error)")
    }

    @Test func `A call from protoc is refused if an import is spelled in another form of Unicode`() throws {
        var writer = WireWriter()
        writer.string(1, "b.proto")
        writer.message(15) { $0.string(1, "\u{E9}.proto") }
        writer.message(15) { file in
            file.string(1, "b.proto")
            file.string(3, "e\u{301}.proto")
        }
        try expectEqual(response(writer.bytes).error?.contains("in another form of Unicode"), true)
    }

    @Test func `A call from protoc for a missing file gets an error`() throws {
        var writer = WireWriter()
        writer.string(1, "missing.proto")
        try expectEqual(response(writer.bytes).error?.contains("missing.proto"), true)
    }
}
