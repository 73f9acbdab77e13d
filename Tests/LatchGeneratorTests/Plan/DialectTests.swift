// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import TestTags
import Testing

@testable import LatchGenerator

/// One service in each of the spellings.
private enum Dialect: String, CaseIterable {
    case long, short, words

    var service: String {
        switch self {
        case .long:
            """
            option (axiom.options.v1.axiom_service) = {
              client_name: "TaskManager"
              collections: [{ name: "tasks" item_type: "Task" primary_key: "id" max_cached_items: 1000 }]
            };
            """
        case .short:
            """
            option (axiom.service_options).client_name = "TaskManager";
            option (axiom.service_options).collections = { name: "tasks" item_type: "Task" sortable: true };
            """
        case .words: "option (axiom.swift_client_actor) = \"TaskManager\";"
        }
    }

    func method(_ strategy: String, _ word: String) -> String {
        switch self {
        case .long:
            "{ option (axiom.options.v1.axiom_method) = { state_update_strategy: STATE_UPDATE_STRATEGY_\(strategy) }; }"
        case .short: "{ option (axiom.method_options) = { state_update_strategy: \(strategy) }; }"
        case .words: "{ option (axiom.swift_state_update) = \"\(word)\"; }"
        }
    }

    var title: String {
        switch self {
        case .long: "[(axiom.options.v1.axiom_field) = { required: true min_length: 3 }]"
        case .short: "[(axiom.field_options).required = true, (axiom.field_options).min_length = 3]"
        case .words: "[(axiom.swift_validation) = \"required, min_length:3\"]"
        }
    }

    var text: String {
        """
        syntax = "proto3";
        package tasks.v1;
        import "axiom_options.proto";
        service TaskService {
          \(service)
          rpc Make(MakeRequest) returns (Task) \(method("APPEND", "append"))
          rpc Load(LoadRequest) returns (LoadAnswer) \(method("REPLACE_ALL", "replace_all"))
          rpc Change(ChangeRequest) returns (Task) \(method("UPDATE_BY_ID", "update"))
          rpc Drop(DropRequest) returns (DropAnswer) \(method("REMOVE_BY_ID", "remove"))
          rpc Look(LookRequest) returns (LoadAnswer) \(method("NO_CHANGE", "none"))
          rpc Own(LookRequest) returns (LoadAnswer) \(method("CUSTOM", "custom"))
        }
        message MakeRequest { string title = 1 \(title); }
        message LoadRequest {}
        message LoadAnswer { repeated Task tasks = 1; string next_page_token = 2; }
        message ChangeRequest { string task_id = 1; string title = 2; }
        message DropRequest { string id = 1; }
        message DropAnswer { bool success = 1; }
        message LookRequest { string query = 1; }
        message Task { \(self == .words ? "option (axiom.swift_state_root) = true;" : "") string id = 1; string title = 2; }
        """
    }
}

@Suite(.tags(.optionSpellings)) struct DialectTests {
    @Test(arguments: Dialect.allCases) private func `The spellings of options mean the same`(dialect: Dialect) throws {
        let plan = try servicePlan(dialect.text)
        expectEqual(plan.clientName, "TaskManager")
        expectEqual(plan.collections.map(\.name), ["tasks"])
        expectEqual(plan.methods.map(\.strategy), [.append, .replaceAll, .updateByID, .removeByID, .noChange, .custom])
        try expectEqual(plan.method("Change").requestKey?.name, "task_id")
        try expectEqual(plan.method("Drop").requestKey?.name, "id")
        try expectEqual(plan.method("Load").page.cursor?.name, "next_page_token")
        let constraint = try #require(plan.method("Make").requirements.constraints.first)
        expectEqual(constraint.field.name, "title")
        #expect(constraint.isRequired)
        expectEqual(constraint.minLength, 3)
    }

    @Test func `The spellings of options are distinguished if a value belongs to another spelling`() throws {
        let text = """
            syntax = "proto3";
            import "axiom_options.proto";
            message A { string id = 1; }
            service S {
              rpc Make(A) returns (A) {
                option (axiom.method_options) = { state_update_strategy: STATE_UPDATE_STRATEGY_APPEND };
              }
            }
            """
        let compilation = Compiler.withOptionFiles { $0 == "test.proto" ? Array(text.utf8) : nil }.compile([
            "test.proto"
        ])
        #expect("\(try #require(compilation.diagnostics.first))".hasPrefix("test.proto:6:37: error: "))
    }

    @Test func `The spellings of options also work with the options file of the program`() throws {
        let options = """
            syntax = "proto3";
            package axiom.options.v1;
            import "google/protobuf/descriptor.proto";
            message AxiomServiceOptions { optional string client_name = 7; }
            extend google.protobuf.ServiceOptions { AxiomServiceOptions axiom_service = 60001; }
            """
        let text = """
            syntax = "proto3";
            import "axiom_options.proto";
            message A { string id = 1; }
            service S { option (axiom.options.v1.axiom_service) = { client_name: "Mine" }; }
            """
        let compilation = Compiler.withOptionFiles { name in
            ["axiom_options.proto": options, "test.proto": text][name].map { Array($0.utf8) }
        }.compile(["test.proto"])
        #expect(compilation.diagnostics.isEmpty)
        let planning = ServicePlan.read(compilation.filesToGenerate)
        expectEqual(planning.plans.map(\.clientName), ["Mine"])
    }

    @Test func `The spellings of options need no options file if nothing is set`() throws {
        let plan = try servicePlan(
            """
            syntax = "proto3";
            message Note { string id = 1; string text = 2; }
            message Query { string text = 1; }
            message Notes { repeated Note notes = 1; int32 total_count = 2; }
            message Gone {}
            message Key { string note_id = 1; }
            service NoteService {
              rpc CreateNote(Note) returns (Note);
              rpc ListNotes(Query) returns (Notes);
              rpc GetNote(Key) returns (Note);
              rpc EditNote(Note) returns (Note);
              rpc DeleteNote(Key) returns (Gone);
              rpc GetWeather(Query) returns (Gone);
              rpc Shout(Query) returns (Notes);
              rpc Watch(Query) returns (stream Note);
            }
            """)
        expectEqual(plan.clientName, "NoteClient")
        expectEqual(plan.stateName, "NoteState")
        expectEqual(plan.actionName, "NoteAction")
        expectEqual(plan.collections.map(\.name), ["notes"])
        expectEqual(
            plan.methods.map { "\($0.caseName) \($0.strategy)" },
            [
                "createNote append", "listNotes replaceAll", "getNote updateByID", "editNote updateByID",
                "deleteNote removeByID", "getWeather noChange", "shout custom",
            ])
        try expectEqual(plan.method("DeleteNote").requestKey?.name, "note_id")
    }
}
