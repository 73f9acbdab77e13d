// SPDX-License-Identifier: Apache-2.0

// Extensions that a message has declared before anybody wrote them (`ExtensionRangeOptions.declaration`).

extension Linker {
    func checkDeclarations(of message: MessageDescriptor) {
        var names: Set<String> = []
        for range in message.extensionRanges {
            let declarations = range.options.message.messages(2).map(ExtensionDeclaration.init)
            guard !declarations.isEmpty else { continue }
            if range.options.message.integer(3) == ExtensionDeclaration.unverified {
                return fail(
                    "extensions are declared here, and must not be verified: that contradicts itself",
                    at: range.numbers.place)
            }
            check(declarations, of: range.numbers, &names)
        }
    }

    private func check(_ declarations: [ExtensionDeclaration], of range: NumberRange, _ names: inout Set<String>) {
        var numbers: Set<Int64> = []
        for one in declarations {
            if one.number < Int64(range.first) || one.number > Int64(range.last) {
                fail("the number \(one.number) of a declared extension is outside of the range", at: range.place)
            }
            if !numbers.insert(one.number).inserted {
                fail("the extension with the number \(one.number) is declared twice", at: range.place)
            }
            guard let name = one.name, let type = one.type else {
                if one.name != nil || one.type != nil || !one.isReserved {
                    fail("the declaration of \(one.number) needs both a full_name and a type", at: range.place)
                }
                continue
            }
            guard names.insert(name).inserted else {
                return fail("the extension '\(name)' is declared twice", at: range.place)
            }
            for part in [name] + (FieldType(scalarName: type) == nil ? [type] : []) where !Names.isAbsolute(part) {
                fail("'\(part)' is no full name, which begins with a dot", at: range.place)
            }
        }
    }

    /// Whether an extension is what was declared under its number; those of options need no declaration.
    func checkDeclaration(of field: FieldDescriptor) {
        guard !pool.trustsFiles, let message = field.extendee, message.file.name != "google/protobuf/descriptor.proto",
            let range = message.extensionRanges.first(where: { $0.numbers.holds(field.number) })
        else { return }
        let declarations = range.options.message.messages(2).map(ExtensionDeclaration.init)
        guard let declared = declarations.first(where: { $0.number == Int64(field.number) }) else {
            if !declarations.isEmpty || range.options.message.integer(3) == ExtensionDeclaration.declared {
                fail(
                    "'\(message.fullName)' declares its extensions, and none with the number \(field.number)",
                    at: field.places.extendee)
            }
            return
        }
        if declared.isReserved {
            return fail("\(field.number) is reserved by '\(message.fullName)'", at: field.places.extendee)
        }
        if let difference = declared.difference(from: field) {
            fail("'\(message.fullName)' declares \(field.number) \(difference)", at: field.places.extendee)
        }
    }
}

/// An extension as the message that it extends expects it (`ExtensionRangeOptions.Declaration`).
private struct ExtensionDeclaration {
    /// `ExtensionRangeOptions.VerificationState`.
    static let (declared, unverified): (Int64, Int64) = (0, 1)

    let number: Int64
    let name: String?
    let type: String?
    let isReserved: Bool
    let isRepeated: Bool

    init(_ message: OptionMessage) {
        number = message.integer(1) ?? 0
        name = message.string(2)
        type = message.string(3)
        isReserved = message.bool(5) == true
        isRepeated = message.bool(6) == true
    }

    /// In what a field is another than this one; nil where it is this one.
    func difference(from field: FieldDescriptor) -> String? {
        if let type, !type.isEmpty {
            let expected = FieldType(scalarName: type) != nil || type.hasPrefix(".") ? type : "." + type
            if expected != (field.typeName ?? field.type?.scalarName) { return "as a field of the type '\(expected)'" }
        }
        if let name, !name.isEmpty, name != "." + field.fullName { return "under the name '\(name)'" }
        return isRepeated == (field.label == .repeated) ? nil : "as \(isRepeated ? "repeated" : "optional")"
    }
}

extension FieldType {
    /// A type by the word for it, where that is neither a message nor a group.
    fileprivate init?(scalarName: String) {
        if scalarName == "enum" { self = .enum } else { self.init(keyword: scalarName) }
        if self == .group { return nil }
    }

    /// The word for it.
    fileprivate var scalarName: String { String(describing: self) }
}

extension Names {
    /// Whether a name begins with a dot, and is one.
    static func isAbsolute(_ name: String) -> Bool {
        guard name.hasPrefix(".") else { return false }
        return name.dropFirst().split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0.isLetter || $0.isDigit }
        }
    }
}
