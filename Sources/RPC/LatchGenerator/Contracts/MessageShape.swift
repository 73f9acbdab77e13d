// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The Swift representation of a message: its fields and its oneofs.
struct MessageShape {
    struct Oneof {
        let oneof: OneofDescriptor
        /// The index of the oneof in the message.
        let index: Int
        /// The name of the Swift property.
        let property: String
        /// The name of the Swift enum.
        let type: String
        /// The fields of the oneof.
        let fields: [FieldShape]
    }

    let message: MessageDescriptor
    /// The fields in file order, which is the order of their slots.
    let fields: [FieldShape]
    /// The oneofs, without synthetic ones.
    let oneofs: [Oneof]
    /// The scope inside the message, whose nested types shadow others.
    let scope: TypeScope

    init(
        _ message: MessageDescriptor, _ types: TypeTable, in outer: TypeScope, isSecret: (FieldDescriptor) -> Bool
    ) {
        let nested =
            message.messages.filter { !$0.isMapEntry }.map { types.ownName($0.fullName) }
            + message.enums.map { types.ownName($0.fullName) }
        let real = message.oneofs.filter { !$0.isSynthetic }
        let names = Self.oneofTypes(real, message, nested: Set(nested), types)
        let scope = outer.entering(nested + names)
        let members = MemberNames(message)
        let fields = message.fields.enumerated().map {
            FieldShape(
                $0.element, named: members.properties[$0.offset], slot: $0.offset, types, in: scope,
                isSecret: isSecret)
        }
        self.message = message
        self.scope = scope
        self.fields = fields
        var alternatives = [[FieldShape]](repeating: [], count: real.count)
        for field in fields { if case .oneof(let index) = field.presence { alternatives[index].append(field) } }
        oneofs = real.indices.map {
            Oneof(
                oneof: real[$0], index: $0, property: members.oneofs[$0], type: names[$0], fields: alternatives[$0])
        }
    }

    /// Returns the names of the oneofs' enums, with the suffix `Oneof` if another type has the name.
    private static func oneofTypes(
        _ oneofs: [OneofDescriptor], _ message: MessageDescriptor, nested: Set<String>, _ types: TypeTable
    ) -> [String] {
        guard !oneofs.isEmpty else { return [] }
        var taken = nested.union(standardNames)
        var outer: MessageDescriptor? = message
        while let one = outer {
            taken.insert(types.ownName(one.fullName))
            outer = one.parent
        }
        for field in message.fields {
            let own = field.isMap ? field.message?.fields.last : field
            if let name = own?.message?.fullName ?? own?.enum?.fullName, let first = types.entries[name]?.path.first {
                taken.insert(first)
            }
        }
        var names = NameSet(taken)
        return oneofs.enumerated().map { index, oneof in
            let name = SwiftNames.type(SwiftNames.pascal(oneof.name))
            return names.take(taken.contains(name) ? "\(name)Oneof" : name, or: index + 1)
        }
    }

    /// The names of standard types that the code of a message uses.
    private static let standardNames: Set<String> = [
        "String", "Bool", "Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "Data", "Date", "Duration",
        "Message",
        "MessageSchema", "MessageStorage", "Hashable", "Sendable", "Extension", "Extensions", "Swift", "LatchRPC",
    ]
}
