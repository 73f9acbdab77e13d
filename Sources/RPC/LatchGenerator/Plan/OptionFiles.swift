// SPDX-License-Identifier: Apache-2.0

package import LatchProtoCompiler

/// The .proto files that declare the options of generated clients, for this compiler and for protoc.
///
/// - `axiom_options.proto` is the file that a service imports: it declares nothing and imports the two others publicly.
/// - `axiom/options/v1/options.proto`: `(axiom.options.v1.axiom_service)` and its like, whose enum values have long names.
/// - `axiom/options.proto`: `(axiom.service_options)` and its like, whose enum values have short names, and
///   `(axiom.swift_client_actor)` and its like, which are single strings.
package enum OptionFiles {
    /// The import paths, each after the files that it imports.
    package static let names = ["axiom/options/v1/options.proto", "axiom/options.proto", "axiom_options.proto"]

    /// Returns the text of a file; nil for any other name.
    package static func text(of name: String) -> String? {
        switch name {
        case "axiom_options.proto": all
        case "axiom/options/v1/options.proto": long
        case "axiom/options.proto": short
        default: nil
        }
    }

    /// Returns the bytes of a file; nil for any other name.
    package static func bytes(of name: String) -> [UInt8]? { text(of: name).map { Array($0.utf8) } }

    private static let all = """
        // The options of generated clients: import this file, and set the options that the other two declare.

        syntax = "proto3";

        import public "axiom/options.proto";
        import public "axiom/options/v1/options.proto";

        """

    /// Package `axiom`: the same as messages whose enum values have short names, and as single strings.
    private static let short = """
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
          // A comma-separated list: required, email, uuid, url, min_length:N, max_length:N, min:N, max:N.
          optional string swift_validation = 50020;
        }

        extend google.protobuf.MessageOptions {
          axiom.options.v1.AxiomCollection collection_options = 50014;
          // Whether the state of the client keeps these messages.
          optional bool swift_state_root = 50019;
        }

        extend google.protobuf.FileOptions {
          // The name of the module that the generated files belong to.
          optional string swift_package_name = 50015;
        }

        // The requirements of a method, and the effect of its response on the state.
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

        // The scope of the enum, so that its values need no prefix.
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

        // The scope of the enum, so that its values need no prefix.
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

    /// Package `axiom.options.v1`: messages whose enum values have long names.
    private static let long = """
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

        // The names of a service's client, and the collections that it keeps.
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

        // The requirements of a method, and the effect of its response on the state.
        message AxiomMethodOptions {
          optional StateUpdateStrategy state_update_strategy = 1;
          optional string collection_name = 2;
          optional bool requires_network = 3;
          optional bool modifies_state = 4;
          optional bool show_loading_state = 5;
          // Conditions that each request must meet: `!request.email.isEmpty`.
          repeated string validation_rules = 6;
          optional string action_documentation = 7;
          // The field of the request that holds the key of the item.
          optional string id_field_name = 8;
          optional bool supports_offline = 9;
          optional CacheStrategy cache_strategy = 10;
        }

        // The constraints on a field of a request, and the uses of a field of an item.
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

        // A collection of items that the state keeps.
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

extension Compiler {
    /// Creates a compiler that falls back to the option files where `read` returns nil.
    ///
    /// - Parameter recordsLocations: Whether descriptors carry source code info.
    package static func withOptionFiles(recordsLocations: Bool = false, reading read: @escaping Read) -> Compiler {
        Compiler(recordsLocations: recordsLocations) { name in read(name) ?? OptionFiles.bytes(of: name) }
    }
}
