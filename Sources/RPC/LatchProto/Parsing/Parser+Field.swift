// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// A field with a label, or without one where that is allowed.
    func labelledField(
        _ field: FieldDescriptor, _ mark: Locations.Mark, nested: Locations.Mark, container: MessageDescriptor?
    ) throws(Abandoned) {
        if let label = label(mark) {
            field.label = label
            field.isProto3Optional = label == .optional && file.syntax == .proto3
        }
        try self.field(field, mark, nested: nested, container: container)
    }

    private func label(_ mark: Locations.Mark) -> FieldLabel? {
        let label: FieldLabel
        switch text {
        case "optional": label = .optional
        case "required": label = .required
        case "repeated": label = .repeated
        default: return nil
        }
        if file.syntax == .editions, label == .optional {
            fail("there is no label 'optional' in editions", hint: "A field knows whether it is there without it.")
        }
        if file.syntax == .editions, label == .required {
            fail("there is no label 'required' in editions", hint: "Write features.field_presence = LEGACY_REQUIRED.")
        }
        keyword(begin(mark, 4))
        return label
    }

    /// A field without its label.
    func field(
        _ field: FieldDescriptor, _ mark: Locations.Mark, nested: Locations.Mark, container: MessageDescriptor?
    ) throws(Abandoned) {
        let map = try fieldType(of: field, mark)
        let nameToken = token
        let nameMark = begin(mark, 1)
        field.places.name = token.place
        field.name = try identifier("the name of the field is missing here")
        finish(nameMark)
        try expect("=", "the number of the field is missing here")
        let numberMark = begin(mark, 3)
        field.places.number = token.place
        field.number = try integer("the number of the field is missing here")
        finish(numberMark)
        try fieldOptions(field, mark)
        if field.type == .group {
            try group(field, nameToken, mark, nested: nested, container: container)
        } else {
            field.comments = try endDeclaration(";", of: mark)
        }
        if let map { addEntry(of: map, to: field, in: container) }
    }

    /// The two types of a map.
    private struct MapTypes {
        let key: WrittenType
        let value: WrittenType
    }

    private func fieldType(of field: FieldDescriptor, _ mark: Locations.Mark) throws(Abandoned) -> MapTypes? {
        var typeMark = begin(mark)
        defer { finish(typeMark) }
        field.places.type = token.place
        let written: WrittenType
        if take("map") {
            if isAt("<") {
                let map = try mapTypes(of: field)
                typeMark = locations.extend(typeMark, 6)
                return map
            }
            defaultLabel(of: field)
            written = .named("map")
        } else {
            defaultLabel(of: field)
            written = try type()
        }
        switch written {
        case .plain(let type):
            typeMark = locations.extend(typeMark, 5)
            field.type = type
        case .named(let name):
            typeMark = locations.extend(typeMark, 6)
            field.typeName = name
        }
        return nil
    }

    /// Where proto2 leaves no choice, a label is demanded, and taken for `optional` all the same.
    private func defaultLabel(of field: FieldDescriptor) {
        guard field.label == nil else { return }
        if file.syntax == .proto2 {
            fail(
                "a label is missing here: 'required', 'optional' or 'repeated'",
                hint: file.namesSyntax ? nil : "A file of proto3 begins with: syntax = \"proto3\";")
        }
        field.label = .optional
    }

    private func mapTypes(of field: FieldDescriptor) throws(Abandoned) -> MapTypes {
        if field.oneofIndex != nil { throw abandon("a map cannot stand in a oneof") }
        if field.label != nil { throw abandon("a map has no label") }
        if field.extendeeName != nil { throw abandon("a map cannot be an extension") }
        field.label = .repeated
        try expect("<")
        let key = try type()
        try expect(",")
        let value = try type()
        try expect(">")
        return MapTypes(key: key, value: value)
    }

    /// Makes the message of a map's entries.
    private func addEntry(of map: MapTypes, to field: FieldDescriptor, in container: MessageDescriptor?) {
        let place = field.places.name ?? Place(line: 0, column: 0)
        let entry = MessageDescriptor(
            name: Self.entryName(of: field.name), file: file, parent: container, place: place)
        entry.isMapEntry = true
        field.typeName = entry.name
        for (number, name, type) in [(Int32(1), "key", map.key), (2, "value", map.value)] {
            let part = FieldDescriptor(file: file, parent: entry)
            part.name = name
            part.number = number
            part.label = .optional
            switch type {
            case .plain(let type): part.type = type
            case .named(let name): part.typeName = name
            }
            part.places = field.places
            // Features of the field hold for both of its parts.
            part.options.statements = field.options.statements.filter {
                guard let first = $0.name.first, !first.isExtension else { return false }
                return first.name == "features" || ($0.isNamed("enforce_utf8") && part.type == .string)
            }
            entry.fields.append(part)
        }
        if let container { container.messages.append(entry) } else { file.messages.append(entry) }
    }

    /// `FooBarEntry` for `foo_bar`.
    static func entryName(of field: String) -> String {
        var name = ""
        var isStart = true
        for character in field.unicodeScalars {
            if character == "_" {
                isStart = true
            } else {
                name += isStart ? String(Character(character)).uppercased() : String(Character(character))
                isStart = false
            }
        }
        return name + "Entry"
    }

    /// The message of a group, which has the same name in two spellings.
    private func group(
        _ field: FieldDescriptor, _ name: Token, _ mark: Locations.Mark, nested: Locations.Mark,
        container: MessageDescriptor?
    ) throws(Abandoned) {
        let count = container?.messages.count ?? file.messages.count
        let groupMark = locations.begin(
            nested, [container == nil ? 4 : 3, Int32(count)], at: locations.start(of: mark) ?? name.place)
        defer { finish(groupMark) }
        let descriptor = MessageDescriptor(name: field.name, file: file, parent: container, place: name.place)
        if let container { container.messages.append(descriptor) } else { file.messages.append(descriptor) }
        for (parent, number) in [(groupMark, Int32(1)), (mark, 6)] {
            let part = locations.begin(parent, [number], at: name.place)
            locations.finish(part, at: name.endPlace)
        }
        if let first = field.name.utf8.first, !(0x41...0x5A).contains(first) {
            diagnostics.add("the name of a group begins with a capital letter", at: name.place, in: source)
        }
        field.name = field.name.lowercased()
        field.typeName = descriptor.name
        guard isAt("{") else { throw abandon("the fields of the group are missing here") }
        depthLeft -= 1
        defer { depthLeft += 1 }
        guard depthLeft > 0 else { throw abandon("messages stand in one another too deeply") }
        try messageBlock(descriptor, groupMark)
    }
}

/// A type as it is written.
enum WrittenType {
    case plain(FieldType)
    case named(String)
}

extension Parser {
    func type() throws(Abandoned) -> WrittenType {
        guard token.kind != .string, let type = FieldType(keyword: text) else { return .named(try userType()) }
        if type == .group, file.syntax == .editions {
            fail("there are no groups in editions", hint: "Write features.message_encoding = DELIMITED at a field.")
        }
        advance()
        return .plain(type)
    }

    /// The name of a message or an enum, which may be qualified and begin with a dot.
    func userType() throws(Abandoned) -> String {
        if token.kind != .string, FieldType(keyword: text) != nil {
            fail("a message is expected here")
            defer { advance() }
            return text
        }
        var name = take(".") ? "." : ""
        name += try identifier("the name of a type is missing here")
        while take(".") {
            name += "."
            name += try identifier("a name is expected here")
        }
        return name
    }
}
