// SPDX-License-Identifier: Apache-2.0

extension OptionFiles {
    /// Package `axiom`: the same as messages with short values of enums, and as single words.
    static let short = """
        syntax = "proto3";

        package axiom;

        import "axiom/options/v1/options.proto";
        import "google/protobuf/descriptor.proto";

        extend google.protobuf.ServiceOptions {
          axiom.options.v1.AxiomServiceOptions service_options = 50011;
          // The name of the client.
          optional string swift_client_actor = 50016;
        }

        extend google.protobuf.MethodOptions {
          MethodOptions method_options = 50012;
          // The name of the action.
          optional string swift_action_name = 50017;
          // append, replace, replace_all, update, remove, filter, custom or none.
          optional string swift_state_update = 50018;
        }

        extend google.protobuf.FieldOptions {
          axiom.options.v1.AxiomFieldOptions field_options = 50013;
          // Words with commas between them: required, email, uuid, url, min_length:N, max_length:N, min:N, max:N.
          optional string swift_validation = 50020;
        }

        extend google.protobuf.MessageOptions {
          axiom.options.v1.AxiomCollection collection_options = 50014;
          // Whether the state keeps these messages.
          optional bool swift_state_root = 50019;
        }

        extend google.protobuf.FileOptions {
          // The name of the module that the generated files belong to.
          optional string swift_package_name = 50015;
        }

        // What a call asks for, and what its answer does to the state.
        message MethodOptions {
          optional StateUpdate.Strategy state_update_strategy = 1;
          optional string collection_name = 2;
          optional bool requires_network = 3;
          optional bool modifies_state = 4;
          optional bool show_loading_state = 5;
          repeated string validation_rules = 6;
          optional string action_documentation = 7;
          optional string id_field_name = 8;
          optional bool supports_offline = 9;
          optional Cache.Strategy cache_strategy = 10;
        }

        // Holds the enum, so that its values have no prefix.
        message StateUpdate {
          enum Strategy {
            UNSPECIFIED = 0;
            APPEND = 1;
            REPLACE_ALL = 2;
            UPDATE_BY_ID = 3;
            REMOVE_BY_ID = 4;
            CUSTOM = 5;
            NO_CHANGE = 6;
          }
        }

        // Holds the enum, so that its values have no prefix.
        message Cache {
          enum Strategy {
            UNSPECIFIED = 0;
            NONE = 1;
            MEMORY = 2;
            PERSISTENT = 3;
            CONDITIONAL = 4;
          }
        }

        """
}
