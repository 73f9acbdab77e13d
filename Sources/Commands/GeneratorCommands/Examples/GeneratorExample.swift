// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchGenerator

/// An example of .proto files.
struct GeneratorExample: Sendable {
    /// The name of the example.
    let name: String
    /// The subject of the example.
    let summary: String
    /// The category: basic, authentication or advanced.
    let category: String
    let files: [GeneratedFile]

    /// All examples, the simplest first.
    static let all = [basic, userService, taskManager, comprehensive, options]

    /// The example as JSON.
    var json: JSONValue {
        [
            "name": .string(name), "summary": .string(summary), "category": .string(category),
            "files": .array(files.map { ["path": .string($0.path), "text": .string($0.text)] }),
        ]
    }

    /// The files that declare options, for protoc.
    private static let options = GeneratorExample(
        name: "options", summary: "the files that declare the options of clients, for protoc's include path",
        category: "advanced",
        files: OptionFiles.names.map { GeneratedFile(path: $0, text: OptionFiles.text(of: $0) ?? "") })
}

extension GeneratorExample {
    /// A minimal client.
    fileprivate static let basic = GeneratorExample(
        name: "basic", summary: "one service with two methods, and no options",
        category: "basic",
        files: [
            GeneratedFile(
                path: "notes/v1/note_service.proto",
                text: """
                    syntax = "proto3";

                    package notes.v1;

                    // Keeps notes.
                    service NoteService {
                      // Adds a note; the name makes the client append the response to its state.
                      rpc CreateNote(CreateNoteRequest) returns (Note);

                      // Returns all notes; the name makes the client replace those in its state.
                      rpc GetNotes(GetNotesRequest) returns (GetNotesResponse);
                    }

                    // A short text.
                    message Note {
                      string id = 1;
                      string text = 2;
                    }

                    message CreateNoteRequest {
                      string text = 1;
                    }

                    message GetNotesRequest {}

                    message GetNotesResponse {
                      repeated Note notes = 1;
                    }

                    """)
        ])

    /// Most features of the language.
    fileprivate static let comprehensive = GeneratorExample(
        name: "comprehensive", summary: "streams, oneofs, maps, presence, nested types and retired numbers",
        category: "advanced",
        files: [
            GeneratedFile(
                path: "shapes/v1/shape_service.proto",
                text: """
                    syntax = "proto3";

                    package shapes.v1;

                    import "google/protobuf/duration.proto";
                    import "google/protobuf/empty.proto";
                    import "google/protobuf/timestamp.proto";

                    // All four kinds of methods.
                    service ShapeService {
                      // Unary, and safe to repeat.
                      rpc GetShape(GetShapeRequest) returns (Shape) {
                        option idempotency_level = NO_SIDE_EFFECTS;
                      }

                      // Server streaming.
                      rpc WatchShapes(GetShapeRequest) returns (stream Shape);

                      // Client streaming.
                      rpc UploadShapes(stream Shape) returns (google.protobuf.Empty);

                      // Bidirectional streaming.
                      rpc Exchange(stream Shape) returns (stream Shape);
                    }

                    message GetShapeRequest {
                      string shape_id = 1;
                    }

                    // A shape with an outline.
                    message Shape {
                      // The fill style.
                      enum Fill {
                        FILL_UNSPECIFIED = 0;
                        FILL_PLAIN = 1;
                        FILL_HATCHED = 2;
                      }

                      message Point {
                        double x = 1;
                        double y = 2;
                      }

                      string id = 1;
                      Fill fill = 2;
                      // A field with presence: an empty name differs from none.
                      optional string name = 3;
                      oneof outline {
                        double radius = 4;
                        Polygon polygon = 5;
                      }
                      map<string, string> labels = 6;
                      repeated int32 layers = 7;
                      bytes thumbnail = 8;
                      google.protobuf.Timestamp created_at = 9;
                      google.protobuf.Duration lifetime = 10;

                      // The numbers and names of removed fields.
                      reserved 11 to 13;
                      reserved "colour";
                    }

                    message Polygon {
                      repeated Shape.Point corners = 1;
                    }

                    """)
        ])
}

extension GeneratorExample {
    /// The accounts and sessions of an app.
    fileprivate static let userService = GeneratorExample(
        name: "user-service", summary: "accounts and sessions, with rules for requests",
        category: "authentication",
        files: [
            GeneratedFile(
                path: "userservice/v1/user_service.proto",
                text: """
                    syntax = "proto3";

                    package userservice.v1;

                    import "axiom_options.proto";
                    import "google/protobuf/empty.proto";
                    import "google/protobuf/timestamp.proto";

                    // User accounts and their sessions.
                    service UserService {
                      option (axiom.service_options) = {
                        client_name: "UserManagerClient"
                        state_name: "UserManagerState"
                        action_name: "UserManagerAction"
                        collections: [
                          { name: "users" item_type: "User" primary_key: "id" paginated: true max_cached_items: 200 },
                          { name: "sessions" item_type: "UserSession" primary_key: "id" max_cached_items: 10 }
                        ]
                      };

                      // Starts a session with a password; the app implements the state update.
                      rpc Login(LoginRequest) returns (AuthResponse) {
                        option (axiom.method_options) = {
                          state_update_strategy: CUSTOM
                          collection_name: "sessions"
                          requires_network: true
                          modifies_state: true
                          show_loading_state: true
                          validation_rules: ["!request.email.isEmpty", "!request.password.isEmpty"]
                        };
                      }

                      // Exchanges a refresh token for a new session.
                      rpc RefreshToken(RefreshTokenRequest) returns (AuthResponse) {
                        option (axiom.method_options) = {
                          state_update_strategy: CUSTOM
                          collection_name: "sessions"
                          validation_rules: ["!request.refresh_token.isEmpty"]
                        };
                      }

                      // Updates the given fields of an account.
                      rpc UpdateProfile(UpdateProfileRequest) returns (User) {
                        option (axiom.method_options) = {
                          state_update_strategy: UPDATE_BY_ID
                          collection_name: "users"
                          id_field_name: "user_id"
                          validation_rules: [
                            "!request.user_id.isEmpty",
                            "request.email.isEmpty || request.email.contains('@')"
                          ]
                        };
                      }

                      // Ends a session.
                      rpc Logout(LogoutRequest) returns (google.protobuf.Empty) {
                        option (axiom.method_options) = {
                          state_update_strategy: CUSTOM
                          collection_name: "sessions"
                          validation_rules: ["!request.session_token.isEmpty"]
                        };
                      }
                    }

                    message User {
                      string id = 1;
                      string email = 2;
                      string display_name = 3;
                      google.protobuf.Timestamp created_at = 4;
                    }

                    message UserSession {
                      string id = 1;
                      string user_id = 2;
                      string access_token = 3;
                      string refresh_token = 4;
                      google.protobuf.Timestamp expires_at = 5;
                    }

                    message LoginRequest {
                      string email = 1;
                      string password = 2;
                      bool remember_me = 3;
                    }

                    message RefreshTokenRequest {
                      string refresh_token = 1;
                    }

                    message AuthResponse {
                      User user = 1;
                      UserSession session = 2;
                    }

                    message UpdateProfileRequest {
                      string user_id = 1;
                      optional string email = 2;
                      optional string display_name = 3;
                    }

                    message LogoutRequest {
                      string session_token = 1;
                      bool logout_all_devices = 2;
                    }

                    """)
        ])

    /// All update strategies.
    fileprivate static let taskManager = GeneratorExample(
        name: "task-manager", summary: "tasks with all update strategies and offline use", category: "advanced",
        files: [
            GeneratedFile(
                path: "taskmanager/v1/task_service.proto",
                text: """
                    syntax = "proto3";

                    package taskmanager.v1;

                    import "axiom_options.proto";
                    import "google/protobuf/empty.proto";
                    import "google/protobuf/timestamp.proto";

                    // Tasks of a team.
                    service TaskService {
                      option (axiom.service_options) = {
                        client_name: "TaskClient"
                        state_name: "TaskState"
                        action_name: "TaskAction"
                        supports_pagination: true
                        collections: [
                          {
                            name: "tasks" item_type: "Task" primary_key: "id" paginated: true searchable: true
                            sortable: true default_sort_field: "created_at" max_cached_items: 500
                          }
                        ]
                      };

                      rpc CreateTask(CreateTaskRequest) returns (Task) {
                        option (axiom.method_options) = {
                          state_update_strategy: APPEND
                          collection_name: "tasks"
                          validation_rules: ["!request.title.isEmpty"]
                        };
                      }

                      rpc GetTasks(GetTasksRequest) returns (GetTasksResponse) {
                        option (axiom.method_options) = {
                          state_update_strategy: REPLACE_ALL
                          collection_name: "tasks"
                          cache_strategy: MEMORY
                          supports_offline: true
                        };
                      }

                      rpc UpdateTask(UpdateTaskRequest) returns (Task) {
                        option (axiom.method_options) = {
                          state_update_strategy: UPDATE_BY_ID
                          collection_name: "tasks"
                          id_field_name: "task_id"
                        };
                      }

                      rpc DeleteTask(DeleteTaskRequest) returns (google.protobuf.Empty) {
                        option (axiom.method_options) = {
                          state_update_strategy: REMOVE_BY_ID
                          collection_name: "tasks"
                          id_field_name: "task_id"
                        };
                      }
                    }

                    enum TaskStatus {
                      TASK_STATUS_UNSPECIFIED = 0;
                      TASK_STATUS_OPEN = 1;
                      TASK_STATUS_DONE = 2;
                    }

                    message Task {
                      string id = 1;
                      string title = 2;
                      TaskStatus status = 3;
                      google.protobuf.Timestamp created_at = 4;
                      repeated string tags = 5;
                    }

                    message CreateTaskRequest {
                      string title = 1;
                      repeated string tags = 2;
                    }

                    message GetTasksRequest {
                      int32 limit = 1;
                      string cursor = 2;
                    }

                    message GetTasksResponse {
                      repeated Task tasks = 1;
                      string next_cursor = 2;
                      int32 total_count = 3;
                    }

                    message UpdateTaskRequest {
                      string task_id = 1;
                      optional string title = 2;
                      optional TaskStatus status = 3;
                    }

                    message DeleteTaskRequest {
                      string task_id = 1;
                    }

                    """)
        ])
}
