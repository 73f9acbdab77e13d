// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct MessageTextTests {
    @Test func `A message in Swift is a struct over its storage`() throws {
        let text = try swift(
            """
            // A place
            // on a map.
            message Point {
              // The horizontal coordinate.
              int32 x = 1;
              optional string name = 2;  // The label; nil without one.
              repeated Point near = 3;
            }
            """)
        expectEqual(
            text,
            #"""
            /// A place
            /// on a map.
            public struct Point: Message {
                public static let schema = MessageSchema(
                    "Point",
                    """
                    1 x int32
                    2 name string optional
                    3 near message 0 repeated
                    """,
                    types: [Point.self])

                public var storage: MessageStorage
                public init(storage: MessageStorage) { self.storage = storage }
                public init() { storage = MessageStorage(Self.schema) }

                /// The horizontal coordinate.
                @export(implementation) public var x: Int32 { get { storage[int32: 0] } set { storage[int32: 0] = newValue } }
                /// The label; nil without one.
                @export(implementation) public var name: String? { get { storage[optionalString: 1] } set { storage[optionalString: 1] = newValue } }
                @export(implementation) public var near: [Point] { get { storage[messages: 2] } _modify { yield &storage[messages: 2] } }

                @export(implementation) public init(x: Int32 = 0, name: String? = nil, near: [Point] = []) {
                    storage = MessageStorage(Self.schema)
                    storage[int32: 0] = x
                    storage[optionalString: 1] = name
                    storage[messages: 2] = near
                }
            }

            """#)
    }

    @Test func `A message in Swift without fields has only its name`() throws {
        try expectEqual(
            swift("package a.b; message Nothing {}"),
            """
            public struct Nothing: Message {
                public static let schema = MessageSchema("a.b.Nothing", "")

                public var storage: MessageStorage
                public init(storage: MessageStorage) { self.storage = storage }
                public init() { storage = MessageStorage(Self.schema) }
            }

            """)
    }

    @Test func `A message in Swift has an enum for each oneof`() throws {
        let text = try swift(
            "message M { oneof contact_way { string email = 4; M other = 2; } string id = 1; }")
        #expect(text.contains("1 id string\n"))
        #expect(text.contains("4 email string oneof 0\n"))
        #expect(
            text.contains(
                """
                    @export(implementation) public var contactWay: ContactWay? {
                        get {
                            switch storage[oneof: 0] {
                            case 4: .email(storage[string: 0])
                            case 2: .other(storage[message: 1])
                            default: nil
                            }
                        }
                        set {
                            switch newValue {
                            case .email(let value): storage[string: 0] = value
                            case .other(let value): storage[message: 1] = value
                            case nil: storage.clear(oneof: 0)
                            }
                        }
                    }
                """))
        #expect(text.contains("init(contactWay: ContactWay? = nil, id: String = \"\")"))
        #expect(text.contains("public enum ContactWay: Hashable, Sendable {"))
    }

    @Test func `A message in Swift says that a field is deprecated, and what to use instead`() throws {
        let text = try swift(
            """
            message M {
              // Deprecated: use `b`,
              // which is longer.
              string a = 1 [deprecated = true];
              string b = 2;
              // Gone.
              string c = 3 [deprecated = true];
            }
            """)
        #expect(text.contains("@available(*, deprecated, message: \"use `b`, which is longer.\")\n"))
        #expect(text.contains("/// Gone.\n    @available(*, deprecated)\n"))
    }

    @Test func `A message in Swift has times as Swift values, with a property for their presence`() throws {
        let text = try swift(
            """
            import "google/protobuf/timestamp.proto";
            import "google/protobuf/duration.proto";
            message M {
              google.protobuf.Timestamp at = 1;
              optional google.protobuf.Duration length = 2;
              map<string, google.protobuf.Timestamp> all = 3;
            }
            """)
        #expect(text.contains("var at: Date { get { storage[date: 0] } set { storage[date: 0] = newValue } }"))
        #expect(text.contains("var hasAt: Bool { storage.has(0) }"))
        #expect(text.contains("mutating func clearAt() { storage.clear(0) }"))
        #expect(text.contains("var length: Duration? { get { storage[optionalDuration: 1] }"))
        #expect(text.contains("var all: [String: Date] { get { storage[map: 2] }"))
        #expect(text.contains("init(at: Date? = nil, length: Duration? = nil, all: [String: Date] = [:])"))
        #expect(text.contains("3 all map string message 0\n"))
    }

    @Test func `A message in Swift marks secret fields`() throws {
        let text = try swift(
            """
            message M {
              string password = 1; string push_token = 2; string code = 3 [debug_redact = true];
              bool has_password = 4; string page_token = 5; string token = 6 [debug_redact = false];
              map<string, string> secrets = 7; string token_id = 8;
            }
            """)
        let secret = text.split(separator: "\n").filter { $0.hasSuffix(" secret") }.map { $0.split(separator: " ")[1] }
        expectEqual(secret, ["password", "push_token", "code", "secrets"])
    }

    @Test func `A message in Swift exports no accessors if nothing is public`() throws {
        let output = try written("syntax = \"proto3\"; message M { optional bytes a = 1; }") {
            $0.layout = .perFile
            $0.visibility = .internal
            $0.foundation = "Foundation"
        }
        let text = try #require(output.files.first).text
        #expect(text.contains("\nimport Foundation\nimport LatchRPC\n"))
        #expect(text.contains("    var a: Data? {"))
        #expect(!text.contains("public"))
        #expect(!text.contains("@_"))
    }

    @Test func `A message in Swift has an initializer of its members, as long as the compiler can take it`() throws {
        let fields = (1...100).map { "string f\($0) = \($0);" }.joined()
        #expect(try swift("message M { \(fields) }").contains("init(\n        f1: String = \"\", f2: String = \"\","))
        #expect(!(try swift("message M { \(fields) string more = 101; }").contains("f1: String = ")))
    }

    @Test func `A message in Swift has an initializer of text with the label of its format`() throws {
        let text = try swift("message M { optional string text = 1; optional string json = 2; }")
        #expect(text.contains("public init(text: String? = nil, json: String? = nil) {"))
        #expect(text.contains("public init(text: String) {\n"))
        #expect(text.contains("public init(json: String) {\n"))
        #expect(!(try swift("message M { string text = 1; }").contains("public init(text: String) {\n")))
    }
}
