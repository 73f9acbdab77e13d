// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// `message Name { … }`.
    func message(
        in parent: MessageDescriptor?, _ visibility: Visibility?, _ mark: Locations.Mark,
        adopt: (MessageDescriptor) -> Void
    ) throws(Abandoned) {
        depthLeft -= 1
        defer { depthLeft += 1 }
        guard depthLeft > 0 else { throw abandon("messages stand in one another too deeply") }
        advance()
        let nameMark = begin(mark, 1)
        let place = token.place
        let descriptor: MessageDescriptor
        do throws(Abandoned) {
            let name = try identifier("the name of the message is missing here")
            descriptor = MessageDescriptor(name: name, file: file, parent: parent, place: place)
            adopt(descriptor)
            finish(nameMark)
        } catch {
            adopt(MessageDescriptor(name: "", file: file, parent: parent, place: place))
            throw error
        }
        descriptor.visibility = visibility
        try messageBlock(descriptor, mark)
        if file.syntax == .proto3 { addSyntheticOneofs(to: descriptor) }
    }

    /// What stands between the braces of a message or a group.
    func messageBlock(_ message: MessageDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        message.comments = try endDeclaration("{", of: mark)
        while takeEnd("}", of: nil) == nil {
            guard !isAtEnd else { throw abandon("the file ends inside of a message; a '}' is missing") }
            do { try messageStatement(message, mark) } catch { skipStatement() }
        }
        closeRanges(of: message)
        if let option = message.options.statements.first(where: {
            $0.name.first?.isExtension == false
                && $0.name.first?.name == "map_entry"
        }) {
            diagnostics.add(
                "'map_entry' is set by the compiler alone", at: option.namePlace, in: source,
                hint: "Write map<Key, Value>.")
            throw Abandoned()
        }
    }

    private func messageStatement(_ message: MessageDescriptor, _ mark: Locations.Mark) throws(Abandoned) {
        if takeEnd(";", of: nil) != nil { return }
        let visibility = try visibility()
        switch text {
        case "message":
            let inner = begin(mark, 3, Int32(message.messages.count))
            defer { finish(inner) }
            try self.message(in: message, visibility, inner) { message.messages.append($0) }
        case "enum":
            let inner = begin(mark, 4, Int32(message.enums.count))
            defer { finish(inner) }
            try enumeration(in: message, visibility, inner) { message.enums.append($0) }
        case "extensions":
            let inner = begin(mark, 5)
            defer { finish(inner) }
            try extensions(of: message, inner)
        case "reserved":
            let reserved = try reserved(
                mark, paths: (9, 10),
                counts: (
                    message.reservedRanges.count, message.reservedNames.count
                ), signed: false)
            message.reservedRanges += reserved.ranges
            message.reservedNames += reserved.names
        case "extend":
            let inner = begin(mark, 6)
            defer { finish(inner) }
            try extend(in: message, inner, nested: mark)
        case "option":
            let inner = begin(mark, 7)
            defer { finish(inner) }
            try optionStatement(&message.options, inner)
        case "oneof":
            let inner = begin(mark, 8, Int32(message.oneofs.count))
            defer { finish(inner) }
            try oneof(of: message, inner, within: mark)
        default:
            let inner = begin(mark, 2, Int32(message.fields.count))
            defer { finish(inner) }
            let field = FieldDescriptor(file: file, parent: message)
            message.fields.append(field)
            try labelledField(field, inner, nested: mark, container: message)
        }
    }

    /// The meaning of `max` depends on an option of the message, which may stand below.
    private func closeRanges(of message: MessageDescriptor) {
        let isMessageSet = message.options.statements.contains {
            guard $0.isNamed("message_set_wire_format"), case .identifier("true") = $0.value else { return false }
            return true
        }
        let last = isMessageSet ? Int32.max - 1 : FieldNumbers.last
        for range in message.extensionRanges where range.numbers.isOpen { range.numbers.last = last }
        for index in message.reservedRanges.indices where message.reservedRanges[index].isOpen {
            message.reservedRanges[index].last = last
        }
    }

    /// A field that is marked `optional` stands in a oneof of its own (proto3 field presence).
    private func addSyntheticOneofs(to message: MessageDescriptor) {
        var names = Set(message.fields.map(\.name) + message.oneofs.map(\.name))
        for field in message.fields where field.isProto3Optional {
            var name = field.name.hasPrefix("_") ? field.name : "_" + field.name
            while names.contains(name) { name = "X" + name }
            names.insert(name)
            field.oneofIndex = message.oneofs.count
            message.oneofs.append(
                OneofDescriptor(
                    name: name, message: message, place: field.places.name ?? message.place, isSynthetic: true))
        }
    }

    private func oneof(
        of message: MessageDescriptor, _ mark: Locations.Mark, within messageMark: Locations.Mark
    ) throws(Abandoned) {
        advance()
        let nameMark = begin(mark, 1)
        let place = token.place
        let name = try identifier("the name of the oneof is missing here")
        finish(nameMark)
        let descriptor = OneofDescriptor(name: name, message: message, place: place)
        let index = message.oneofs.count
        message.oneofs.append(descriptor)
        descriptor.comments = try endDeclaration("{", of: mark)
        repeat {
            guard !isAtEnd else { throw abandon("the file ends inside of a oneof; a '}' is missing") }
            if isAt("option") {
                let inner = begin(mark, 2)
                defer { finish(inner) }
                try optionStatement(&descriptor.options, inner)
                continue
            }
            if isAt("required") || isAt("optional") || isAt("repeated") {
                fail("a field of a oneof has no label")
                advance()
            }
            let inner = begin(messageMark, 2, Int32(message.fields.count))
            defer { finish(inner) }
            let field = FieldDescriptor(file: file, parent: message)
            message.fields.append(field)
            field.label = .optional
            field.oneofIndex = index
            do { try self.field(field, inner, nested: messageMark, container: message) } catch { skipStatement() }
        } while takeEnd("}", of: nil) == nil
    }

    /// `extend Message { … }`.
    func extend(in parent: MessageDescriptor?, _ mark: Locations.Mark, nested: Locations.Mark) throws(Abandoned) {
        advance()
        let (start, first) = (token.place, index)
        let extendee = try userType()
        let end = index > first ? tokens[index - 1].endPlace : start
        try endDeclaration("{", of: mark)
        var place: Place? = start
        repeat {
            guard !isAtEnd else { throw abandon("the file ends inside of an extension; a '}' is missing") }
            let count = parent?.extensions.count ?? file.extensions.count
            let inner = begin(mark, Int32(count))
            defer { finish(inner) }
            let field = FieldDescriptor(file: file, parent: parent)
            if let parent { parent.extensions.append(field) } else { file.extensions.append(field) }
            let extendeeMark = begin(inner, 2)
            locations.start(extendeeMark, at: start)
            locations.finish(extendeeMark, at: end)
            field.places.extendee = place
            place = nil
            field.extendeeName = extendee
            do { try labelledField(field, inner, nested: nested, container: parent) } catch { skipStatement() }
        } while takeEnd("}", of: nil) == nil
    }
}

/// The numbers that fields may have.
enum FieldNumbers {
    /// The last one (Protocol Buffers language specification, "Assigning field numbers").
    static let last: Int32 = 536_870_911
}
