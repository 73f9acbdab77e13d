// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProtoCompiler
import TestTags
import Testing

@testable import LatchGenerator

@Suite struct ExampleDriftTests {
    /// An example of this package.
    enum Example: String, CaseIterable {
        case userService = "user-service"
        case taskManager = "task-manager"

        var proto: String {
            self == .userService ? "userservice/v1/user_service.proto" : "taskmanager/v1/task_service.proto"
        }
        var module: String { self == .userService ? "UserService" : "TaskManager" }
    }

    /// Returns the files that the generator writes now.
    private func generated(
        _ example: Example = .userService, _ change: (inout SwiftOptions) -> Void = { _ in }
    ) throws -> [GeneratedFile] {
        let text = try exampleFile("\(example.rawValue)/Protos/\(example.proto)")
        let compilation = Compiler.withOptionFiles { $0 == example.proto ? text : nil }.compile([example.proto])
        var options = GenerationOptions()
        options.swift.moduleName = example.module
        change(&options.swift)
        let result = SwiftGenerator.generate(compilation.filesToGenerate, options)
        #expect(result.diagnostics.isEmpty)
        return result.files
    }

    @Test(arguments: Example.allCases)
    func `The generated files of an example are those that are committed`(example: Example) throws {
        for file in try generated(example) {
            let path = "\(example.rawValue)/Generated/\(file.path)"
            let committed = String(decoding: try exampleFile(path), as: UTF8.self)
            expectEqual(committed, file.text, "\(path) differs: generate the example again")
        }
    }

    @Test func `The generated files of an example have the tree that Axiom documents`() throws {
        let paths = try generated().map(\.path).sorted()
        expectEqual(
            paths,
            [
                "swift/Clients/AxiomErrors.swift", "swift/Clients/UserManagerAction.swift",
                "swift/Clients/UserManagerClient.swift", "swift/Clients/UserManagerState.swift",
                "swift/Contracts/AuthenticationTypes.swift", "swift/Contracts/UserModels.swift",
                "swift/Contracts/UserService.swift", "swift/Documentation/APIReference.md",
                "swift/Documentation/IntegrationGuide.md", "swift/Documentation/README.md",
                "swift/Documentation/Troubleshooting.md", "swift/Documentation/UsageExamples.md",
                "swift/Tests/UserManagerClientTests.swift",
            ])
    }

    @Test(.tags(.reproducibleOutput)) func `The generated files of an example are the same bytes each time`() throws {
        try expectEqual(generated(), generated())
    }

    @Test func `The generated files of an example lie next to the .proto file in the layout perFile`() throws {
        let files = try generated {
            $0.layout = .perFile
            $0.visibility = .internal
        }
        #expect(files.contains { $0.path == "userservice/v1/UserManagerClient.swift" })
        let client = try #require(files.first { $0.path.hasSuffix("UserManagerClient.swift") })
        #expect(client.text.contains("\nactor UserManagerClient: AxiomClient {"))
        #expect(!client.text.contains("public"))
    }
}

@Suite struct ClientTextTests {
    private func files(_ text: String) throws -> GenerationResult {
        let compilation = Compiler.withOptionFiles { $0 == "test.proto" ? Array(text.utf8) : nil }.compile([
            "test.proto"
        ])
        #expect(compilation.diagnostics.isEmpty)
        var options = GenerationOptions()
        options.makesContracts = false
        return SwiftGenerator.generate(compilation.filesToGenerate, options)
    }

    private static let notes = """
        syntax = "proto3";
        import "axiom_options.proto";
        message Note {
          string id = 1;
          string text = 2 [(axiom.field_options) = { searchable: true required: true }];
          int64 seen = 3 [(axiom.field_options) = { sortable: true exclude_from_equality: true }];
        }
        message Made { Note note = 1; }
        message Key { optional string note_id = 1; }
        message Gone {}

        """

    @Test func `The text of a client needs no reducer if no update is CUSTOM`() throws {
        let output = try files(
            Self.notes + """
                service NoteService {
                  rpc CreateNote(Note) returns (Made);
                  rpc DeleteNote(Key) returns (Gone);
                }
                """)
        let client = try #require(output.files.first { $0.path.hasSuffix("NoteClient.swift") })
        #expect(!client.text.contains("educer"))
        #expect(client.text.contains("if let item = $0.note { NoteState.notesRules.append([item], to: &$1.notes) }"))
        #expect(client.text.contains("NoteState.notesRules.remove(request.noteId ?? \"\", from: &state.notes)"))
        let state = try #require(output.files.first { $0.path.hasSuffix("NoteState.swift") })
        #expect(state.text.contains("search: { [$0.text] }"))
        #expect(state.text.contains("ignoring: { $0.storage.clear(2) }"))
        #expect(state.text.contains("notesRules.areEqual(left.notes, right.notes)"))
        #expect(state.text.contains("text must not be empty"))
    }

    @Test func `The text of a client requires one function for each CUSTOM update`() throws {
        let output = try files(
            Self.notes + """
                service NoteService {
                  rpc Shout(Note) returns (Made);
                  rpc Forget(Key) returns (Gone);
                }
                """)
        let client = try #require(output.files.first { $0.path.hasSuffix("NoteClient.swift") })
        #expect(
            client.text.contains("func shout(_ request: Note, response: Made, state: inout NoteState)"))
        #expect(client.text.contains("func forget(_ request: Key, response: Gone, state: inout NoteState)"))
    }

    @Test(.tags(.validationRules)) func `The text of a client is not written with an invalid rule`() throws {
        let output = try files(
            Self.notes + """
                service NoteService {
                  rpc CreateNote(Note) returns (Made) {
                    option (axiom.method_options) = { validation_rules: ["request.text.sparkles"] };
                  }
                }
                """)
        #expect(output.files.isEmpty)
        #expect("\(try #require(output.diagnostics.first))".hasPrefix("test.proto:13:"))
    }

    @Test func `The text of a client avoids the names of messages for its types, unless options request them`() throws {
        let output = try files(
            """
            syntax = "proto3";
            message NoteState { string id = 1; }
            service NoteService { rpc GetNote(NoteState) returns (NoteState); }
            """)
        let client = try #require(output.files.first { $0.path.hasSuffix("NoteServiceClient.swift") })
        #expect(client.text.contains("typealias StateType = NoteServiceState"))
        let named = try files(
            """
            syntax = "proto3";
            import "axiom_options.proto";
            message NoteState { string id = 1; }
            service NoteService {
              option (axiom.service_options).state_name = "NoteState";
              rpc GetNote(NoteState) returns (NoteState);
            }
            """)
        #expect(named.files.isEmpty)
        expectEqual(named.diagnostics.first?.message, "'NoteState' would be both a type of the client and a message")
    }

    @Test func `The text of a client qualifies a type that has the name of a message by its module`() throws {
        let output = try files(
            """
            syntax = "proto3";
            message Message { string id = 1; }
            message String { string id = 1; }
            message Date { repeated Message messages = 1; }
            service ChatService { rpc CreateMessage(String) returns (Message); rpc ListMessages(String) returns (Date); }
            """)
        let state = try #require(output.files.first { $0.path.hasSuffix("ChatState.swift") })
        #expect(state.text.contains("ItemRules<Message, Swift.String>"))
        #expect(state.text.contains("var lastUpdated: LatchRPC.ProtoDate?"))
        let action = try #require(output.files.first { $0.path.hasSuffix("ChatAction.swift") })
        #expect(action.text.contains("var request: any LatchRPC.Message {"))
        #expect(action.text.contains("var validationErrors: [Swift.String] { [] }"))
    }

    @Test func `The text of a client does not exist for a service whose calls all stream`() throws {
        let output = try files(
            """
            syntax = "proto3";
            message Note { string id = 1; }
            service NoteService { rpc Watch(Note) returns (stream Note); }
            """)
        #expect(output.files.isEmpty && output.diagnostics.isEmpty)
    }

    @Test func `The text of a client has a guide with authentication and the methods without an action`() throws {
        let output = try files(
            Self.notes + """
                service NoteService {
                  rpc CreateNote(Note) returns (Made);
                  rpc WatchNotes(Key) returns (stream Note);
                  rpc Upload(stream Note) returns (Gone);
                }
                """)
        func guide(_ name: String) throws -> String {
            try #require(output.files.first { $0.path.hasSuffix("Documentation/\(name).md") }).text
        }
        let overview = try guide("README")
        #expect(overview.contains("- `watchNotes`: server streaming\n- `upload`: client streaming"))
        #expect(overview.contains("for try await response in try await NoteServiceStub(channel).watchNotes(request)"))
        let integration = try guide("IntegrationGuide")
        #expect(integration.contains("## 3 · Authenticate the calls"))
        #expect(integration.contains("SessionInterceptor(session, for: .origin(origin))"))
    }

    @Test func `The text of a client gives two clients their own guides, and one file of errors`() throws {
        let output = try files(
            Self.notes + """
                service NoteService { rpc CreateNote(Note) returns (Made); }
                service BoardService { rpc CreateNote(Note) returns (Made); }
                """)
        let paths = output.files.map(\.path)
        #expect(paths.contains("swift/Documentation/Note/NoteOverview.md"))
        #expect(paths.contains("swift/Documentation/Board/BoardOverview.md"))
        expectEqual(paths.filter { $0.hasSuffix("AxiomErrors.swift") }.count, 1)
        expectEqual(Set(paths).count, paths.count)
    }
}
