// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchProtoCompiler

@Suite struct BrokenDescriptorTests {
    /// A change of a valid descriptor, and a part of its error.
    struct Case: Sendable, CustomTestStringConvertible {
        let error: String
        var syntax = "proto2"
        let change: @Sendable (inout WireWriter) -> Void
        var testDescription: String { error }

        /// A change of the message `M`, which has the field `a`.
        static func message(
            _ error: String, syntax: String = "proto2", _ change: @escaping @Sendable (inout WireWriter) -> Void
        ) -> Case {
            Case(error: error, syntax: syntax) { file in
                file.message(4) {
                    $0.string(1, "M")
                    $0.message(2) { write(&$0, "a", 1) }
                    change(&$0)
                }
            }
        }

        /// Another field of `M`.
        static func field(
            _ error: String, syntax: String = "proto2", number: Int32? = 2, type: Int32? = 5,
            _ change: @escaping @Sendable (inout WireWriter) -> Void = { _ in }
        ) -> Case {
            message(error, syntax: syntax) { message in
                message.message(2) {
                    write(&$0, "b", number, type: type)
                    change(&$0)
                }
            }
        }

        fileprivate static func write(
            _ writer: inout WireWriter, _ name: String, _ number: Int32?, type: Int32? = 5, label: Int32 = 1
        ) {
            writer.string(1, name)
            if let number { writer.int32(3, number) }
            writer.int32(4, label)
            if let type { writer.int32(5, type) }
        }
    }

    private static func oneof(_ name: String) -> @Sendable (inout WireWriter) -> Void {
        { writer in writer.message(8) { $0.string(1, name) } }
    }

    private static func range(_ number: Int32, _ first: Int32, _ end: Int32, of message: inout WireWriter) {
        message.message(number) {
            $0.int32(1, first)
            $0.int32(2, end)
        }
    }

    private static func entry(_ message: inout WireWriter, fields: [(String, Int32)]) {
        message.message(3) { entry in
            entry.string(1, "CountsEntry")
            for (name, number) in fields { entry.message(2) { Case.write(&$0, name, number) } }
            entry.message(7) { $0.bool(7, true) }
        }
        message.message(2) {
            Case.write(&$0, "counts", 2, type: 11, label: 3)
            $0.string(6, ".M.CountsEntry")
        }
    }

    static let types: [Case] = [
        .field("'.no.Such' is not declared", type: 11) { $0.string(6, ".no.Such") },
        .field("has the type 19, which is unknown", type: 19),
        .field("has the type 0, which is unknown", type: 0),
        .field("has the type 261, which is unknown", type: 261),
        .field("'b' has no type", type: nil),
        .field("'b' does not name its type", type: 11),
        .field("'b' does not name its type", type: 14),
        .field("has the type int32, and names the type '.M'") { $0.string(6, ".M") },
        .field("'.M' is not an enum", type: 14) { $0.string(6, ".M") },
        .field("'.M.a' is not a type", type: 11) { $0.string(6, ".M.a") },
        .field("has the label 4, which is unknown") { $0.int32(4, 4) },
        .field("has the label 257, which is unknown") { $0.int32(4, 257) },
        .field("the default '1; x()' of 'b' is not a valid int32 value") { $0.string(7, "1; x()") },
        .field("the default '2147483648' of 'b' is not a valid int32 value") { $0.string(7, "2147483648") },
        .field("the default '-1' of 'b' is not a valid uint64 value", type: 4) { $0.string(7, "-1") },
        .field("the default '0x1p3' of 'b' is not a valid double value", type: 1) { $0.string(7, "0x1p3") },
        .field("the default 'yes' of 'b' is not a valid bool value", type: 8) { $0.string(7, "yes") },
        .field("the default 'a\"' of 'b' is not a valid bytes value", type: 12) { $0.string(7, "a\"") },
        .field("the default '\\' of 'b' is not a valid bytes value", type: 12) { $0.string(7, "\\") },
        .field("the default of 'b' is not UTF-8", type: 9) { $0.bytes(7, [0x61, 0xFF]) },
        .field("a JSON name must be UTF-8") { $0.bytes(10, [0xC3]) },
    ]

    static let numbers: [Case] = [
        .field("a field number must be at least 1", number: nil),
        .field("a field number must be at least 1", number: -5),
        .field("a field number must be at most 536870911", number: 536_870_912),
        .field("'a' has the number 1 already", number: 1),
        .field("the numbers from 19000 to 19999 are reserved", number: 19_500),
        .message("the extensions range ends before it begins") { range(5, 10, 5, of: &$0) },
        .message("a field number must be at least 1") { range(9, -3, 4, of: &$0) },
        Case(error: "the public or weak import 0 does not exist") { $0.int32(10, 0) },
        Case(error: "the public or weak import") { $0.int32(11, -1) },
        Case(error: "'none.proto' cannot be imported") { $0.string(3, "none.proto") },
        Case(error: "the syntax 'proto4' is unknown", syntax: "proto4") { _ in },
        Case(error: "an enum must have at least one value") { file in file.message(5) { $0.string(1, "E") } },
        Case(error: "'' is not declared") { file in
            file.message(6) { service in
                service.string(1, "S")
                service.message(2) { $0.string(1, "Get") }
            }
        },
    ]

    static let oneofs: [Case] = [
        .field("'b' is in the oneof 0, and 'M' has 0") { $0.int32(9, 0) },
        .field("'b' is in the oneof -1, and 'M' has 0") { $0.int32(9, -1) },
        .field("'b' is in the oneof 2147483647, and 'M' has 0") { $0.int32(9, .max) },
        .field("'b' is optional, and has no oneof", syntax: "proto3") { $0.bool(17, true) },
        .field("'b' is marked as optional of proto3") { $0.bool(17, true) },
        .field("'b' extends a message, and is declared as a field") { $0.string(2, ".M") },
        .message("the oneof 'one' has no field", oneof("one")),
        .message("'b' is in a oneof, and repeated or required") { message in
            oneof("one")(&message)
            message.message(2) {
                Case.write(&$0, "b", 2, label: 3)
                $0.int32(9, 0)
            }
        },
        .message("the oneof '_b' of an optional field has other fields", syntax: "proto3") { message in
            oneof("_b")(&message)
            for (name, number) in [("b", 2), ("c", 3)] as [(String, Int32)] {
                message.message(2) {
                    Case.write(&$0, name, number)
                    $0.int32(9, 0)
                    $0.bool(17, name == "b")
                }
            }
        },
        .message("the oneofs of optional fields of 'M' come before others", syntax: "proto3") { message in
            oneof("_b")(&message)
            oneof("real")(&message)
            for (name, number) in [("b", 0), ("c", 1)] as [(String, Int32)] {
                message.message(2) {
                    Case.write(&$0, name, number + 2)
                    $0.int32(9, number)
                    $0.bool(17, number == 0)
                }
            }
        },
        .message("the extension 'b' extends nothing") { message in message.message(6) { Case.write(&$0, "b", 2) } },
        Case(error: "the extension 'b' extends nothing") { file in file.message(7) { Case.write(&$0, "b", 2) } },
        .message("the extension 'b' is in a oneof") { message in
            range(5, 10, 20, of: &message)
            message.message(6) {
                Case.write(&$0, "b", 10)
                $0.string(2, ".M")
                $0.int32(9, 3)
            }
        },
        .message("is a map entry, and has not a key and a value only") { entry(&$0, fields: [("key", 1)]) },
        .message("is a map entry, and has not a key and a value only") { entry(&$0, fields: []) },
        .message("is a map entry, and has not a key and a value only") { entry(&$0, fields: [("value", 2)]) },
        .message("is a map entry, and has not a key and a value only") {
            entry(&$0, fields: [("key", 1), ("value", 2), ("more", 3)])
        },
    ]

    private static func link(_ one: Case, name: String = "a.proto") -> Compilation {
        var writer = WireWriter()
        writer.string(1, name)
        one.change(&writer)
        writer.string(12, one.syntax)
        return Compiler.link([writer.bytes], filesToGenerate: [name])
    }

    @Test(arguments: types + numbers + oneofs)
    func `A serialized descriptor that no .proto file can produce is refused with its reason`(one: Case) {
        let errors = Self.link(one).diagnostics.filter { $0.severity == .error }
        #expect(errors.contains { $0.message.contains(one.error) }, "\(errors)")
    }

    @Test func `An impossible serialized descriptor is read if its defaults and maps are as protoc writes them`() {
        let defaults: [(Int32, String)] = [
            (5, "-2147483648"), (4, "18446744073709551615"), (1, "1e+100"), (1, "-inf"), (2, "nan"), (8, "false"),
            (12, "a\\\"\\001\\n\\\\"), (9, "\u{1}\"text\n"),
        ]
        let one = Case.message("") { message in
            for (index, (type, text)) in defaults.enumerated() {
                message.message(2) {
                    Case.write(&$0, "f\(index)", Int32(index) + 10, type: type)
                    $0.string(7, text)
                }
            }
            Self.entry(&message, fields: [("key", 1), ("value", 2)])
        }
        let compilation = Self.link(one)
        #expect(compilation.isComplete, "\(compilation.diagnostics)")
    }

    @Test func `An impossible serialized descriptor is refused if two files of one name differ`() {
        func file(_ message: String) -> [UInt8] {
            var writer = WireWriter()
            writer.string(1, "a.proto")
            writer.message(4) { $0.string(1, message) }
            return writer.bytes
        }
        let same = Compiler.link([file("M"), file("M")], filesToGenerate: ["a.proto", "a.proto"])
        #expect(same.isComplete && same.filesToGenerate.count == 1)
        let other = Compiler.link([file("M"), file("N")], filesToGenerate: ["a.proto"])
        expectEqual(other.diagnostics.map(\.message), ["the request has two different files of this name"])
    }

    @Test func `An impossible serialized descriptor is refused without a trap if its positions are out of range`() {
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.message(4) { $0.string(1, "1st") }
        writer.message(9) { info in
            for span in [[.max, .max, .max], [-1, -1, -1]] as [[Int32]] {
                info.message(1) { location in
                    for part in [4, 0, 1] as [Int32] { location.int32(1, part) }
                    for number in span { location.int32(2, number) }
                }
            }
        }
        let compilation = Compiler.link([writer.bytes], filesToGenerate: ["a.proto"])
        #expect("\(compilation.diagnostics)".contains("the name '1st' is not an identifier"))
    }

    // MARK: Depth

    @Test(arguments: [(1_000, true), (60_000, false)])
    func `An impossible serialized descriptor is refused in too long a chain of imports`(count: Int, isRead: Bool) {
        let files = (0..<count).map { number in
            var writer = WireWriter()
            writer.string(1, "\(number).proto")
            if number > 0 {
                writer.string(3, "\(number - 1).proto")
                writer.int32(10, 0)
            }
            return writer.bytes
        }
        let compilation = Compiler.link(files, filesToGenerate: ["\(count - 1).proto"])
        expectEqual(compilation.isComplete, isRead)
        expectEqual(compilation.files.count, isRead ? count : 0)
        let errors = compilation.diagnostics.filter { $0.severity == .error }
        expectEqual(errors.count, isRead ? 0 : 1, "\(errors.prefix(3))")
        #expect(errors.allSatisfy { $0.message.contains("1000 files import each other in a row") && $0.hint != nil })
    }

    @Test func `An impossible serialized descriptor is read if thousands of files import one for its options`() {
        let count = 20_000
        let files = (0..<count).map { number in
            var writer = WireWriter()
            writer.string(1, "\(number).proto")
            if number + 1 < count { writer.string(15, "\(number + 1).proto") }
            writer.string(12, "editions")
            writer.varint(14, 1001)
            return writer.bytes
        }
        let compilation = Compiler.link(files, filesToGenerate: ["0.proto"])
        #expect(compilation.isComplete && compilation.files.count == count)
        expectEqual(compilation.files.first?.name, "\(count - 1).proto")
    }

    @Test(arguments: [(50, true), (60_000, false)])
    func `An impossible serialized descriptor is refused if its options have endlessly nested messages`(
        depth: Int, isRead: Bool
    ) throws {
        let rules = """
            syntax = "proto2"; package opt; import "google/protobuf/descriptor.proto";
            message Rule { optional Rule inner = 1; }
            extend google.protobuf.MessageOptions { optional Rule rule = 50001; }
            """
        let compiled = Compiler { $0 == "opt.proto" ? Array(rules.utf8) : nil }.compile(["opt.proto"])
        try #require(compiled.isComplete, "\(compiled.diagnostics)")
        // From the innermost outwards, and turned round at the end: each level costs its own head only.
        var reversed: [UInt8] = []
        for _ in 0..<depth {
            var head = WireWriter()
            head.varint(1, 0)
            head.plain(UInt64(reversed.count))
            reversed += ([0x0A] + head.bytes.dropFirst(2)).reversed()
        }
        var writer = WireWriter()
        writer.string(1, "a.proto")
        writer.string(3, "opt.proto")
        writer.message(4) { message in
            message.string(1, "M")
            message.message(7) { $0.bytes(50_001, reversed.reversed()) }
        }
        let files = compiled.files.map { $0.serialized() } + [writer.bytes]
        let linked = Compiler.link(files, filesToGenerate: ["a.proto"])
        expectEqual(linked.isComplete, isRead, "\(linked.diagnostics)")
        #expect(isRead || linked.diagnostics.contains { $0.message.contains("the options are malformed") })
    }
}
