// SPDX-License-Identifier: Apache-2.0

package import LatchProto

/// What a message is in Swift: its fields and its oneofs.
package struct MessageShape {
    /// A oneof.
    package struct Oneof {
        /// The oneof.
        package let oneof: OneofDescriptor
        /// Its number among those of the message.
        package let index: Int
        /// The name of its property.
        package let property: String
        /// The name of the enum of its cases.
        package let type: String
        /// Its fields.
        package let fields: [FieldShape]
    }

    /// The message.
    package let message: MessageDescriptor
    /// Its fields, in the order of the file, which is that of their slots.
    package let fields: [FieldShape]
    /// Its oneofs, without those that were made for one optional field.
    package let oneofs: [Oneof]
    /// What its own types hide inside of it.
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

    /// The names of the enums of oneofs: a name that another type has at this place gets `Oneof` behind it.
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

    /// Names that the text of a message uses.
    private static let standardNames: Set<String> = [
        "String", "Bool", "Int32", "Int64", "UInt32", "UInt64", "Float", "Double", "Data", "Date", "Duration",
        "Message",
        "MessageSchema", "MessageStorage", "Hashable", "Sendable", "Extension", "Extensions", "Swift", "LatchRPC",
    ]
}
