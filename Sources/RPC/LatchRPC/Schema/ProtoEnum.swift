// SPDX-License-Identifier: Apache-2.0

/// An enum of a .proto file.
///
/// An open enum keeps numbers that it does not know in a case `unrecognized`; a closed one refuses them.
public protocol ProtoEnum: SchemaType, RawRepresentable, CaseIterable, Hashable where RawValue == Int32 {
    /// The names and numbers of the values.
    static var schema: EnumSchema { get }
}

extension ProtoEnum {
    /// The enum's schema.
    public static var shape: TypeShape { .enumeration(schema) }

    /// The full name of the enum, such as `userservice.v1.UserRole`.
    public static var name: String { schema.name }

    /// Compares the numbers.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the number.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// The value of a number that was stored; the enum's default for one that a closed enum does not have.
    @inlinable
    init(stored number: Int32) {
        if let value = Self(rawValue: number) { self = value } else { self = Self.fallback }
    }

    @usableFromInline
    static var fallback: Self { Self(rawValue: schema.first) ?? allCases[allCases.startIndex] }
}
