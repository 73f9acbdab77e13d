// SPDX-License-Identifier: Apache-2.0

package import LatchProto

/// What a field is in Swift: its property, how it is read and written, and what is said of it in the schema.
package struct FieldShape {
    /// How a field is there or is not.
    package enum Presence: Sendable, Hashable {
        /// The value itself; zero is not there.
        case implicit
        /// An optional value.
        case optional
        /// The value itself, and `hasX` beside it: there is a default, or the field is required.
        case tracked
        /// One case of a oneof, by its number in the message.
        case oneof(Int)
        /// An array.
        case repeated
        /// A dictionary.
        case map
    }

    /// The field.
    package let field: FieldDescriptor
    /// Its place in the schema's text.
    package let slot: Int
    /// How it is there or is not.
    package let presence: Presence
    /// The name of its property, as it is declared.
    package let property: String
    /// Whether nothing may show its value.
    package let isSecret: Bool
    /// One value; of a map, the value.
    let value: ValueShape
    /// The type of a map's keys.
    let key: ValueShape?

    init(
        _ field: FieldDescriptor, named property: String, slot: Int, _ types: TypeTable, in scope: TypeScope,
        isSecret: (FieldDescriptor) -> Bool
    ) {
        self.field = field
        self.slot = slot
        self.isSecret = isSecret(field)
        presence = Self.presence(of: field)
        self.property = property
        if field.isMap, let entry = field.message, let first = entry.fields.first, let last = entry.fields.last {
            key = ValueShape(first, types, in: scope)
            value = ValueShape(last, types, in: scope)
        } else {
            key = nil
            value = ValueShape(field, types, in: scope)
        }
    }

    /// How a field is there or is not.
    package static func presence(of field: FieldDescriptor) -> Presence {
        if field.isMap { return .map }
        if field.label == .repeated { return .repeated }
        if let index = field.oneofIndex, !field.isProto3Optional { return .oneof(index) }
        if field.isRequired || field.defaultValue != nil { return .tracked }
        // An extension is nothing but a value of its own: nil says that it is absent.
        if field.isExtension { return .optional }
        if isTime(field) { return field.saysOptional ? .optional : .tracked }
        return field.hasPresence ? .optional : .implicit
    }

    private static func isTime(_ field: FieldDescriptor) -> Bool {
        guard let name = field.message?.fullName else { return false }
        return name == "google.protobuf.Timestamp" || name == "google.protobuf.Duration"
    }

    /// The type of the property.
    package var type: String {
        switch presence {
        case .implicit, .tracked, .oneof: value.type
        case .optional: "\(value.type)?"
        case .repeated: "[\(value.type)]"
        case .map: "[\(key?.type ?? ""): \(value.type)]"
        }
    }

    /// How the storage gives the property's value.
    var access: String {
        switch presence {
        case .implicit, .tracked, .oneof: "storage[\(value.label): \(slot)]"
        case .optional: optionalAccess
        case .repeated: "storage[\(value.pluralLabel): \(slot)]"
        case .map: "storage[map: \(slot)]"
        }
    }

    /// How the storage gives the value of a field that may be absent.
    var optionalAccess: String { "storage[\(value.optionalLabel): \(slot)]" }

    /// The type of the parameter of an initialiser, and its default.
    var parameter: (type: String, zero: String) {
        switch presence {
        case .implicit:
            if let zero = value.zero { (type, zero) } else { ("\(type)?", "nil") }
        case .optional: (type, "nil")
        case .tracked, .oneof: ("\(type)?", "nil")
        case .repeated: (type, "[]")
        case .map: (type, "[:]")
        }
    }

    /// How an initialiser writes its parameter.
    var assignment: String {
        let isWhole = presence != .tracked && !(presence == .implicit && value.zero == nil)
        return "\(isWhole ? access : optionalAccess) = \(property)"
    }

    /// The name of the property with a capital, for `hasX` and `clearX`.
    package var capitalized: String { SwiftNames.capitalized(property) }
}

extension FieldDescriptor {
    /// Whether its file says that it may be absent: by a word in proto3, by the label in proto2, where all fields that
    /// have no presence of their own are marked so, and by nothing in editions, whose fields all may.
    fileprivate var saysOptional: Bool {
        switch file.syntax {
        case .proto3: isProto3Optional
        case .proto2: true
        case .editions: false
        }
    }
}
