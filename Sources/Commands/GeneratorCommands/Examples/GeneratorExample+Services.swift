// SPDX-License-Identifier: Apache-2.0

import LatchGenerator

extension GeneratorExample {
    /// The heart of what an app with accounts needs.
    static let userService = GeneratorExample(
        name: "user-service", summary: "accounts and sessions, with rules that requests must hold",
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

                    // Accounts of people, and their sessions.
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

                      // Begins a session with a password; what that does to the state, the app says.
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

                      // Changes what is given of an account.
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

    /// All strategies by which an answer changes the state.
    static let taskManager = GeneratorExample(
        name: "task-manager", summary: "tasks that are added, changed, removed and kept offline", category: "advanced",
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
