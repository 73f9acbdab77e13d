// SPDX-License-Identifier: Apache-2.0

// What can only be checked once types, options and features are known.

extension Linker {
    func checkAll() {
        checkFile()
        for message in file.messages { check(message) }
        for one in file.enums { check(one) }
        for field in file.extensions { check(field) }
    }

    private func checkFile() {
        if file.syntax == .editions {
            if file.features.fieldPresence == .legacyRequired {
                fail("fields cannot be required by default", at: file.syntaxPlace)
            }
            if file.options.message.bool(27) == true {
                fail("'java_string_check_utf8' is a feature in editions: utf8_validation", at: file.syntaxPlace)
            }
        }
        guard !file.isLite else { return checkLite() }
        for dependency in file.imports {
            if let other = pool.file(named: dependency.path), other.isLite {
                fail("'\(dependency.path)' is for the lite runtime, and this file is not", at: dependency.place)
                break
            }
        }
    }

    /// A file for the lite runtime has no services that code is made for without being asked (`*_generic_services`).
    private func checkLite() {
        let isGeneric = file.options.message.bool(16) == true || file.options.message.bool(17) == true
        for service in file.services where isGeneric {
            fail("the lite runtime has no services; leave the options generic_services out", at: service.place)
        }
    }

    private func check(_ message: MessageDescriptor) {
        for field in message.fields { check(field) }
        for field in message.extensions { check(field) }
        checkJSONNames(of: message)
        checkRanges(of: message)
        checkDeclarations(of: message)
        for one in message.enums { check(one) }
        for inner in message.messages { check(inner) }
        for field in message.fields + message.extensions where field.jsonName == nil {
            field.jsonName = Names.json(field.name)
        }
    }

    private func checkRanges(of message: MessageDescriptor) {
        let isMessageSet = message.isMessageSet
        for range in message.extensionRanges where range.numbers.last > FieldNumbers.last && !isMessageSet {
            fail("the number of an extension is \(FieldNumbers.last) at most", at: message.place)
        }
        guard file.syntax == .proto3 else { return }
        if let first = message.extensionRanges.first {
            fail("there are no ranges of extensions in proto3", at: first.numbers.place)
        }
        if isMessageSet { fail("there are no message sets in proto3", at: message.place) }
    }

    private func check(_ field: FieldDescriptor) {
        if file.syntax == .proto3 { checkProto3(field) }
        if file.syntax == .editions { checkFeatures(of: field) }
        checkOptions(of: field)
        if field.isMap { checkMap(field) }
        if field.isExtension {
            let name = Names.json(field.name)
            if let json = field.jsonName, json != name {
                fail("an extension has no name in JSON", at: field.places.jsonName)
            }
            field.jsonName = name
            checkDeclaration(of: field)
        } else if field.jsonName?.utf8.contains(0) == true {
            fail("a name in JSON has no zero byte", at: field.places.jsonName)
        }
    }

    private func checkProto3(_ field: FieldDescriptor) {
        if field.isExtension, !Self.optionMessages.contains(field.extendee?.fullName ?? "") {
            fail("in proto3 only options can be extended", at: field.places.extendee)
        }
        if field.label == .required {
            fail(
                "there are no required fields in proto3", at: field.places.type,
                hint: "Leave 'required' out; who reads the message looks whether the field is there.")
        }
        if field.defaultValue != nil { fail("there are no defaults in proto3", at: field.places.defaultValue) }
        if let one = field.enum, one.isClosed {
            fail("'\(one.fullName)' is closed, and proto3 takes open enums only", at: field.places.type)
        }
        if field.type == .group { fail("there are no groups in proto3", at: field.places.type) }
    }

    private static let optionMessages: Set<String> = Set(
        ["File", "Message", "Field", "Enum", "EnumValue", "Service", "Method", "Oneof", "ExtensionRange"].flatMap {
            ["google.protobuf.\($0)Options", "proto2.\($0)Options"]
        } + ["google.protobuf.StreamOptions"])

    private func checkFeatures(of field: FieldDescriptor) {
        let place = field.places.name
        if field.options.message.has(2) {
            fail("'packed' is a feature in editions: repeated_field_encoding", at: place)
        }
        if field.label != .repeated, !field.hasPresence {
            if field.defaultValue != nil {
                fail("a field that does not know whether it is there has no default", at: place)
            }
            if field.enum?.isClosed == true {
                fail("a field that does not know whether it is there takes open enums only", at: place)
            }
        }
        if field.isExtension, field.features.fieldPresence == .legacyRequired {
            fail("an extension cannot be required", at: place)
        }
        guard field.parent?.isMapEntry != true || field.isExtension,
            let own = field.options.message.message(21)
        else { return }
        if let presence = own.integer(1) {
            if field.oneofIndex != nil {
                fail("a field of a oneof always knows whether it is there", at: place)
            } else if field.label == .repeated {
                fail("a repeated field has no presence", at: place)
            } else if field.isExtension, presence != 3 {
                fail("an extension always knows whether it is there", at: place)
            } else if field.type == .message, presence == 2 {
                fail("a message always knows whether it is there", at: place)
            }
        }
        if field.label != .repeated, own.has(3) { fail("only repeated fields have an encoding as such", at: place) }
        if own.has(4), field.type != .string, !field.isMapWithText { fail("only text is checked for UTF-8", at: place) }
        if own.integer(3) == 1, !field.isPackable { fail("only repeated numbers can be packed", at: place) }
        if own.has(5), field.message == nil || field.isMap { fail("only messages have an encoding as such", at: place) }
    }

    private func checkOptions(of field: FieldDescriptor) {
        let (options, place) = (field.options.message, field.places.type)
        if file.edition >= .edition2024, options.has(1) {
            fail("'ctype' is gone since edition 2024", at: place, hint: "Write: features.(pb.cpp).string_type = …")
        }
        if file.isLite, field.extendee?.file.isLite == false {
            fail("a file for the lite runtime cannot extend a message that is not", at: field.places.extendee)
        }
        if options.bool(5) == true || options.bool(15) == true {
            if field.type != .message || field.isDelimited { fail("only messages can be lazy", at: place) }
            if options.bool(15) == true, field.isExtension {
                fail("an extension cannot be lazy without checks", at: place)
            }
        }
        if options.bool(2) == true, !field.isPackable { fail("only repeated numbers can be packed", at: place) }
        checkJSType(of: field, options.integer(6) ?? 0)
        guard let message = field.isExtension ? field.extendee : field.parent, message.isMessageSet else { return }
        if !field.isExtension {
            fail("a message set has extensions only", at: field.places.name)
        } else if field.label != .optional || field.type != .message {
            fail("the extensions of a message set are optional messages", at: place)
        }
    }

    private func checkJSType(of field: FieldDescriptor, _ type: Int64) {
        guard type != 0 else { return }
        switch field.type {
        case .int64, .uint64, .sint64, .fixed64, .sfixed64: break
        default: fail("only numbers of 64 bits have a type in JavaScript", at: field.places.type)
        }
    }

    private func checkMap(_ field: FieldDescriptor) {
        guard let entry = field.message else { return }
        let isOwn =
            field.label == .repeated && entry.name == Parser.entryName(of: field.name)
            && (field.isExtension ? nil : field.parent) === entry.parent && !field.isExtension
        if !isOwn { fail("'\(entry.fullName)' was made for a map, and is no type of a field", at: field.places.type) }
        guard entry.fields.count == 2 else { return }
        switch entry.fields[0].type {
        case .enum: fail("the key of a map cannot be an enum", at: field.places.type)
        case .float, .double, .bytes, .message, .group:
            fail("the key of a map is text, a boolean or a whole number", at: field.places.type)
        default: break
        }
        if let first = entry.fields[1].enum?.values.first, first.number != 0 {
            fail("the first value of an enum in a map is 0", at: field.places.type)
        }
    }
}

// MARK: Names in JSON, and enums

extension Linker {
    /// Two fields must not have one name in JSON, be that their own or one that they were given.
    private func checkJSONNames(of message: MessageDescriptor) {
        guard message.options.message.bool(11) != true else { return }
        if !Self.areDistinct(message.fields.map { Names.json($0.name) }) { checkJSONNames(of: message, given: false) }
        // Where no field says its own, the second look sees what the first one has seen.
        guard message.fields.contains(where: { $0.jsonName != nil }) else { return }
        checkJSONNames(of: message, given: true)
    }

    /// Whether no text stands there twice; few are compared sooner than hashed.
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
                fail("a name in JSON does not stand in brackets", at: field.places.name)
                continue
            }
            guard let other = seen[name] else {
                seen[name] = (field, isGiven)
                continue
            }
            if given, !isGiven, !other.isGiven { continue }
            let text = "'\(field.name)' and '\(other.field.name)' have one name in JSON: \(name)"
            if message.features.jsonFormat == .legacyBestEffort, !isGiven || !other.isGiven {
                warn(text, at: field.places.name)
            } else {
                fail(text, at: field.places.name)
            }
        }
    }

    private func check(_ one: EnumDescriptor) {
        checkValueNames(of: one)
        if !one.isClosed, let first = one.values.first, first.number != 0 {
            fail("the first value of an open enum is 0", at: first.numberPlace)
        }
        guard one.options.message.bool(2) != true else { return }
        var seen: [Int32: EnumValueDescriptor] = [:]
        for value in one.values {
            if let other = seen[value.number] {
                fail(
                    "'\(value.name)' and '\(other.name)' have one number", at: value.numberPlace,
                    hint: "Where that is meant: option allow_alias = true;")
            } else {
                seen[value.number] = value
            }
        }
    }

    /// Names must differ without the enum's in front, too, and whatever their spelling: generated code may shorten them.
    private func checkValueNames(of one: EnumDescriptor) {
        var seen: [String: EnumValueDescriptor] = [:]
        for value in one.values {
            let short = Names.pascal(Names.withoutPrefix(value.name, of: one.name))
            guard let other = seen[short] else {
                seen[short] = value
                continue
            }
            guard other.name != value.name, other.number != value.number else { continue }
            let text = "'\(value.name)' and '\(other.name)' are one name without the enum's in front"
            if one.options.message.bool(6) == true, file.syntax == .proto2 {
                warn(text, at: value.place)
            } else {
                fail(text, at: value.place)
            }
        }
    }
}

extension FileDescriptor {
    /// Whether it is for the lite runtime (`optimize_for = LITE_RUNTIME`).
    var isLite: Bool { options.message.integer(9) == 3 }
}

extension MessageDescriptor {
    /// Whether it is written as a message set, an old format of many optional messages.
    public var isMessageSet: Bool { options.message.bool(1) == true }
}

extension EnumDescriptor {
    /// Whether a number that it does not name is kept apart.
    public var isClosed: Bool { features.enumType == .closed }
}

extension FieldDescriptor {
    fileprivate var isMapWithText: Bool { isMap && message?.fields.contains { $0.type == .string } == true }
}
