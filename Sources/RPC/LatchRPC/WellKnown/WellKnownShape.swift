// SPDX-License-Identifier: Apache-2.0

/// The messages that JSON does not spell as objects of their fields (protobuf.dev, ProtoJSON, table).
enum WellKnownShape: Sendable {
    /// An object of its fields, as every other message.
    case none
    case timestamp, duration, fieldMask, any, object, value, list
    /// A message around one value, which is spelled as that value.
    case scalar

    /// The shape of a message by its full name.
    init(_ name: String) {
        self = name.hasPrefix("google.protobuf.") ? Self.names[name.dropFirst(16)] ?? .none : .none
    }

    private static let names: [Substring: WellKnownShape] = [
        "Timestamp": .timestamp, "Duration": .duration, "FieldMask": .fieldMask, "Any": .any, "Struct": .object,
        "Value": .value, "ListValue": .list, "DoubleValue": .scalar, "FloatValue": .scalar, "Int64Value": .scalar,
        "UInt64Value": .scalar, "Int32Value": .scalar, "UInt32Value": .scalar, "BoolValue": .scalar,
        "StringValue": .scalar, "BytesValue": .scalar,
    ]
}
