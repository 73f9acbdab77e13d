// SPDX-License-Identifier: Apache-2.0

/// A protobuf enum.
///
/// An open enum keeps unknown numbers in a case `unrecognized`; a closed enum refuses them.
public protocol ProtoEnum: SchemaType, RawRepresentable, CaseIterable, Hashable where RawValue == Int32 {
    /// The names and numbers of the values.
    static var schema: EnumSchema { get }
}

extension ProtoEnum {
    /// The full name of the enum, such as `userservice.v1.UserRole`.
    public static var name: String { schema.name }

    /// Compares the raw values.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the raw value.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Creates the value for a stored number; the default for an unknown number of a closed enum.
    @inlinable
    init(stored number: Int32) {
        if let value = Self(rawValue: number) { self = value } else { self = Self.fallback }
    }

    @usableFromInline
    static var fallback: Self { Self(rawValue: schema.first) ?? allCases[allCases.startIndex] }
}
