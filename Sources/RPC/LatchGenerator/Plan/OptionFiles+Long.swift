// SPDX-License-Identifier: Apache-2.0

extension OptionFiles {
    /// Package `axiom.options.v1`.
    static let long = """
        syntax = "proto3";

        package axiom.options.v1;

        import "google/protobuf/descriptor.proto";

        extend google.protobuf.ServiceOptions {
          AxiomServiceOptions axiom_service = 50001;
        }

        extend google.protobuf.MethodOptions {
          AxiomMethodOptions axiom_method = 50002;
        }

        extend google.protobuf.FieldOptions {
          AxiomFieldOptions axiom_field = 50003;
        }

        extend google.protobuf.MessageOptions {
          AxiomCollection axiom_collection = 50004;
        }

        // How the client of a service is named, and what it keeps.
        message AxiomServiceOptions {
          optional string client_name = 1;
          optional string state_name = 2;
          optional string action_name = 3;
          repeated string import_modules = 4;
          optional bool generate_tests = 5;
          optional string swift_package_name = 6;
          repeated AxiomCollection collections = 7;
          optional bool supports_pagination = 8;
        }

        // What a call asks for, and what its answer does to the state.
        message AxiomMethodOptions {
          optional StateUpdateStrategy state_update_strategy = 1;
          optional string collection_name = 2;
          optional bool requires_network = 3;
          optional bool modifies_state = 4;
          optional bool show_loading_state = 5;
          // Conditions that a request fulfils, each on its own: `!request.email.isEmpty`.
          repeated string validation_rules = 6;
          optional string action_documentation = 7;
          // The field of the request that holds the key of the item that is meant.
          optional string id_field_name = 8;
          optional bool supports_offline = 9;
          optional CacheStrategy cache_strategy = 10;
        }

        // What a field of a request must hold, and what a field of an item is good for.
        message AxiomFieldOptions {
          optional bool is_id_field = 1;
          optional bool searchable = 2;
          optional bool sortable = 3;
          optional bool required = 4;
          optional string validation_pattern = 5;
          optional double min_value = 6;
          optional double max_value = 7;
          optional int32 min_length = 8;
          optional int32 max_length = 9;
          optional bool exclude_from_equality = 10;
        }

        // Items that the state keeps.
        message AxiomCollection {
          string name = 1;
          string item_type = 2;
          optional string primary_key = 3;
          optional bool paginated = 4;
          optional string default_sort_field = 5;
          optional bool searchable = 6;
          optional int32 max_cached_items = 7;
          optional bool sortable = 8;
        }

        enum StateUpdateStrategy {
          STATE_UPDATE_STRATEGY_UNSPECIFIED = 0;
          STATE_UPDATE_STRATEGY_APPEND = 1;
          STATE_UPDATE_STRATEGY_REPLACE_ALL = 2;
          STATE_UPDATE_STRATEGY_UPDATE_BY_ID = 3;
          STATE_UPDATE_STRATEGY_REMOVE_BY_ID = 4;
          STATE_UPDATE_STRATEGY_CUSTOM = 5;
          STATE_UPDATE_STRATEGY_NO_CHANGE = 6;
        }

        enum CacheStrategy {
          CACHE_STRATEGY_UNSPECIFIED = 0;
          CACHE_STRATEGY_NONE = 1;
          CACHE_STRATEGY_MEMORY = 2;
          CACHE_STRATEGY_PERSISTENT = 3;
          CACHE_STRATEGY_CONDITIONAL = 4;
        }

        """
}
