// SPDX-License-Identifier: Apache-2.0

// What types, extended messages and methods refer to.

extension Linker {
    func resolve() {
        for message in file.messages { resolve(message) }
        for field in file.extensions { resolve(field) }
        for service in file.services { for method in service.methods { resolve(method) } }
    }

    private func resolve(_ message: MessageDescriptor) {
        for inner in message.messages { resolve(inner) }
        for field in message.fields { resolve(field) }
        for field in message.extensions { resolve(field) }
        checkOneofs(of: message)
    }

    /// The fields of a oneof stand together.
    private func checkOneofs(of message: MessageDescriptor) {
        var last: Int?
        var seen: Set<Int> = []
        for (index, field) in message.fields.enumerated() {
            if let oneof = field.oneofIndex, oneof != last, !seen.insert(oneof).inserted {
                let before = message.fields[index - 1]
                fail("'\(before.name)' stands between the fields of a oneof", at: before.places.type)
            }
            last = field.oneofIndex
        }
    }

    private func resolve(_ field: FieldDescriptor) {
        if let name = field.extendeeName, !resolveExtendee(name, of: field) { return }
        if let name = field.typeName, !resolveType(name, of: field) { return }
        checkNumber(of: field)
    }

    private func resolveExtendee(_ name: String, of field: FieldDescriptor) -> Bool {
        switch lookUp(name, in: field.fullName) {
        case .message(let message):
            guard isAllowed(.message(message), at: field.places.extendee) else { return false }
            field.extendee = message
            field.extendeeName = "." + message.fullName
            if !message.extensionRanges.contains(where: { $0.numbers.holds(field.number) }) {
                fail("\(field.number) is no number of an extension of '\(message.fullName)'", at: field.places.number)
            }
            return true
        case .some: fail("'\(name)' is no message", at: field.places.extendee)
        case nil: failUndefined(name, at: field.places.extendee, in: field.fullName)
        }
        return false
    }

    private func resolveType(_ name: String, of field: FieldDescriptor) -> Bool {
        guard let symbol = lookUp(name, in: field.fullName, typesOnly: true) else {
            failUndefined(name, at: field.places.type, in: field.fullName)
            return false
        }
        guard isAllowed(symbol, at: field.places.type) else { return false }
        switch symbol {
        case .message(let message):
            field.message = message
            field.typeName = "." + message.fullName
            if field.type != .group { field.type = .message }
            if field.defaultValue != nil { fail("a message has no default", at: field.places.defaultValue) }
        case .enum(let one):
            guard field.type == nil else {
                fail("'\(name)' is no message", at: field.places.type)
                return false
            }
            field.enum = one
            field.typeName = "." + one.fullName
            field.type = .enum
            checkDefault(of: field, one)
        default:
            fail("'\(name)' is no type", at: field.places.type)
            return false
        }
        return true
    }

    private func checkDefault(of field: FieldDescriptor, _ one: EnumDescriptor) {
        guard let name = field.defaultValue else { return }
        if name.utf8.first?.isLetter != true || !name.utf8.allSatisfy({ $0.isLetter || $0.isDigit }) {
            fail("the default of an enum is the name of a value", at: field.places.defaultValue)
        } else if !one.values.contains(where: { $0.name == name }) {
            fail("'\(one.fullName)' has no value '\(name)'", at: field.places.defaultValue)
        }
    }

    /// Each number is used once: by a field in its message, by an extension in the message that it extends.
    private func checkNumber(of field: FieldDescriptor) {
        guard let message = field.isExtension ? field.extendee : field.parent else { return }
        let key = NumberInMessage(message: ObjectIdentifier(message), number: field.number)
        if let other = numbers[key] {
            fail(
                "'\(other.name)' has the number \(field.number), too", at: field.places.number,
                hint: field.isExtension ? nil : freeNumber(of: message).map { "The next number that is free is \($0)." }
            )
        } else {
            numbers[key] = field
            if field.isExtension, let other = pool.symbols.add(field, extending: message) {
                warn(
                    "\(other.fullName) in \(other.file.name) has the number \(field.number), too",
                    at: field.places.number)
            }
        }
    }

    /// A number that nothing in a message has; nil where that would take long to find out.
    private func freeNumber(of message: MessageDescriptor) -> Int32? {
        let taken = Set(message.fields.map(\.number))
        let ranges = message.extensionRanges.map(\.numbers) + message.reservedRanges
        guard taken.count + ranges.count < 1_000 else { return nil }
        return (1...FieldNumbers.last).first { number in
            !taken.contains(number) && !FieldNumbers.forImplementations.contains(number)
                && !ranges.contains { $0.holds(number) }
        }
    }

    private func resolve(_ method: MethodDescriptor) {
        if let message = party(method.inputName, of: method, at: method.inputPlace) {
            method.input = message
            method.inputName = "." + message.fullName
        }
        if let message = party(method.outputName, of: method, at: method.outputPlace) {
            method.output = message
            method.outputName = "." + message.fullName
        }
    }

    private func party(_ name: String, of method: MethodDescriptor, at place: Place?) -> MessageDescriptor? {
        switch lookUp(name, in: method.fullName) {
        case .message(let message): return isAllowed(.message(message), at: place) ? message : nil
        case .some: fail("'\(name)' is no message", at: place)
        case nil: failUndefined(name, at: place, in: method.fullName)
        }
        return nil
    }
}

/// A number among those of one message.
struct NumberInMessage: Hashable {
    let message: ObjectIdentifier
    let number: Int32
}
