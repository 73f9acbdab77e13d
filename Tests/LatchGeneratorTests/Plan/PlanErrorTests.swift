// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct PlanErrorTests {
    private func service(_ options: String, method: String = "", answer: String = "User") -> String {
        """
        syntax = "proto3";
        import "axiom_options.proto";
        message User { string id = 1; bytes photo = 2; int64 age = 3; }
        message Request { string user_id = 1; int64 number = 2; }
        message Nothing {}
        service UserService {
          option (axiom.service_options) = {
        \(options)
          };
          rpc Do(Request) returns (\(answer)) {
            option (axiom.method_options) = {
        \(method)
            };
          }
        }
        """
    }

    private static let users = "collections: [{ name: \"users\" item_type: \"User\" }]"

    @Test(arguments: [
        ("client_name: \"user client\"", "8:14: error: 'user client' is not a valid Swift type name"),
        ("client_name: \"class\"", "8:14: error: 'class' is not a valid Swift type name"),
        ("state_name: \"UserAction\"", "7:36: error: client, state and action of 'UserService' have the same name"),
        ("import_modules: [\"AxiomCore\", \"a b\"]", "8:31: error: 'a b' is not a module name"),
        ("collections: [{ name: \"users\" }]", "8:15: error: the collection has no item_type"),
        ("collections: { name: \"x\" item_type: \"Usr\" }", "8:37: error: there is no message 'Usr'"),
        (
            "collections: { name: \"x\" item_type: \"User\" primary_key: \"key\" }",
            "8:57: error: 'User' has no field 'key'"
        ),
        (
            "collections: { name: \"x\" item_type: \"User\" primary_key: \"photo\" }",
            "8:57: error: 'photo' cannot identify an item"
        ),
        (
            "collections: { name: \"x\" item_type: \"User\" sortable: true default_sort_field: \"photo\" }",
            "8:79: error: 'User' cannot be sorted by 'photo'"
        ),
        (
            "collections: { name: \"x\" item_type: \"User\" max_cached_items: 0 }",
            "8:62: error: a collection keeps at least one item"
        ),
        (
            "collections: [{ name: \"x\" item_type: \"User\" }, { name: \"x\" item_type: \"User\" }]",
            "8:56: error: there are two collections 'x'"
        ),
    ])
    func `A wrong option of a service is reported at its place`(options: String, complaint: String) throws {
        try expectEqual(complaints(service(options)).first, "test.proto:\(complaint)")
    }

    @Test(arguments: [
        ("collection_name: \"people\"", "User", "12:18: error: there is no collection 'people'"),
        (
            "state_update_strategy: APPEND", "Nothing",
            "12:24: error: 'Do' cannot append: it names no collection"
        ),
        (
            "collection_name: \"users\" state_update_strategy: REPLACE_ALL", "User",
            "12:49: error: 'Do' cannot replace all items: 'User' has no items of 'users'"
        ),
        (
            "state_update_strategy: REMOVE_BY_ID id_field_name: \"nobody\"", "User",
            "12:52: error: neither 'Request' nor 'User' has a field 'nobody'"
        ),
        (
            "state_update_strategy: REMOVE_BY_ID id_field_name: \"number\"", "User",
            "12:52: error: 'number' has a different type than 'User.id'"
        ),
        (
            "supports_offline: true cache_strategy: NONE", "User",
            "12:19: error: 'Do' cannot work offline: its responses are not cached"
        ),
        (
            "state_update_strategy: APPEND cache_strategy: CONDITIONAL", "User",
            "12:47: error: 'Do' would return a cached response without a call to the server"
        ),
    ])
    func `A wrong option of a method is reported at its place`(options: String, answer: String, complaint: String)
        throws
    {
        let found = try complaints(service(Self.users, method: options, answer: answer))
        expectEqual(found.first, "test.proto:\(complaint)")
    }

    @Test(arguments: [
        ("(axiom.swift_validation) = \"requird\"", "'requird' is not a field rule"),
        ("(axiom.swift_validation) = \"min_length:x\"", "'min_length:x' is not a field rule"),
        ("(axiom.swift_validation) = \"min:2\"", "'text' is not a number field"),
        ("(axiom.swift_validation) = \"\\xff\"", "(axiom.swift_validation) is not UTF-8"),
        ("(axiom.field_options) = { validation_pattern: \"\\xff\" }", "a text in (axiom.field_options) is not UTF-8"),
        ("(axiom.field_options) = { min_length: 3 max_length: 2 }", "'text' cannot be as long as 3 and as short as 2"),
    ])
    func `A wrong option of a field is reported at its place`(option: String, complaint: String) throws {
        let found = try complaints(
            """
            syntax = "proto3";
            import "axiom_options.proto";
            message Note { string id = 1; }
            message Request {
              string text = 1 [
                \(option)];
            }
            service NoteService { rpc CreateNote(Request) returns (Note); }
            """)
        expectEqual(found.count, 1)
        expectEqual(found.first?.hasPrefix("test.proto:6:"), true)
        expectEqual(found.first?.hasSuffix("error: \(complaint)"), true)
    }

    @Test func `A wrong option of a field in another file is reported in that file, at its place there`() throws {
        let files = [
            "request.proto": """
            syntax = "proto3";
            import "axiom_options.proto";
            message Request {
              string text = 1 [
                (axiom.field_options) = { max_length: 2 min_length: 3 },
                (axiom.options.v1.axiom_field) = { max_length: 2 min_length: 4 }
              ];
              int64 number = 2 [(axiom.swift_validation) = "min_length:1"];
            }
            """,
            "test.proto": """
            syntax = "proto3";
            import "request.proto";
            message Note { string id = 1; }
            service NoteService { rpc CreateNote(Request) returns (Note); }
            """,
        ]
        let compilation = Compiler.withOptionFiles { name in files[name].map { Array($0.utf8) } }
            .compile(["test.proto"])
        let file = try #require(compilation.filesToGenerate.first, "\(compilation.diagnostics)")
        let found = ServicePlan.read(file).diagnostics.map { "\($0)".split(separator: "\n").map(String.init) }
        expectEqual(
            found.map(\.first),
            [
                """
                request.proto:6:66: error: 'min_length' is 4 in (axiom.options.v1.axiom_field), and 3 in \
                (axiom.field_options) at request.proto:5:57
                """,
                "request.proto:5:29: error: 'text' cannot be as long as 3 and as short as 2",
                "request.proto:8:48: error: 'number' has no length",
            ])
        #expect(found.allSatisfy { $0.count > 1 && $0[1].contains("axiom.") }, "\(found)")
    }

    @Test func `A wrong option is reported at its place after comments, in parts and in angle brackets`() throws {
        let found = try complaints(
            """
            syntax = "proto3";
            import "axiom_options.proto";
            message Note { string id = 1; }
            service NoteService {
              option (axiom.service_options) = {
                # collections: [{ name: "no" item_type: "No" }]
                collections < name: "a" "b"; item_type: 'Nots' >
              };
              option (axiom.service_options).client_name = "note client";
            }
            """)
        expectEqual(
            found,
            [
                "test.proto:9:48: error: 'note client' is not a valid Swift type name",
                "test.proto:7:45: error: there is no message 'Nots'",
            ])
    }

    @Test func `A wrong option is reported with others in one run`() throws {
        let found = try complaints(
            service(
                "client_name: \"a\" \(Self.users)",
                method: "collection_name: \"x\" supports_offline: true cache_strategy: NONE"))
        expectEqual(found.count, 3)
    }

    @Test func `A wrong option has a word that no state update has`() throws {
        let found = try complaints(
            """
            syntax = "proto3";
            import "axiom_options.proto";
            message Note { string id = 1; }
            service NoteService {
              rpc Write(Note) returns (Note) { option (axiom.swift_state_update) = "prepend"; }
            }
            """)
        expectEqual(found, ["test.proto:5:72: error: 'prepend' is not a state update strategy"])
    }

    @Test func `A wrong option gives two actions one name, which methods by themselves never do`() throws {
        let found = try complaints(
            """
            syntax = "proto3";
            message Note { string id = 1; }
            service NoteService {
              rpc GetNote(Note) returns (Note);
              rpc Get_Note(Note) returns (Note);
            }
            """)
        #expect(found.isEmpty)
        let named = try complaints(
            """
            syntax = "proto3";
            import "axiom_options.proto";
            message Note { string id = 1; }
            service NoteService {
              rpc GetNote(Note) returns (Note);
              rpc Read(Note) returns (Note) { option (axiom.swift_action_name) = "getNote"; }
            }
            """)
        expectEqual(named, ["test.proto:6:7: error: there are two actions 'getNote'"])
    }
}
