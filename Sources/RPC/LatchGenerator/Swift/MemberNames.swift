// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The unique Swift names of a message's fields and oneofs.
///
/// Names that differ only in underscores and case are equal in Swift. A field `has_count` also collides with the
/// `hasCount` of a field `count` with a default. Then the field with the higher number receives the number as a suffix.
/// So a field that is added later does not rename another field.
struct MemberNames: Sendable {
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
            // Field numbers are positive, so negative numbers are free for oneofs.
            oneofs.append(members.take(SwiftNames.property(oneof.name), or: -index))
        }
    }

    /// Returns the indices of the fields in the order of their numbers.
    private static func order(of fields: [FieldDescriptor]) -> [Int] {
        let isSorted = zip(fields, fields.dropFirst()).allSatisfy { $0.number < $1.number }
        return isSorted ? Array(fields.indices) : fields.indices.sorted { fields[$0].number < fields[$1].number }
    }
}

/// The fields of a message by identity, so that each is found in constant time.
private struct FieldIndex: Sendable {
    let names: MemberNames
    let slots: [ObjectIdentifier: Int]

    init(_ message: MessageDescriptor) {
        names = MemberNames(message)
        slots = Dictionary(
            message.fields.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { first, _ in first })
    }
}

extension FieldDescriptor {
    private var index: FieldIndex? { parent.map { parent in parent.memo.value { FieldIndex(parent) } } }

    /// The name of the field's property, or of its case in a oneof.
    var property: String {
        guard !isExtension, let index, let slot = index.slots[ObjectIdentifier(self)] else {
            return SwiftNames.property(name)
        }
        return index.names.properties[slot]
    }

    /// The index of the field in the schema of its message; nil for an extension.
    var slotInParent: Int? { index?.slots[ObjectIdentifier(self)] }
}

extension FieldDescriptor {
    /// The expression with which generated code reads the field.
    ///
    /// Members of a oneof have no property. A deprecated field has a second property, which compiles without a warning.
    var reading: String {
        if isInRealOneof { return "storage[\(scalarType?.label ?? "string"): \(slot)]" }
        return isDeprecated ? Self.undeprecatedName(property) : property
    }

    /// Returns the second name of a deprecated declaration.
    static func undeprecatedName(_ name: String) -> String { "\(SwiftNames.bare(name))_deprecated" }
}

/// The number of earlier methods in the service with the same name except for underscores and case.
private struct MethodIndex: Sendable {
    private(set) var earlier: [ObjectIdentifier: Int] = [:]

    init(_ service: ServiceDescriptor) {
        var counts: [[UInt8]: Int] = [:]
        for method in service.methods {
            let letters = SwiftNames.letters(of: method.name)
            if let count = counts[letters] { earlier[ObjectIdentifier(method)] = count }
            counts[letters, default: 0] += 1
        }
    }
}

extension MethodDescriptor {
    /// The number of earlier methods in the service whose names differ from this one only in underscores and case.
    var earlierAlike: Int {
        let service = service
        return service.memo.value { MethodIndex(service) }.earlier[ObjectIdentifier(self)] ?? 0
    }

    /// The name of the Swift function; it has a numeric suffix if an earlier method of the service has the name.
    var swiftName: String {
        let (name, earlier) = (SwiftNames.method(self.name), earlierAlike)
        return earlier == 0 ? name : "\(SwiftNames.bare(name))_\(earlier + 1)"
    }
}
