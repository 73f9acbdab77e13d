// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchProtoCompiler
import Testing

@testable import LatchGenerator

@Suite struct ConflictTests {
    private func complaints(service: String = "", method: String = "", field: String = "") throws -> [String] {
        try LatchGeneratorTests.complaints(
            """
            syntax = "proto3";
            import "axiom_options.proto";
            message Note { string id = 1; string text = 2 [\(field.isEmpty ? "deprecated = false" : field)]; }
            service NoteService {
              option deprecated = false; \(service)
              rpc CreateNote(Note) returns (Note) { option deprecated = false; \(method) }
              rpc UpdateNote(Note) returns (Note);
            }
            """)
    }

    @Test func `Two spellings of one option that agree are accepted`() throws {
        let found = try complaints(
            service: """
                option (axiom.service_options) = { client_name: "A" import_modules: "B" supports_pagination: true };
                option (axiom.options.v1.axiom_service) = { client_name: "A" import_modules: "C" supports_pagination: true };
                option (axiom.swift_client_actor) = "A";
                """,
            method: """
                option (axiom.method_options) = { state_update_strategy: APPEND cache_strategy: MEMORY };
                option (axiom.options.v1.axiom_method) = {
                  state_update_strategy: STATE_UPDATE_STRATEGY_APPEND cache_strategy: CACHE_STRATEGY_MEMORY
                };
                option (axiom.swift_state_update) = "append";
                """,
            field: """
                (axiom.field_options).min_length = 2, (axiom.options.v1.axiom_field).min_length = 2,
                (axiom.swift_validation) = "min_length:2"
                """)
        #expect(found.isEmpty)
    }

    @Test func `Two spellings of one option that differ are an error, which names both places`() throws {
        let names = try complaints(
            service: """
                option (axiom.service_options) = { client_name: "A" supports_pagination: true };
                option (axiom.options.v1.axiom_service) = { client_name: "B" supports_pagination: false };
                option (axiom.swift_client_actor) = "C";
                """)
        expectEqual(names.count, 4)
        #expect(
            names.contains(
                """
                test.proto:6:58: error: 'client_name' is "B" in (axiom.options.v1.axiom_service), and "A" in \
                (axiom.service_options) at test.proto:5:78
                """), "\(names)")
        #expect(names.contains { $0.contains("'supports_pagination' is false in (axiom.options.v1.axiom_service)") })
        expectEqual(names.filter { $0.contains("'client_name' is \"C\" in (axiom.swift_client_actor)") }.count, 2)
    }

    @Test func `Two spellings of one option of a call are distinguished by their types`() throws {
        let found = try complaints(
            method: """
                option (axiom.method_options) = { state_update_strategy: APPEND show_loading_state: true };
                option (axiom.options.v1.axiom_method) = {
                  state_update_strategy: STATE_UPDATE_STRATEGY_NO_CHANGE show_loading_state: false
                };
                option (axiom.swift_state_update) = "none";
                """)
        expectEqual(found.count, 3, "\(found)")
        #expect(
            found.contains { $0.contains("'state_update_strategy' is NO_CHANGE in (axiom.options.v1.axiom_method)") })
        #expect(found.contains { $0.contains("'state_update_strategy' is \"none\" in (axiom.swift_state_update)") })
        #expect(found.contains { $0.contains("'show_loading_state' is false in") })
    }

    @Test func `Two spellings of one option of a field are an error once, though two calls send it`() throws {
        let found = try complaints(
            field: """
                (axiom.field_options).min_length = 2, (axiom.options.v1.axiom_field).min_length = 3,
                (axiom.swift_validation) = "min_length:4"
                """)
        expectEqual(found.count, 2, "\(found)")
        #expect(found.contains { $0.contains("'min_length' is 3 in (axiom.options.v1.axiom_field), and 2 in") })
        #expect(found.contains { $0.contains("'min_length' is 4 in (axiom.swift_validation), and 2 in") })
    }

    @Test func `Two spellings of one option of a field are merged if each sets something else`() throws {
        let planning = try planning(
            """
            syntax = "proto3";
            import "axiom_options.proto";
            message Note {
              string id = 1;
              string text = 2 [(axiom.field_options).min_length = 2, (axiom.options.v1.axiom_field).max_length = 9];
            }
            service NoteService { rpc CreateNote(Note) returns (Note); }
            """)
        let constraint = try #require(planning.plans.first?.methods.first?.requirements.constraints.first)
        #expect(planning.diagnostics.isEmpty)
        #expect(constraint.minLength == 2 && constraint.maxLength == 9)
    }
}
