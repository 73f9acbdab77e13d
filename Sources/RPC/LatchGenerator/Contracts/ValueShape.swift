// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The Swift representation of a single value of a field.
struct ValueShape {
    /// The type as the scope refers to it.
    var type: String
    /// The label of the storage's subscript for a value: `string` in `storage[string: 0]`.
    var label: String
    /// The default value of a field without presence; nil where it cannot be written as an expression.
    var zero: String?
    /// The full name of the message or enum; nil for a scalar.
    var typeName: String?

    /// The label of the subscript for an optional value.
    var optionalLabel: String {
        // `uint32` begins with an initialism, as in UInt32.
        label.hasPrefix("uint")
            ? "optionalUInt\(label.dropFirst(4))" : "optional\(label.prefix(1).uppercased())\(label.dropFirst())"
    }

    /// The label of the subscript for an array.
    var pluralLabel: String { label == "bytes" ? "datas" : "\(label)s" }
}

extension ValueShape {
    init(_ field: FieldDescriptor, _ types: TypeTable, in scope: TypeScope) {
        func standard(_ name: String, _ label: String, _ zero: String?) -> ValueShape {
            ValueShape(type: types.standard(name, in: scope), label: label, zero: zero)
        }
        switch field.type {
        case .double: self = standard("Double", "double", "0")
        case .float: self = standard("Float", "float", "0")
        case .int32, .sint32, .sfixed32: self = standard("Int32", "int32", "0")
        case .int64, .sint64, .sfixed64: self = standard("Int64", "int64", "0")
        case .uint32, .fixed32: self = standard("UInt32", "uint32", "0")
        case .uint64, .fixed64: self = standard("UInt64", "uint64", "0")
        case .bool: self = standard("Bool", "bool", "false")
        case .string: self = standard("String", "string", "\"\"")
        case .bytes: self = standard("Data", "bytes", "\(types.standard("Data", in: scope))()")
        case .enum: self.init(enum: field.enum, types, in: scope)
        case .message, .group, nil: self.init(message: field.message, types, in: scope)
        }
    }

    private init(enum one: EnumDescriptor?, _ types: TypeTable, in scope: TypeScope) {
        let name = one?.fullName ?? ""
        self.init(
            type: types.name(name, in: scope), label: "enum", zero: types.entries[name]?.zero.map { ".\($0)" },
            typeName: name)
    }

    private init(message: MessageDescriptor?, _ types: TypeTable, in scope: TypeScope) {
        let name = message?.fullName ?? ""
        switch name {
        case "google.protobuf.Timestamp":
            self.init(type: types.standard("Date", in: scope), label: "date", zero: nil, typeName: name)
        case "google.protobuf.Duration":
            self.init(type: types.standard("Duration", in: scope), label: "duration", zero: nil, typeName: name)
        default:
            self.init(type: types.name(name, in: scope), label: "message", zero: nil, typeName: name)
        }
    }
}
