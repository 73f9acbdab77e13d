// SPDX-License-Identifier: Apache-2.0

/// The well-known types with special JSON forms (protobuf.dev, ProtoJSON, table).
enum WellKnownType: Sendable {
    /// A type without a special form: an object of its fields.
    case none
    case timestamp, duration, fieldMask, any, object, value, list
    /// A wrapper message, represented by its value.
    case scalar

    /// Creates the type for a full name.
    init(_ name: String) {
        self =
            name.utf8.starts(with: "google.protobuf.".utf8)
            ? Self.names[Substring(name.utf8.dropFirst(16))] ?? .none : .none
    }

    private static let names: [Substring: WellKnownType] = [
        "Timestamp": .timestamp, "Duration": .duration, "FieldMask": .fieldMask, "Any": .any, "Struct": .object,
        "Value": .value, "ListValue": .list, "DoubleValue": .scalar, "FloatValue": .scalar, "Int64Value": .scalar,
        "UInt64Value": .scalar, "Int32Value": .scalar, "UInt32Value": .scalar, "BoolValue": .scalar,
        "StringValue": .scalar, "BytesValue": .scalar,
    ]
}
