// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// The Swift names of a message's fields and oneofs, each its own.
///
/// Names that differ in underscores and capitals alone are one name in Swift, and `has_count` is what a field `count`
/// with a default declares beside it. Then the field with the higher number has that behind its name, so that a field
/// that is added later renames no other.
struct MemberNames {
    /// The name of each field's property, or of its case in a oneof, in the order of the fields.
    private(set) var properties: [String]
    /// The name of each oneof's property, without those that were made for one optional field.
    private(set) var oneofs: [String] = []

    init(_ message: MessageDescriptor) {
        let fields = message.fields
        properties = [String](repeating: "", count: fields.count)
        var (members, cases) = (NameSet(), [Int: NameSet]())
        for index in Self.order(of: fields) {
            let (field, number) = (fields[index], Int(fields[index].number))
            switch FieldShape.presence(of: field) {
            case .oneof(let one):
                properties[index] = cases[one, default: NameSet()].take(SwiftNames.oneofCase(field.name), or: number)
            case .tracked: properties[index] = members.takeTracked(SwiftNames.property(field.name), or: number)
            default: properties[index] = members.take(SwiftNames.property(field.name), or: number)
            }
        }
        for (index, oneof) in message.oneofs.filter({ !$0.isSynthetic }).enumerated() {
            // No field has the number 0 or less.
            oneofs.append(members.take(SwiftNames.property(oneof.name), or: -index))
        }
    }

    /// The fields by their numbers, which most files write them in.
    private static func order(of fields: [FieldDescriptor]) -> [Int] {
        let isSorted = zip(fields, fields.dropFirst()).allSatisfy { $0.number < $1.number }
        return isSorted ? Array(fields.indices) : fields.indices.sorted { fields[$0].number < fields[$1].number }
    }
}

extension FieldDescriptor {
    /// Its property, or its case in a oneof.
    var property: String {
        guard let parent, !isExtension, let index = parent.fields.firstIndex(where: { $0 === self }) else {
            return SwiftNames.property(name)
        }
        return MemberNames(parent).properties[index]
    }
}

extension FieldDescriptor {
    /// How generated code reads it: members of a oneof have no property, and a deprecated one has a second, since the
    /// compiler would warn of the first.
    var reading: String {
        if isInRealOneof { return "storage[\(storageWord): \(slot)]" }
        return isDeprecated ? Self.quiet(property) : property
    }

    /// The second name of something that is deprecated.
    static func quiet(_ name: String) -> String { "\(SwiftNames.bare(name))_deprecated" }
}

extension MethodDescriptor {
    /// Its name in Swift; one that an earlier method of the service has gets a number behind it.
    var swiftName: String {
        let name = SwiftNames.method(self.name)
        let earlier = service.methods.prefix { $0 !== self }.count { SwiftNames.areAlike($0.name, self.name) }
        return earlier == 0 ? name : "\(SwiftNames.bare(name))_\(earlier + 1)"
    }
}
