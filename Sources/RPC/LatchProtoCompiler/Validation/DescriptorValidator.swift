// SPDX-License-Identifier: Apache-2.0

/// The checks that need resolved types, options and features.
struct DescriptorValidator: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool

    func validate() {
        checkFile()
        for message in file.allMessages { check(message) }
        for one in file.enums { check(one) }
        for field in file.extensions { check(field) }
    }

    private func checkFile() {
        if file.syntax == .editions {
            if file.features.fieldPresence == .legacyRequired {
                fail("fields cannot be required by default", at: file.syntaxPosition)
            }
            if file.options.message.bool(FileOptions.javaStringCheckUTF8) == true {
                fail(
                    "'java_string_check_utf8' is replaced in editions by the feature utf8_validation",
                    at: file.syntaxPosition)
            }
        }
        guard !file.isLite else { return checkLite() }
        for dependency in file.imports {
            if let other = pool.file(named: dependency.path), other.isLite {
                fail("'\(dependency.path)' is for the lite runtime, and this file is not", at: dependency.position)
                break
            }
        }
    }

    /// Rejects services with `*_generic_services` in a file for the lite runtime.
    private func checkLite() {
        let options = file.options.message
        let isGeneric =
            options.bool(FileOptions.ccGenericServices) == true || options.bool(FileOptions.javaGenericServices) == true
        for service in file.services where isGeneric {
            fail("the lite runtime has no services; remove the option generic_services", at: service.namePosition)
        }
    }

    private func check(_ message: MessageDescriptor) {
        for field in message.fields { check(field) }
        for field in message.extensions { check(field) }
        checkJSONNames(of: message)
        checkRanges(of: message)
        checkDeclarations(of: message)
        for one in message.enums { check(one) }
        for field in message.fields where field.jsonName == nil { field.jsonName = Names.json(field.name) }
    }

    private func checkRanges(of message: MessageDescriptor) {
        let isMessageSet = message.isMessageSet
        for range in message.extensionRanges where range.numbers.last > FieldNumbers.maximum && !isMessageSet {
            fail("an extension number must be at most \(FieldNumbers.maximum)", at: message.namePosition)
        }
        guard file.syntax == .proto3 else { return }
        if let first = message.extensionRanges.first {
            fail("proto3 has no extension ranges", at: first.numbers.position)
        }
        if isMessageSet { fail("proto3 has no message sets", at: message.namePosition) }
    }

    private func check(_ field: FieldDescriptor) {
        if file.syntax == .proto3 { checkProto3(field) }
        if file.syntax == .editions { checkFeatures(of: field) }
        checkOptions(of: field)
        if field.isMap { checkMap(field) }
        if field.hasRawDefault {
            fail(
                "the default of '\(field.name)' is not UTF-8", at: field.positions.defaultValue,
                hint: "Declare the field as bytes if it holds other data.")
        }
        if field.hasRawJSONName { fail("a JSON name must be UTF-8", at: field.positions.jsonName) }
        if field.isExtension {
            let name = Names.json(field.name)
            if let json = field.jsonName, json != name {
                fail("an extension cannot have a JSON name", at: field.positions.jsonName)
            }
            field.jsonName = name
            checkDeclaration(of: field)
        } else if field.jsonName?.utf8.contains(0) == true {
            fail("a JSON name cannot contain a zero byte", at: field.positions.jsonName)
        }
    }

    private func checkProto3(_ field: FieldDescriptor) {
        if field.isExtension, !Self.optionMessages.contains(field.extendee?.fullName ?? "") {
            fail("proto3 can only extend options", at: field.positions.extendee)
        }
        if field.label == .required {
            fail(
                "proto3 has no required fields", at: field.positions.type,
                hint: "Remove 'required'; the reader of the message checks whether the field is set.")
        }
        if field.defaultValue != nil { fail("proto3 has no defaults", at: field.positions.defaultValue) }
        if let one = field.enum, one.isClosed {
            fail("'\(one.fullName)' is closed, and proto3 only accepts open enums", at: field.positions.type)
        }
        if field.type == .group { fail("proto3 has no groups", at: field.positions.type) }
    }

    private static let optionMessages: Set<String> = Set(
        ["File", "Message", "Field", "Enum", "EnumValue", "Service", "Method", "Oneof", "ExtensionRange"].flatMap {
            ["google.protobuf.\($0)Options", "proto2.\($0)Options"]
        } + ["google.protobuf.StreamOptions"])

    private func checkFeatures(of field: FieldDescriptor) {
        let position = field.namePosition
        if field.options.message.has(FieldOptions.packed) {
            fail("'packed' is replaced in editions by the feature repeated_field_encoding", at: position)
        }
        if field.label != .repeated, !field.hasPresence {
            if field.defaultValue != nil {
                fail("a field without presence cannot have a default", at: position)
            }
            if field.enum?.isClosed == true {
                fail("a field without presence only accepts open enums", at: position)
            }
        }
        if field.isExtension, field.features.fieldPresence == .legacyRequired {
            fail("an extension cannot be required", at: position)
        }
        guard field.parent?.isMapEntry != true || field.isExtension,
            let own = field.options.message.message(FieldOptions.features)
        else { return }
        if let presence = own.integer(FeatureSet.Number.fieldPresence) {
            if field.oneofIndex != nil {
                fail("a field of a oneof always has presence", at: position)
            } else if field.label == .repeated {
                fail("a repeated field has no presence", at: position)
            } else if field.isExtension, presence != FeatureSet.FieldPresence.legacyRequired.rawValue {
                fail("an extension always has presence", at: position)
            } else if field.type == .message, presence == FeatureSet.FieldPresence.implicit.rawValue {
                fail("a message always has presence", at: position)
            }
        }
        if field.label != .repeated, own.has(FeatureSet.Number.repeatedFieldEncoding) {
            fail("repeated_field_encoding can only be set on repeated fields", at: position)
        }
        if own.has(FeatureSet.Number.utf8Validation), field.type != .string, !field.isMapWithText {
            fail("utf8_validation can only be set on strings", at: position)
        }
        if own.integer(FeatureSet.Number.repeatedFieldEncoding) == FeatureSet.RepeatedFieldEncoding.packed.rawValue,
            !field.isPackable
        {
            fail("only repeated numbers can be packed", at: position)
        }
        if own.has(FeatureSet.Number.messageEncoding), field.message == nil || field.isMap {
            fail("message_encoding can only be set on messages", at: position)
        }
    }

    private func checkOptions(of field: FieldDescriptor) {
        let (options, position) = (field.options.message, field.positions.type)
        if file.edition >= .edition2024, options.has(FieldOptions.ctype) {
            fail("'ctype' was removed in edition 2024", at: position, hint: "Write: features.(pb.cpp).string_type = …")
        }
        if file.isLite, field.extendee?.file.isLite == false {
            let problem = "a file for the lite runtime cannot extend a message for the full runtime"
            fail(problem, at: field.positions.extendee)
        }
        if options.bool(FieldOptions.lazy) == true || options.bool(FieldOptions.unverifiedLazy) == true {
            if field.type != .message || field.isDelimited { fail("only messages can be lazy", at: position) }
            if options.bool(FieldOptions.unverifiedLazy) == true, field.isExtension {
                fail("an extension cannot be unverified_lazy", at: position)
            }
        }
        if options.bool(FieldOptions.packed) == true, !field.isPackable {
            fail("only repeated numbers can be packed", at: position)
        }
        if options.integer(FieldOptions.jstype) ?? 0 != 0, !field.is64Bit {
            fail("jstype can only be set on 64-bit integers", at: position)
        }
        guard let message = field.isExtension ? field.extendee : field.parent, message.isMessageSet else { return }
        if !field.isExtension {
            fail("a message set can only have extensions", at: field.namePosition)
        } else if field.label != .optional || field.type != .message {
            fail("the extensions of a message set must be optional messages", at: position)
        }
    }

    private func checkMap(_ field: FieldDescriptor) {
        guard let entry = field.message else { return }
        let isOwn =
            field.label == .repeated && entry.name == Names.entry(field.name)
            && (field.isExtension ? nil : field.parent) === entry.parent && !field.isExtension
        if !isOwn {
            fail("'\(entry.fullName)' is a map entry, and cannot be the type of a field", at: field.positions.type)
        }
        guard entry.fields.count == 2 else { return }
        switch entry.fields[0].type {
        case .enum: fail("the key of a map cannot be an enum", at: field.positions.type)
        case .float, .double, .bytes, .message, .group:
            fail("the key of a map must be a string, a Boolean or an integer", at: field.positions.type)
        default: break
        }
        if let first = entry.fields[1].enum?.values.first, first.number != 0 {
            fail("the first value of an enum in a map must be 0", at: field.positions.type)
        }
    }
}

// MARK: Names in JSON, and enums

extension DescriptorValidator {
    /// Reports fields with the same JSON name, either derived or set by `json_name`.
    private func checkJSONNames(of message: MessageDescriptor) {
        guard message.options.message.bool(MessageOptions.deprecatedLegacyJSONFieldConflicts) != true else { return }
        if !Self.areDistinct(message.fields.map { Names.json($0.name) }) { checkJSONNames(of: message, given: false) }
        // Without `json_name`, the second pass would repeat the first.
        guard message.fields.contains(where: { $0.jsonName != nil }) else { return }
        checkJSONNames(of: message, given: true)
    }

    /// Whether all strings differ; for a few strings, comparing is faster than hashing.
    private static func areDistinct(_ texts: [String]) -> Bool {
        guard texts.count <= 12 else { return Set(texts).count == texts.count }
        return texts.indices.allSatisfy { !texts[..<$0].contains(texts[$0]) }
    }

    private func checkJSONNames(of message: MessageDescriptor, given: Bool) {
        var seen: [String: (field: FieldDescriptor, isGiven: Bool)] = [:]
        for field in message.fields {
            let own = Names.json(field.name)
            let isGiven = given && field.jsonName != nil && field.jsonName != own
            let name = isGiven ? field.jsonName ?? own : own
            if isGiven, name.hasPrefix("["), name.hasSuffix("]") {
                fail("a JSON name cannot be in brackets", at: field.namePosition)
                continue
            }
            guard let other = seen[name] else {
                seen[name] = (field, isGiven)
                continue
            }
            if given, !isGiven, !other.isGiven { continue }
            let mayConflict = message.features.jsonFormat == .legacyBestEffort && (!isGiven || !other.isGiven)
            fail(
                "'\(field.name)' and '\(other.field.name)' have the same JSON name: \(name)", at: field.namePosition,
                as: mayConflict ? .warning : .error)
        }
    }

    private func check(_ one: EnumDescriptor) {
        checkValueNames(of: one)
        if !one.isClosed, let first = one.values.first, first.number != 0 {
            fail("the first value of an open enum must be 0", at: first.numberPosition)
        }
        guard one.options.message.bool(EnumOptions.allowAlias) != true else { return }
        var seen: [Int32: EnumValueDescriptor] = [:]
        for value in one.values {
            if let other = seen[value.number] {
                fail(
                    "'\(value.name)' and '\(other.name)' have the same number", at: value.numberPosition,
                    hint: "To allow it, set: option allow_alias = true;")
            } else {
                seen[value.number] = value
            }
        }
    }

    /// Reports values whose names are equal without the enum's name, because generated code may drop that prefix.
    private func checkValueNames(of one: EnumDescriptor) {
        var seen: [String: EnumValueDescriptor] = [:]
        for value in one.values {
            let short = Names.pascal(Names.withoutPrefix(value.name, of: one.name))
            guard let other = seen[short] else {
                seen[short] = value
                continue
            }
            guard other.name != value.name, other.number != value.number else { continue }
            let mayConflict = one.options.message.bool(EnumOptions.deprecatedLegacyJSONFieldConflicts) == true
            fail(
                "'\(value.name)' and '\(other.name)' are equal without the prefix of the enum", at: value.namePosition,
                as: mayConflict && file.syntax == .proto2 ? .warning : .error)
        }
    }
}

extension FileDescriptor {
    /// Whether the file is for the lite runtime (`optimize_for = LITE_RUNTIME`).
    var isLite: Bool { options.message.integer(FileOptions.optimizeFor) == 3 }
}

extension MessageDescriptor {
    /// Whether the message has the message set wire format, a legacy format for extensions.
    package var isMessageSet: Bool { options.message.bool(MessageOptions.messageSetWireFormat) == true }
}

extension EnumDescriptor {
    /// Whether unknown numbers are kept as unknown fields instead of values.
    package var isClosed: Bool { features.enumType == .closed }
}

extension FieldDescriptor {
    fileprivate var is64Bit: Bool { [.int64, .uint64, .sint64, .fixed64, .sfixed64].contains(type) }

    fileprivate var isMapWithText: Bool { isMap && message?.fields.contains { $0.type == .string } == true }
}
