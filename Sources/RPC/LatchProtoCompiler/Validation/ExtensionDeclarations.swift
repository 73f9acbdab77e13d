// SPDX-License-Identifier: Apache-2.0

// The checks of `ExtensionRangeOptions.declaration`, with which a message declares its extensions in advance.

extension DescriptorValidator {
    func checkDeclarations(of message: MessageDescriptor) {
        var names: Set<String> = []
        for range in message.extensionRanges {
            let declarations = range.declarations
            guard !declarations.isEmpty else { continue }
            if range.options.message.integer(ExtensionRangeOptions.verification) == ExtensionDeclaration.unverified {
                return fail("extensions are declared, but verification is UNVERIFIED", at: range.numbers.position)
            }
            check(declarations, of: range.numbers, &names)
        }
    }

    private func check(_ declarations: [ExtensionDeclaration], of range: NumberRange, _ names: inout Set<String>) {
        var numbers: Set<Int64> = []
        for one in declarations {
            if one.number < Int64(range.first) || one.number > Int64(range.last) {
                fail("the number \(one.number) of a declared extension is outside the range", at: range.position)
            }
            if !numbers.insert(one.number).inserted {
                fail("the extension with the number \(one.number) is declared twice", at: range.position)
            }
            guard let name = one.name, let type = one.type else {
                if one.name != nil || one.type != nil || !one.isReserved {
                    fail("the declaration of \(one.number) needs both a full_name and a type", at: range.position)
                }
                continue
            }
            guard names.insert(name).inserted else {
                return fail("the extension '\(name)' is declared twice", at: range.position)
            }
            for part in [name] + (FieldType(scalarName: type) == nil ? [type] : []) where !Names.isAbsolute(part) {
                fail("'\(part)' is not a full name with a leading dot", at: range.position)
            }
        }
    }

    /// Checks an extension against the declaration for its number; extensions of options messages need none.
    func checkDeclaration(of field: FieldDescriptor) {
        guard !pool.trustsFiles, let message = field.extendee, message.file.name != "google/protobuf/descriptor.proto",
            let range = message.extensionRanges.first(where: { $0.numbers.contains(field.number) })
        else { return }
        let declarations = range.declarations
        guard let declared = declarations.first(where: { $0.number == Int64(field.number) }) else {
            if !declarations.isEmpty
                || range.options.message.integer(ExtensionRangeOptions.verification) == ExtensionDeclaration.declared
            {
                fail(
                    "'\(message.fullName)' declares its extensions, but none with the number \(field.number)",
                    at: field.positions.extendee)
            }
            return
        }
        if declared.isReserved {
            return fail("\(field.number) is reserved by '\(message.fullName)'", at: field.positions.extendee)
        }
        if let difference = declared.difference(from: field) {
            fail("'\(message.fullName)' declares \(field.number) \(difference)", at: field.positions.extendee)
        }
    }
}

extension ExtensionRange {
    fileprivate var declarations: [ExtensionDeclaration] {
        options.message.messages(ExtensionRangeOptions.declaration).map(ExtensionDeclaration.init)
    }
}

/// The extended message's declaration of an extension (`ExtensionRangeOptions.Declaration`).
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

    /// Returns the difference between a field and its declaration; nil if they agree.
    func difference(from field: FieldDescriptor) -> String? {
        if let type, !type.isEmpty {
            let expected = FieldType(scalarName: type) != nil || type.hasPrefix(".") ? type : "." + type
            if expected != (field.typeName ?? field.type?.word) { return "as a field of the type '\(expected)'" }
        }
        if let name, !name.isEmpty, name != "." + field.fullName { return "under the name '\(name)'" }
        return isRepeated == (field.label == .repeated) ? nil : "as \(isRepeated ? "repeated" : "optional")"
    }
}

extension FieldType {
    /// Creates a type from its name in a declaration; nil for messages and groups.
    fileprivate init?(scalarName: String) {
        if scalarName == "enum" { self = .enum } else { self.init(keyword: scalarName) }
        if self == .group { return nil }
    }
}

extension Names {
    /// Whether a name is valid and begins with a dot.
    static func isAbsolute(_ name: String) -> Bool {
        guard name.hasPrefix(".") else { return false }
        return name.dropFirst().split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
            !part.isEmpty && part.utf8.allSatisfy { $0.isLetter || $0.isDigit }
        }
    }
}
