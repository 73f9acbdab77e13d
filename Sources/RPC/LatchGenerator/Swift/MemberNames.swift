// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The unique Swift names of a message's fields and oneofs.
///
/// Names that differ only in underscores and case are the same in Swift, and a field `has_count` collides with the
/// `hasCount` of a field `count` with a default. The field with the higher number then receives it as a suffix, so that a
/// field that is added later renames no other.
struct MemberNames {
    /// The name of each field's property, or of its case in a oneof, in the order of the fields.
    private(set) var properties: [String]
    /// The name of each oneof's property, without synthetic oneofs.
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
            // Field numbers are positive.
            oneofs.append(members.take(SwiftNames.property(oneof.name), or: -index))
        }
    }

    /// Returns the indices of the fields in the order of their numbers.
    private static func order(of fields: [FieldDescriptor]) -> [Int] {
        let isSorted = zip(fields, fields.dropFirst()).allSatisfy { $0.number < $1.number }
        return isSorted ? Array(fields.indices) : fields.indices.sorted { fields[$0].number < fields[$1].number }
    }
}

extension FieldDescriptor {
    /// The name of the field's property, or of its case in a oneof.
    var property: String {
        guard let parent, !isExtension, let index = parent.fields.firstIndex(where: { $0 === self }) else {
            return SwiftNames.property(name)
        }
        return MemberNames(parent).properties[index]
    }
}

extension FieldDescriptor {
    /// The expression by which generated code reads the field: members of a oneof have no property, and a deprecated field
    /// has a second one, which compiles without a warning.
    var reading: String {
        if isInRealOneof { return "storage[\(scalarType?.label ?? "string"): \(slot)]" }
        return isDeprecated ? Self.undeprecatedName(property) : property
    }

    /// Returns the second name of a deprecated declaration.
    static func undeprecatedName(_ name: String) -> String { "\(SwiftNames.bare(name))_deprecated" }
}

extension MethodDescriptor {
    /// The name of the Swift function; a name that an earlier method of the service has receives a numeric suffix.
    var swiftName: String {
        let name = SwiftNames.method(self.name)
        let earlier = service.methods.prefix { $0 !== self }.count { SwiftNames.areAlike($0.name, self.name) }
        return earlier == 0 ? name : "\(SwiftNames.bare(name))_\(earlier + 1)"
    }
}
