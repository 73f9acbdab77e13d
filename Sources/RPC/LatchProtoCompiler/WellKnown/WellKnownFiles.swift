// SPDX-License-Identifier: Apache-2.0

/// The files that come with every compiler of Protocol Buffers; their declarations have no comments.
enum WellKnownFiles {
    private static let texts = [
        "any": any, "api": api, "descriptor": descriptor, "duration": duration, "empty": empty, "field_mask": fieldMask,
        "source_context": sourceContext, "struct": `struct`, "timestamp": timestamp, "type": type, "wrappers": wrappers,
    ]

    /// Returns the bytes of a file by its name in imports; nil if it is not one of them.
    static func bytes(of name: String) -> [UInt8]? {
        guard name.hasPrefix("google/protobuf/"), name.hasSuffix(".proto") else { return nil }
        return texts[String(name.dropFirst(16).dropLast(6))].map { Array($0.utf8) }
    }
}

// MARK: Well-known types

extension WellKnownFiles {
    static let any = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "AnyProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/anypb";
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message Any {
          string type_url = 1;
          bytes value = 2;
        }
        """#

    static let api = #"""
        syntax = "proto3";
        package google.protobuf;
        import "google/protobuf/source_context.proto";
        import "google/protobuf/type.proto";
        option java_package = "com.google.protobuf";
        option java_outer_classname = "ApiProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/apipb";
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message Api {
          string name = 1;
          repeated Method methods = 2;
          repeated Option options = 3;
          string version = 4;
          SourceContext source_context = 5;
          repeated Mixin mixins = 6;
          Syntax syntax = 7;
          string edition = 8;
        }
        message Method {
          string name = 1;
          string request_type_url = 2;
          bool request_streaming = 3;
          string response_type_url = 4;
          bool response_streaming = 5;
          repeated Option options = 6;
          Syntax syntax = 7 [deprecated = true];
          string edition = 8 [deprecated = true];
        }
        message Mixin {
          string name = 1;
          string root = 2;
        }
        """#

    static let duration = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "DurationProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/durationpb";
        option cc_enable_arenas = true;
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message Duration {
          int64 seconds = 1;
          int32 nanos = 2;
        }
        """#

    static let empty = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "EmptyProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/emptypb";
        option cc_enable_arenas = true;
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message Empty {
        }
        """#

    static let fieldMask = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "FieldMaskProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/fieldmaskpb";
        option cc_enable_arenas = true;
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message FieldMask {
          repeated string paths = 1;
        }
        """#

    static let sourceContext = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "SourceContextProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/sourcecontextpb";
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message SourceContext {
          string file_name = 1;
        }
        """#

    static let `struct` = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "StructProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/structpb";
        option cc_enable_arenas = true;
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message Struct {
          map<string, Value> fields = 1;
        }
        message Value {
          oneof kind {
            NullValue null_value = 1;
            double number_value = 2;
            string string_value = 3;
            bool bool_value = 4;
            Struct struct_value = 5;
            ListValue list_value = 6;
          }
        }
        message ListValue {
          repeated Value values = 1;
        }
        enum NullValue {
          NULL_VALUE = 0;
        }
        """#

    static let timestamp = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "TimestampProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/timestamppb";
        option cc_enable_arenas = true;
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message Timestamp {
          int64 seconds = 1;
          int32 nanos = 2;
        }
        """#

    static let type = #"""
        syntax = "proto3";
        package google.protobuf;
        import "google/protobuf/any.proto";
        import "google/protobuf/source_context.proto";
        option java_package = "com.google.protobuf";
        option java_outer_classname = "TypeProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/typepb";
        option cc_enable_arenas = true;
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message Type {
          string name = 1;
          repeated Field fields = 2;
          repeated string oneofs = 3;
          repeated Option options = 4;
          SourceContext source_context = 5;
          Syntax syntax = 6;
          string edition = 7;
        }
        message Field {
          Field.Kind kind = 1;
          Field.Cardinality cardinality = 2;
          int32 number = 3;
          string name = 4;
          string type_url = 6;
          int32 oneof_index = 7;
          bool packed = 8;
          repeated Option options = 9;
          string json_name = 10;
          string default_value = 11;
          enum Kind {
            TYPE_UNKNOWN = 0; TYPE_DOUBLE = 1; TYPE_FLOAT = 2; TYPE_INT64 = 3; TYPE_UINT64 = 4; TYPE_INT32 = 5;
              TYPE_FIXED64 = 6; TYPE_FIXED32 = 7; TYPE_BOOL = 8; TYPE_STRING = 9; TYPE_GROUP = 10; TYPE_MESSAGE = 11;
              TYPE_BYTES = 12; TYPE_UINT32 = 13; TYPE_ENUM = 14; TYPE_SFIXED32 = 15; TYPE_SFIXED64 = 16; TYPE_SINT32 =
              17; TYPE_SINT64 = 18;
          }
          enum Cardinality {
            CARDINALITY_UNKNOWN = 0; CARDINALITY_OPTIONAL = 1; CARDINALITY_REQUIRED = 2; CARDINALITY_REPEATED = 3;
          }
        }
        message Enum {
          string name = 1;
          repeated EnumValue enumvalue = 2;
          repeated Option options = 3;
          SourceContext source_context = 4;
          Syntax syntax = 5;
          string edition = 6;
        }
        message EnumValue {
          string name = 1;
          int32 number = 2;
          repeated Option options = 3;
        }
        message Option {
          string name = 1;
          Any value = 2;
        }
        enum Syntax {
          SYNTAX_PROTO2 = 0; SYNTAX_PROTO3 = 1; SYNTAX_EDITIONS = 2;
        }
        """#

    static let wrappers = #"""
        syntax = "proto3";
        package google.protobuf;
        option java_package = "com.google.protobuf";
        option java_outer_classname = "WrappersProto";
        option java_multiple_files = true;
        option go_package = "google.golang.org/protobuf/types/known/wrapperspb";
        option cc_enable_arenas = true;
        option objc_class_prefix = "GPB";
        option csharp_namespace = "Google.Protobuf.WellKnownTypes";
        message DoubleValue {
          double value = 1;
        }
        message FloatValue {
          float value = 1;
        }
        message Int64Value {
          int64 value = 1;
        }
        message UInt64Value {
          uint64 value = 1;
        }
        message Int32Value {
          int32 value = 1;
        }
        message UInt32Value {
          uint32 value = 1;
        }
        message BoolValue {
          bool value = 1;
        }
        message StringValue {
          string value = 1;
        }
        message BytesValue {
          bytes value = 1;
        }
        """#
}
