// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchProtoCompiler

@Suite struct SerializedDescriptorTests {
    private static let options = """
        syntax = "proto2";
        package opt;
        import "google/protobuf/descriptor.proto";
        message Rule {
          optional string name = 1; repeated int32 sizes = 2 [packed = true]; optional Rule inner = 3;
          optional Level level = 4; optional double ratio = 5; optional sint64 offset = 6; optional sfixed32 low = 7;
          optional group Part = 8 { optional bool on = 1; }
          map<string, int32> counts = 9; optional float share = 10; optional bytes raw = 11;
          optional string secret = 12 [retention = RETENTION_SOURCE];
          extensions 100 to 200;
        }
        enum Level { LOW = 0; HIGH = 5; NEGATIVE = -3; }
        extend Rule { optional string extra = 100; }
        extend google.protobuf.FieldOptions { optional Rule rule = 50001; repeated string tags = 50002; }
        extend google.protobuf.FileOptions { optional Rule about = 50001; }
        extend google.protobuf.EnumValueOptions { optional int32 weight = 50001; }
        extend google.protobuf.OneofOptions { optional bool exclusive = 50001; }
        extend google.protobuf.ServiceOptions { optional Rule served = 50001; }
        extend google.protobuf.MethodOptions { optional Level level = 50003; }
        extend google.protobuf.ExtensionRangeOptions { optional string owner = 50001; }
        """

    private static let proto2 = """
        // Detached.

        // Of the syntax.
        syntax = "proto2";
        package old.things;
        import public "opt.proto";
        import weak "google/protobuf/any.proto";
        option java_package = "a.b";
        option (opt.about).name = "x";
        option (opt.about).inner.level = NEGATIVE;

        // What is kept.
        message Kept { // behind it
          required string id = 1 [default = "a\\"b\\n", (opt.rule) = {
            name: "n" sizes: [1, -2] offset: -7 low: -9 Part { on: true } counts { key: "k" value: 2 } share: 1.5
            [opt.extra]: "e" raw: "\\377" secret: "s" }];
          optional Kind kind = 2 [default = LAST];
          optional group Inner = 3 { optional int32 deep = 1; }
          repeated int32 packed = 4 [packed = true];
          oneof choice { option (opt.exclusive) = true; string a = 5; google.protobuf.Any b = 6; }
          map<int32, Kept> others = 7;
          optional bytes raw = 8 [json_name = "rawBytes", (opt.tags) = "a", (opt.tags) = "b"];
          reserved 20, 30 to 40; reserved "gone", "away";
          extensions 100 to 199, 1000 to max [(opt.owner) = "us"];
          extend Kept { optional Kept nested = 101; }
          enum Kind { FIRST = 0; LAST = 9 [(opt.weight) = -4]; reserved 5 to 7; reserved "NEVER"; }
        }
        extend Kept { repeated string notes = 100; }
        message Set { option message_set_wire_format = true; extensions 4 to max; }
        """

    private static let proto3 = """
        syntax = "proto3";
        package new.things;
        import "old.proto";
        message Asked {
          // Whether it was said.
          optional string name = 1; // trailing
          string plain = 2; repeated sint32 numbers = 3; old.things.Kept kept = 4;
          oneof real { bool yes = 5; bool no = 6; }
          optional int32 count = 7;
        }
        /* Serves. */
        service Things {
          option (opt.served) = { name: "svc" };
          // Asks.
          rpc Ask(Asked) returns (stream Asked) { option (opt.level) = HIGH; option idempotency_level = NO_SIDE_EFFECTS; }
          rpc Tell(stream Asked) returns (old.things.Kept);
          rpc Nothing(Asked) returns (Asked) {}
        }
        """

    private static let editions = """
        edition = "2023";
        package then;
        import "google/protobuf/timestamp.proto";
        option features.field_presence = IMPLICIT;
        message Modern {
          string name = 1 [features.field_presence = EXPLICIT];
          Modern inner = 2 [features.message_encoding = DELIMITED];
          repeated int32 wide = 3 [features.repeated_field_encoding = EXPANDED];
          google.protobuf.Timestamp at = 4;
          string must = 5 [features.field_presence = LEGACY_REQUIRED];
          Closed closed = 6 [features.field_presence = EXPLICIT];
        }
        enum Closed { option features.enum_type = CLOSED; ONE = 1; TWO = 2; }
        """

    private static let newest = """
        edition = "2024";
        package later;
        import option "opt.proto";
        export message Seen { string a = 1 [(opt.tags) = "t"]; local message Hidden {} }
        local enum Own { OWN_NONE = 0; }
        """

    private static let files = [
        "opt.proto": options, "old.proto": proto2, "new.proto": proto3, "then.proto": editions, "later.proto": newest,
    ]

    private static func compiled(_ names: [String]) throws -> [FileDescriptor] {
        let compilation = Compiler(recordsLocations: true) { files[$0].map { Array($0.utf8) } }.compile(names)
        try #require(compilation.isComplete, "\(compilation.diagnostics)")
        return compilation.files
    }

    private static func linked(_ files: [FileDescriptor], filesToGenerate: [String] = []) -> Compilation {
        Compiler.link(files.map { $0.serialized(sourceInfo: true) }, filesToGenerate: filesToGenerate)
    }

    @Test(arguments: ["opt.proto", "old.proto", "new.proto", "then.proto", "later.proto"])
    func `A serialized descriptor is read back unchanged`(name: String) throws {
        // What is imported for its options alone is no dependency, and is asked for as well.
        let files = try Self.compiled(["opt.proto", name])
        let linked = Self.linked(files, filesToGenerate: files.map(\.name))
        expectEqual(linked.diagnostics.filter { $0.severity == .error }, [])
        expectEqual(linked.filesToGenerate.map(\.name), files.map(\.name))
        for (before, after) in zip(files, linked.filesToGenerate) {
            expectEqual(before.serialized(sourceInfo: true), after.serialized(sourceInfo: true), "\(before.name)")
        }
    }

    @Test func `A serialized descriptor keeps comments and positions`() throws {
        let file = try #require(
            Self.linked(try Self.compiled(["new.proto"]), filesToGenerate: ["new.proto"]).filesToGenerate.first)
        let field = try #require(file.messages.first?.fields.first)
        expectEqual(field.comments.leading, " Whether it was said.\n")
        expectEqual(field.comments.trailing, " trailing\n")
        expectEqual(file.services.first?.comments.leading, " Serves. ")
        expectEqual(file.services.first?.methods.first?.comments.leading, " Asks.\n")
        expectEqual(field.namePosition, SourcePosition(line: 5, column: 18))
    }

    @Test func `A serialized descriptor marks synthetic oneofs`() throws {
        let file = try #require(
            Self.linked(try Self.compiled(["new.proto"]), filesToGenerate: ["new.proto"]).filesToGenerate.first)
        expectEqual(file.messages.first?.oneofs.map(\.isSynthetic), [false, true, true])
    }

    @Test func `A serialized descriptor has its options decoded, from any declaring file`() throws {
        let named = Self.linked(try Self.compiled(["old.proto"]), filesToGenerate: ["old.proto"])
        let field = try #require(named.filesToGenerate.first?.messages.first?.fields.first)
        let rule = try #require(field.options.message.message(50001))
        expectEqual(rule.string(1), "n")
        expectEqual(rule.fields[2]?.values, [.number(1), .number(UInt64(bitPattern: -2))])
        #expect((rule.integer(6), rule.integer(7)) == (-7, -9))
        expectEqual(rule.message(8)?.bool(1), true)
        expectEqual(rule.string(100), "e")
        expectEqual(rule.has(12), false, "what is for sources only is in no descriptor set")
        let about = try #require(named.filesToGenerate.first?.options.message.message(50001))
        #expect(about.string(1) == "x" && about.message(3)?.integer(4) == -3)
    }

    @Test func `A serialized descriptor merges several occurrences of an options message`() throws {
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.message(8) { options in
            options.message(50) { $0.varint(1, 2) }
            options.message(50) { $0.varint(2, 2) }
        }
        writer.string(12, "editions")
        writer.varint(14, 1000)
        let compilation = Compiler.link([writer.bytes], filesToGenerate: ["a.proto"])
        let file = try #require(compilation.filesToGenerate.first, "\(compilation.diagnostics)")
        expectEqual(file.features.fieldPresence, .implicit)
        expectEqual(file.features.enumType, .closed)
    }

    @Test func `A serialized descriptor has the features of its edition`() throws {
        let file = try #require(
            Self.linked(try Self.compiled(["then.proto"]), filesToGenerate: ["then.proto"]).filesToGenerate.first)
        let fields = try #require(file.messages.first?.fields)
        expectEqual(fields.map(\.hasPresence), [true, true, false, true, true, true])
        expectEqual(fields.map(\.isDelimited), [false, true, false, false, false, false])
        #expect(!fields[2].isPacked && fields[4].isRequired)
        expectEqual(file.enums.first?.isClosed, true)
    }

    @Test func `A serialized descriptor that is requested but absent is reported as missing`() {
        let compilation = Compiler.link([], filesToGenerate: ["a.proto"])
        expectEqual(compilation.diagnostics.map(\.file), ["a.proto"])
        #expect(!compilation.isComplete)
    }

    @Test func `A serialized descriptor of an unknown edition is rejected`() {
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.string(12, "editions")
        writer.varint(14, 99_999)
        let compilation = Compiler.link([writer.bytes], filesToGenerate: ["a.proto"])
        expectEqual(compilation.diagnostics.map(\.message), ["the edition is unknown"])
    }

    @Test func `A serialized descriptor with a dangling reference is rejected`() {
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.string(12, "proto3")
        writer.message(4) { message in
            message.string(1, "M")
            message.message(2) {
                $0.string(1, "other")
                $0.varint(3, 1)
                $0.varint(4, 1)
                $0.varint(5, 11)
                $0.string(6, ".no.Such")
            }
        }
        let compilation = Compiler.link([writer.bytes], filesToGenerate: ["a.proto"])
        expectEqual(compilation.diagnostics.map(\.message), ["'.no.Such' is not declared"])
    }

    @Test func `A serialized descriptor that is truncated anywhere is rejected or read without a trap`() throws {
        let files = try Self.compiled(["old.proto"])
        let whole = files.map { $0.serialized() }
        let last = try #require(whole.last)
        for end in last.indices {
            let compilation = Compiler.link(whole.dropLast() + [Array(last[..<end])], filesToGenerate: [])
            #expect(compilation.files.isEmpty)
        }
    }

    @Test(arguments: [(51, true), (100, true), (101, false), (5_000, false)])
    func `A serialized descriptor with nested messages is read as deep as protoc reads it`(depth: Int, isRead: Bool) {
        func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
            var (length, bytes) = (content.count, [number << 3 | 2])
            while length > 0x7F {
                bytes.append(UInt8(truncatingIfNeeded: length) | 0x80)
                length >>= 7
            }
            return bytes + [UInt8(length)] + content
        }
        var message = field(1, [0x61])
        for _ in 1..<depth { message = field(1, [0x61]) + field(3, message) }
        let file = field(1, Array("a.proto".utf8)) + field(4, message)
        let compilation = Compiler.link([file], filesToGenerate: ["a.proto"])
        expectEqual(compilation.isComplete, isRead, "\(compilation.diagnostics)")
        let said = compilation.diagnostics.contains { $0.message == "more than 100 messages are nested in each other" }
        expectNotEqual(said, isRead, "\(compilation.diagnostics)")
    }

    @Test func `A serialized descriptor with endless nested groups is rejected at the depth limit`() {
        let endless = [UInt8](repeating: 0x0B, count: 100_000)
        #expect(throws: MalformedWire.self) { try WireMessage(endless) }
        #expect(throws: MalformedWire.self) { try WireMessage([0x0B]) }
        #expect(throws: MalformedWire.self) { try WireMessage([0x0C]) }
        #expect(throws: MalformedWire.self) { try WireMessage([0x07]) }
        #expect(throws: MalformedWire.self) { try WireMessage([0x00]) }
        #expect(throws: MalformedWire.self) { try WireMessage([0x08] + [UInt8](repeating: 0xFF, count: 11)) }
        #expect(throws: MalformedWire.self) { try WireMessage([0x0A, 0x02, 0x00]) }
        #expect(throws: MalformedWire.self) { try WireMessage([0x0D, 0x00, 0x00, 0x00]) }
    }
}
