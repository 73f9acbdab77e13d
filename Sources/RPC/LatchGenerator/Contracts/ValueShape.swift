// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The Swift representation of a single value of a field.
struct ValueShape {
    /// The type in the form that code in the scope uses.
    var type: String
    /// The label of the storage's subscript for a value: `string` in `storage[string: 0]`.
    var label: String
    /// The default value of a field without presence; nil if it cannot be written as an expression.
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
        if let scalar = field.scalarType {
            let type = types.standard(scalar.type, in: scope)
            self.init(type: type, label: scalar.label, zero: scalar.zero ?? "\(type)()")
            return
        }
        if field.type == .enum {
            let name = field.enum?.fullName ?? ""
            let zero = types.entries[name]?.zero.map { ".\($0)" }
            self.init(type: types.name(name, in: scope), label: "enum", zero: zero, typeName: name)
            return
        }
        let name = field.message?.fullName ?? ""
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

/// The Swift representation of a scalar type.
struct ScalarType {
    /// The Swift type.
    let type: String
    /// The label of the storage's subscript.
    let label: String
    /// The literal of the default value; nil if it is an empty `type`.
    let zero: String?

    var isInteger: Bool { label.hasSuffix("32") || label.hasSuffix("64") }
    var isNumber: Bool { zero == "0" }
}

extension FieldDescriptor {
    /// The type of a scalar; nil for messages and enums.
    var scalarType: ScalarType? {
        switch type {
        case .double: ScalarType(type: "Double", label: "double", zero: "0")
        case .float: ScalarType(type: "Float", label: "float", zero: "0")
        case .int32, .sint32, .sfixed32: ScalarType(type: "Int32", label: "int32", zero: "0")
        case .int64, .sint64, .sfixed64: ScalarType(type: "Int64", label: "int64", zero: "0")
        case .uint32, .fixed32: ScalarType(type: "UInt32", label: "uint32", zero: "0")
        case .uint64, .fixed64: ScalarType(type: "UInt64", label: "uint64", zero: "0")
        case .bool: ScalarType(type: "Bool", label: "bool", zero: "false")
        case .string: ScalarType(type: "String", label: "string", zero: "\"\"")
        case .bytes: ScalarType(type: "Data", label: "bytes", zero: nil)
        case .enum, .message, .group, nil: nil
        }
    }
}
