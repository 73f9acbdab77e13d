// SPDX-License-Identifier: Apache-2.0

/// A value of an option as a field of one type takes it.
enum ScalarOption {
    /// Why a field does not take a value.
    struct Unsuitable: Error {
        let reason: String
    }

    static func value(
        of field: FieldDescriptor, _ value: OptionStatement.Value
    ) throws(Unsuitable) -> OptionMessage.Value {
        switch field.type {
        case .int32, .sint32, .sfixed32:
            .number(UInt64(bitPattern: try integer(value, Int64(Int32.min)...Int64(Int32.max))))
        case .int64, .sint64, .sfixed64: .number(UInt64(bitPattern: try integer(value, Int64.min...Int64.max)))
        case .uint32, .fixed32: .number(try unsigned(value, upTo: UInt64(UInt32.max)))
        case .uint64, .fixed64: .number(try unsigned(value, upTo: .max))
        case .float: .number(UInt64(Float(try double(value)).bitPattern))
        case .double: .number(try double(value).bitPattern)
        case .bool: .number(try bool(value))
        case .enum: .number(try number(of: value, in: field.enum))
        case .string, .bytes: .bytes(try bytes(value))
        case .message, .group, nil: throw Unsuitable(reason: "it is a message")
        }
    }

    private static func integer(
        _ value: OptionStatement.Value, _ range: ClosedRange<Int64>
    ) throws(Unsuitable) -> Int64 {
        let number: Int64?
        switch value {
        case .positive(let value): number = Int64(exactly: value)
        case .negative(let value): number = value
        default: throw Unsuitable(reason: "it is a whole number")
        }
        guard let number, range.contains(number) else {
            throw Unsuitable(reason: "it is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private static func unsigned(_ value: OptionStatement.Value, upTo limit: UInt64) throws(Unsuitable) -> UInt64 {
        guard case .positive(let number) = value else {
            throw Unsuitable(reason: "it is a whole number that is not negative")
        }
        guard number <= limit else { throw Unsuitable(reason: "it is a number up to \(limit)") }
        return number
    }

    private static func double(_ value: OptionStatement.Value) throws(Unsuitable) -> Double {
        switch value {
        case .double(let value): return value
        case .positive(let value): return Double(value)
        case .negative(let value): return Double(value)
        case .identifier("inf"): return .infinity
        case .identifier("nan"): return .nan
        default: throw Unsuitable(reason: "it is a number")
        }
    }

    private static func bool(_ value: OptionStatement.Value) throws(Unsuitable) -> UInt64 {
        switch value {
        case .identifier("true"): return 1
        case .identifier("false"): return 0
        default: throw Unsuitable(reason: "it is 'true' or 'false'")
        }
    }

    private static func number(
        of value: OptionStatement.Value, in type: EnumDescriptor?
    ) throws(Unsuitable) -> UInt64 {
        guard case .identifier(let name) = value else {
            throw Unsuitable(reason: "it is the name of a value of '\(type?.fullName ?? "")'")
        }
        guard let found = type?.values.first(where: { $0.name == name }) else {
            throw Unsuitable(reason: "'\(type?.fullName ?? "")' has no value '\(name)'")
        }
        return UInt64(bitPattern: Int64(found.number))
    }

    private static func bytes(_ value: OptionStatement.Value) throws(Unsuitable) -> [UInt8] {
        guard case .string(let bytes) = value else { throw Unsuitable(reason: "it is a string") }
        return bytes
    }
}
