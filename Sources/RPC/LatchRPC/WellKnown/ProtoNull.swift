// SPDX-License-Identifier: Apache-2.0

/// The one value of JSON's null: `google.protobuf.NullValue`.
public enum ProtoNull: ProtoEnum {
    /// Null.
    case nullValue
    /// A number that the enum does not have.
    case unrecognized(Int32)

    /// The enum's values.
    public static let schema = EnumSchema("google.protobuf.NullValue", "0 NULL_VALUE")

    /// Null.
    public init() { self = .nullValue }

    /// The value of a number.
    public init?(rawValue: Int32) { self = rawValue == 0 ? .nullValue : .unrecognized(rawValue) }

    /// The value's number.
    public var rawValue: Int32 {
        switch self {
        case .nullValue: 0
        case .unrecognized(let number): number
        }
    }

    /// The values that the enum has.
    public static let allCases: [ProtoNull] = [.nullValue]
}
