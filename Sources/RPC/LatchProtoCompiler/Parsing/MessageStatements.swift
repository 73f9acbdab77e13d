// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// Parses `message Name { … }`.
    func parseMessage(
        in parent: MessageDescriptor?, _ visibility: SymbolVisibility?, _ mark: LocationMark
    ) throws(ParseError) -> MessageDescriptor {
        defer { finish(mark) }
        guard remainingDepth > 1 else { throw failure("messages are nested too deeply") }
        advance()
        let (name, position) = try parseName(mark, "the name of the message is missing here")
        let descriptor = MessageDescriptor(name: name, file: file, parent: parent, namePosition: position)
        descriptor.visibility = visibility
        try parseMessageBody(descriptor, mark)
        if file.syntax == .proto3 { addSyntheticOneofs(to: descriptor) }
        return descriptor
    }

    /// Parses the statements between the braces of a message or a group.
    private func parseMessageBody(_ message: MessageDescriptor, _ mark: LocationMark) throws(ParseError) {
        remainingDepth -= 1
        defer { remainingDepth += 1 }
        guard remainingDepth > 0 else { throw failure("messages are nested too deeply") }
        message.comments = try endDeclaration("{", of: mark)
        try parseStatements(of: "a message") { () throws(ParseError) in try parseMessageStatement(message, mark) }
        closeRanges(of: message)
        if let option = message.options.uninterpreted.first(where: {
            $0.name.first?.isExtension == false && $0.name.first?.name == "map_entry"
        }) {
            diagnostics.add(
                "'map_entry' can only be set by the compiler", at: option.namePosition, in: source,
                hint: "Write map<Key, Value>.")
            throw ParseError()
        }
    }

    private func parseMessageStatement(_ message: MessageDescriptor, _ mark: LocationMark) throws(ParseError) {
        let visibility = try parseVisibility()
        switch text {
        case "message":
            let inner = begin(mark, 3, Int32(message.messages.count))
            message.messages.append(try parseMessage(in: message, visibility, inner))
        case "enum":
            message.enums.append(try parseEnum(in: message, visibility, begin(mark, 4, Int32(message.enums.count))))
        case "extensions": try parseExtensions(of: message, begin(mark, 5))
        case "reserved":
            try parseReserved(&message.reservedRanges, &message.reservedNames, mark, paths: (9, 10), signed: false)
        case "extend": try parseExtend(in: message, begin(mark, 6), nested: mark)
        case "option": try parseOptionStatement(&message.options, begin(mark, 7))
        case "oneof": try parseOneof(of: message, begin(mark, 8, Int32(message.oneofs.count)), within: mark)
        default:
            let field = FieldDescriptor(file: file, parent: message)
            message.fields.append(field)
            let inner = begin(mark, 2, Int32(message.fields.count - 1))
            try parseLabelledField(field, inner, nested: mark, container: message)
        }
    }

    /// Replaces `max` with the largest number, which depends on an option that may follow the range.
    private func closeRanges(of message: MessageDescriptor) {
        let isMessageSet = message.options.uninterpreted.contains { $0.sets("message_set_wire_format", to: "true") }
        let last = isMessageSet ? Int32.max - 1 : FieldNumbers.maximum
        for range in message.extensionRanges where range.numbers.endsAtMax { range.numbers.last = last }
        for index in message.reservedRanges.indices where message.reservedRanges[index].endsAtMax {
            message.reservedRanges[index].last = last
        }
    }

    /// Adds a oneof for each field that is marked `optional` (proto3 field presence).
    private func addSyntheticOneofs(to message: MessageDescriptor) {
        var names = Set(message.fields.map(\.name) + message.oneofs.map(\.name))
        for field in message.fields where field.isProto3Optional {
            var name = field.name.hasPrefix("_") ? field.name : "_" + field.name
            while names.contains(name) { name = "X" + name }
            names.insert(name)
            field.oneofIndex = message.oneofs.count
            message.oneofs.append(
                OneofDescriptor(
                    name: name, message: message, namePosition: field.namePosition ?? message.namePosition,
                    isSynthetic: true))
        }
    }

    private func parseOneof(
        of message: MessageDescriptor, _ mark: LocationMark, within messageMark: LocationMark
    ) throws(ParseError) {
        defer { finish(mark) }
        advance()
        let (name, position) = try parseName(mark, "the name of the oneof is missing here")
        let descriptor = OneofDescriptor(name: name, message: message, namePosition: position)
        let index = message.oneofs.count
        message.oneofs.append(descriptor)
        descriptor.comments = try endDeclaration("{", of: mark)
        repeat {
            guard !isAtEnd else { throw failure("the file ends inside a oneof; a '}' is missing") }
            if isAt("option") {
                try parseOptionStatement(&descriptor.options, begin(mark, 2))
                continue
            }
            if FieldLabel.keywords[text] != nil {
                fail("a field of a oneof cannot have a label")
                advance()
            }
            let inner = begin(messageMark, 2, Int32(message.fields.count))
            let field = FieldDescriptor(file: file, parent: message)
            message.fields.append(field)
            field.label = .optional
            field.oneofIndex = index
            do { try parseField(field, inner, nested: messageMark, container: message) } catch { skipStatement() }
        } while takeEnd("}", of: nil) == nil
    }

    /// Parses `extend Message { … }`.
    func parseExtend(in parent: MessageDescriptor?, _ mark: LocationMark, nested: LocationMark) throws(ParseError) {
        defer { finish(mark) }
        advance()
        let (start, first) = (token.position, index)
        let extendee = try parseTypeName()
        let end = index > first ? tokens[index - 1].endPosition : start
        try endDeclaration("{", of: mark)
        var position: SourcePosition? = start
        repeat {
            guard !isAtEnd else { throw failure("the file ends inside an extension; a '}' is missing") }
            let inner = begin(mark, Int32(parent?.extensions.count ?? file.extensions.count))
            let field = FieldDescriptor(file: file, parent: parent)
            if let parent { parent.extensions.append(field) } else { file.extensions.append(field) }
            let extendeeMark = begin(inner, 2)
            locations.start(extendeeMark, at: start)
            locations.finish(extendeeMark, at: end)
            field.positions.extendee = position
            position = nil
            field.extendeeName = extendee
            do { try parseLabelledField(field, inner, nested: nested, container: parent) } catch { skipStatement() }
        } while takeEnd("}", of: nil) == nil
    }
}

/// The limits of field numbers.
enum FieldNumbers {
    /// The largest field number (Protocol Buffers language specification, "Assigning field numbers").
    static let maximum: Int32 = 536_870_911
}

extension Parser {
    /// Parses a field with a label, or without one if the label is optional.
    func parseLabelledField(
        _ field: FieldDescriptor, _ mark: LocationMark, nested: LocationMark, container: MessageDescriptor?
    ) throws(ParseError) {
        if let label = parseLabel(mark) {
            field.label = label
            field.isProto3Optional = label == .optional && file.syntax == .proto3
        }
        try parseField(field, mark, nested: nested, container: container)
    }

    private func parseLabel(_ mark: LocationMark) -> FieldLabel? {
        guard let label = FieldLabel.keywords[text] else { return nil }
        if file.syntax == .editions, label == .optional {
            fail("the label 'optional' does not exist in editions", hint: "Fields track their presence without it.")
        }
        if file.syntax == .editions, label == .required {
            fail(
                "the label 'required' does not exist in editions",
                hint: "Write features.field_presence = LEGACY_REQUIRED.")
        }
        takeKeyword(begin(mark, 4))
        return label
    }

    /// Parses a field after its label.
    func parseField(
        _ field: FieldDescriptor, _ mark: LocationMark, nested: LocationMark, container: MessageDescriptor?
    ) throws(ParseError) {
        defer { finish(mark) }
        let map = try parseFieldType(of: field, mark)
        let nameToken = token
        (field.name, field.namePosition) = try parseName(mark, "the name of the field is missing here")
        try expect("=", "the number of the field is missing here")
        let numberMark = begin(mark, 3)
        field.positions.number = token.position
        field.number = try parseInteger("the number of the field is missing here")
        finish(numberMark)
        try parseFieldOptions(field, mark)
        if field.type == .group {
            try parseGroup(field, nameToken, mark, nested: nested, container: container)
        } else {
            field.comments = try endDeclaration(";", of: mark)
        }
        if let map { addEntry(of: map, to: field, in: container) }
    }

    /// Parses the type of a field; for a map, returns the types of its key and value.
    private func parseFieldType(
        of field: FieldDescriptor, _ mark: LocationMark
    ) throws(ParseError) -> (key: TypeReference, value: TypeReference)? {
        var typeMark = begin(mark)
        defer { finish(typeMark) }
        field.positions.type = token.position
        let isMap = take("map")
        if isMap, isAt("<") {
            let map = try parseMapTypes(of: field)
            typeMark = locations.extend(typeMark, 6)
            return map
        }
        defaultLabel(of: field)
        (field.type, field.typeName) = try isMap ? (nil, "map") : parseType()
        typeMark = locations.extend(typeMark, field.type == nil ? 6 : 5)
        return nil
    }

    /// Sets the label of a field without one to `optional`; proto2 requires an explicit label.
    private func defaultLabel(of field: FieldDescriptor) {
        guard field.label == nil else { return }
        if file.syntax == .proto2 {
            fail(
                "a label is missing here: 'required', 'optional' or 'repeated'",
                hint: file.declaresSyntax ? nil : "A file of proto3 begins with: syntax = \"proto3\";")
        }
        field.label = .optional
    }

    private func parseMapTypes(
        of field: FieldDescriptor
    ) throws(ParseError) -> (key: TypeReference, value: TypeReference) {
        if field.oneofIndex != nil { throw failure("a map cannot be in a oneof") }
        if field.label != nil { throw failure("a map cannot have a label") }
        if field.extendeeName != nil { throw failure("a map cannot be an extension") }
        field.label = .repeated
        try expect("<")
        let key = try parseType()
        try expect(",")
        let value = try parseType()
        try expect(">")
        return (key, value)
    }

    /// Adds the message that represents the entries of a map.
    private func addEntry(
        of map: (key: TypeReference, value: TypeReference), to field: FieldDescriptor, in container: MessageDescriptor?
    ) {
        let position = field.namePosition ?? SourcePosition(line: 0, column: 0)
        let entry = MessageDescriptor(
            name: Names.entry(field.name), file: file, parent: container, namePosition: position)
        entry.isMapEntry = true
        field.typeName = entry.name
        for (number, name, type) in [(Int32(1), "key", map.key), (2, "value", map.value)] {
            let part = FieldDescriptor(file: file, parent: entry)
            part.name = name
            part.number = number
            part.label = .optional
            (part.type, part.typeName) = type
            part.positions = field.positions
            // The features of the field apply to both fields of its entry.
            part.options.uninterpreted = field.options.uninterpreted.filter {
                guard let first = $0.name.first, !first.isExtension else { return false }
                return first.name == "features" || ($0.isNamed("enforce_utf8") && part.type == .string)
            }
            entry.fields.append(part)
        }
        add(entry, to: container)
    }

    private func add(_ message: MessageDescriptor, to container: MessageDescriptor?) {
        if let container { container.messages.append(message) } else { file.messages.append(message) }
    }

    /// Parses the body of a group, whose message has the capitalized name of the field.
    private func parseGroup(
        _ field: FieldDescriptor, _ name: Token, _ mark: LocationMark, nested: LocationMark,
        container: MessageDescriptor?
    ) throws(ParseError) {
        let count = container?.messages.count ?? file.messages.count
        let groupMark = locations.begin(
            nested, [container == nil ? 4 : 3, Int32(count)], at: locations.start(of: mark) ?? name.position)
        defer { finish(groupMark) }
        let descriptor = MessageDescriptor(name: field.name, file: file, parent: container, namePosition: name.position)
        add(descriptor, to: container)
        for (parent, number) in [(groupMark, Int32(1)), (mark, 6)] {
            let part = locations.begin(parent, [number], at: name.position)
            locations.finish(part, at: name.endPosition)
        }
        if let first = field.name.utf8.first, !(0x41...0x5A).contains(first) {
            diagnostics.add("the name of a group must begin with a capital letter", at: name.position, in: source)
        }
        field.name = field.name.lowercased()
        field.typeName = descriptor.name
        guard isAt("{") else { throw failure("the fields of the group are missing here") }
        try parseMessageBody(descriptor, groupMark)
    }
}

/// A type as the source file names it: a scalar type or a group, or the name of a message or an enum.
typealias TypeReference = (type: FieldType?, name: String?)

extension Parser {
    func parseType() throws(ParseError) -> TypeReference {
        guard token.kind != .string, let type = FieldType(keyword: text) else { return (nil, try parseTypeName()) }
        if type == .group, file.syntax == .editions {
            fail("groups do not exist in editions", hint: "Write features.message_encoding = DELIMITED at a field.")
        }
        advance()
        return (type, nil)
    }

    /// Parses the name of a message or an enum, which may be qualified and begin with a dot.
    func parseTypeName() throws(ParseError) -> String {
        if token.kind != .string, FieldType(keyword: text) != nil {
            fail("a message is expected here")
            defer { advance() }
            return text
        }
        return try (take(".") ? "." : "") + parseQualifiedName("the name of a type is missing here")
    }
}
