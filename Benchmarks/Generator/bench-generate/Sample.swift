// SPDX-License-Identifier: Apache-2.0

/// Texts of .proto files of some size.
enum Sample {
    private static let head = """
        syntax = "proto3";
        package bench.v1;
        import "google/protobuf/timestamp.proto";

        """

    /// Messages of 17 fields each.
    static func messages(_ count: Int) -> String {
        var text = head + "enum Kind { KIND_UNSPECIFIED = 0; KIND_A = 1; KIND_B = 2; KIND_C = 3; }\n"
        for index in 0..<count {
            text += """
                // What is known about number \(index).
                message Record\(index) {
                  string id = 1; string email = 2; string username = 3; string first_name = 4; string last_name = 5;
                  string display_name = 6; string avatar_url = 7; Kind kind = 8; int32 count = 9;
                  bool email_verified = 10;
                  // When it was made.
                  google.protobuf.Timestamp created_at = 11; google.protobuf.Timestamp updated_at = 12; int64 size = 13;
                  Record\((index + 1) % count) next = 14; double ratio = 15; repeated string permissions = 16;
                  repeated Record\((index + 7) % count) others = 17;
                }

                """
        }
        return text
    }

    /// One message.
    static func fields(_ count: Int) -> String {
        head + "message Wide {\n"
            + (1...count).map { "  string field_number_\($0) = \($0 < 19000 ? $0 : $0 + 1000);\n" }.joined()
            + "}\n"
    }

    /// One enum, and a message with fields of it.
    static func values(_ count: Int) -> String {
        head + "enum Long {\n" + (0..<count).map { "  LONG_VALUE_\($0) = \($0);\n" }.joined()
            + "}\nmessage Uses {\n" + (1...1000).map { "  Long value_\($0) = \($0);\n" }.joined() + "}\n"
    }

    /// Services, with a request and an answer for each method.
    static func services(_ count: Int, methods: Int) -> String {
        var text = head
        for service in 0..<count {
            text += "// Does things.\nservice Number\(service)Service {\n"
            for method in 0..<methods {
                text +=
                    "  // Does one thing.\n  rpc Do\(method)(Do\(service)x\(method)Request) returns (Do\(service)x\(method)Response);\n"
            }
            text += "}\n"
            for method in 0..<methods {
                text += "message Do\(service)x\(method)Request { string id = 1; int32 count = 2; }\n"
                text += "message Do\(service)x\(method)Response { string id = 1; bool done = 2; }\n"
            }
        }
        return text
    }
}
