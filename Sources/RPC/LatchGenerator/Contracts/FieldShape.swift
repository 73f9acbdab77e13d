// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The Swift representation of a field: its property, its storage access and its presence.
struct FieldShape {
    /// The presence of a field.
    enum Presence: Sendable, Hashable {
        /// A plain value without presence; the default value counts as absent.
        case implicit
        case optional
        /// A plain value with `hasX`, because the field has a default or is required.
        case tracked
        /// A case of a oneof, with the oneof's index in the message.
        case oneof(Int)
        /// An array.
        case repeated
        /// A dictionary.
        case map
    }

    let field: FieldDescriptor
    /// The index of the field in the schema.
    let slot: Int
    /// The presence of the field.
    let presence: Presence
    /// The name of the Swift property.
    let property: String
    /// Whether descriptions redact the value.
    let isSecret: Bool
    /// The shape of a single value; for a map, of its values.
    let value: ValueShape
    /// The shape of a map's keys.
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

    static func presence(of field: FieldDescriptor) -> Presence {
        if field.isMap { return .map }
        if field.label == .repeated { return .repeated }
        if let index = field.oneofIndex, !field.isProto3Optional { return .oneof(index) }
        if field.isRequired || field.defaultValue != nil { return .tracked }
        // The value of an absent extension is nil.
        if field.isExtension { return .optional }
        if field.isTime { return field.isMarkedOptional ? .optional : .tracked }
        return field.hasPresence ? .optional : .implicit
    }

    /// The type of the property.
    var type: String {
        switch presence {
        case .implicit, .tracked, .oneof: value.type
        case .optional: "\(value.type)?"
        case .repeated: "[\(value.type)]"
        case .map: "[\(key?.type ?? ""): \(value.type)]"
        }
    }

    /// The expression that accesses the property in the storage.
    var access: String {
        switch presence {
        case .implicit, .tracked, .oneof: "storage[\(value.label): \(slot)]"
        case .optional: optionalAccess
        case .repeated: "storage[\(value.pluralLabel): \(slot)]"
        case .map: "storage[map: \(slot)]"
        }
    }

    /// The expression that accesses the value as an optional.
    var optionalAccess: String { "storage[\(value.optionalLabel): \(slot)]" }

    /// The type and the default of the initializer's parameter.
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

    /// The statement that assigns the initializer's parameter.
    var assignment: String {
        let isWhole = presence != .tracked && !(presence == .implicit && value.zero == nil)
        return "\(isWhole ? access : optionalAccess) = \(property)"
    }

    /// The capitalized name of the property, for `hasX` and `clearX`.
    var capitalized: String { SwiftNames.capitalized(property) }
}

extension FieldDescriptor {
    /// Whether the field holds a timestamp or a duration.
    var isTime: Bool {
        guard let name = message?.fullName else { return false }
        return name == "google.protobuf.Timestamp" || name == "google.protobuf.Duration"
    }

    /// Whether the file marks the field as `optional`: with the keyword in proto3, or the label in proto2.
    ///
    /// Editions have no mark.
    fileprivate var isMarkedOptional: Bool {
        switch file.syntax {
        case .proto3: isProto3Optional
        case .proto2: true
        case .editions: false
        }
    }
}
