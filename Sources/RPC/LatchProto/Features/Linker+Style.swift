// SPDX-License-Identifier: Apache-2.0

// The rules of names and the limits that an edition brings (`features.enforce_naming_style`, `enforce_proto_limits`).

extension Linker {
    func checkNames() {
        if !file.package.isEmpty {
            check("the package", file.package, .lowerSnake, file.features, at: file.packagePlace)
        }
        for message in file.messages { checkNames(in: message) }
        for one in file.enums { checkNames(in: one) }
        for field in file.extensions { checkName(of: field, in: nil) }
        for service in file.services {
            check("the service", service.name, .title, service.features, at: service.place)
            for method in service.methods {
                check("the method", method.name, .title, method.features, at: method.place)
            }
        }
    }

    private func checkNames(in message: MessageDescriptor) {
        check("the message", message.name, .title, message.features, at: message.isMapEntry ? nil : message.place)
        for field in message.fields where !message.isMapEntry { checkName(of: field, in: message) }
        // An extension is no neighbour of the fields of the message that it stands in.
        for field in message.extensions { checkName(of: field, in: field.extendee) }
        for oneof in message.oneofs where !oneof.isSynthetic {
            check("the oneof", oneof.name, .lowerSnake, oneof.features, at: oneof.place)
            checkCollision(of: oneof.name, in: message, oneof.features, at: oneof.place)
        }
        for one in message.enums { checkNames(in: one) }
        for inner in message.messages { checkNames(in: inner) }
    }

    private func checkNames(in one: EnumDescriptor) {
        check("the enum", one.name, .title, one.features, at: one.place)
        for value in one.values { check("the value", value.name, .upperSnake, value.features, at: value.place) }
    }

    private func checkName(of field: FieldDescriptor, in message: MessageDescriptor?) {
        check("the field", field.name, .lowerSnake, field.features, at: field.places.name)
        checkCollision(of: field.name, in: message ?? field.extendee, field.features, at: field.places.name)
    }

    private func check(_ kind: String, _ name: String, _ style: NameStyle, _ features: Features, at place: Place?) {
        guard features.namingStyle != .legacy, let reason = style.violation(by: name) else { return }
        fail(
            "the name of \(kind) '\(name)' \(reason)", at: place,
            hint: "It may be as it is with: features.enforce_naming_style = STYLE_LEGACY")
    }

    /// Generated code has a few names for each field; none of them may be that of another.
    private func checkCollision(of name: String, in message: MessageDescriptor?, _ features: Features, at place: Place?)
    {
        guard features.namingStyle == .style2026 else { return }
        let hint = "It may be as it is with: features.enforce_naming_style = STYLE2024"
        if name == "descriptor" {
            return fail("'descriptor' is the name of something else in generated code", at: place, hint: hint)
        }
        var others = ["has_", "get_", "set_", "clear_"].filter(name.hasPrefix).map { name.dropFirst($0.utf8.count) }
        if name.hasSuffix("_value") { others.append(name.dropLast(6)) }
        for other in others where message?.holds(other) == true {
            fail("'\(name)' is what generated code calls something of the field '\(other)'", at: place, hint: hint)
        }
    }

    func checkLimits() {
        for message in file.messages { checkLimits(of: message) }
        for one in file.enums { checkLimits(of: one) }
    }

    private func checkLimits(of message: MessageDescriptor) {
        if !message.features.isWithoutLimits {
            check(message.fields.count, upTo: 1_500, "fields in '\(message.name)'", at: message.place)
            let count = message.oneofs.count { !$0.isSynthetic }
            check(count, upTo: 1_000, "oneofs in '\(message.name)'", at: message.place)
        }
        for (index, oneof) in message.oneofs.enumerated() where !oneof.features.isWithoutLimits {
            let count = message.fields.count { $0.oneofIndex == index }
            check(count, upTo: 1_200, "fields in '\(oneof.name)'", at: oneof.place)
        }
        for one in message.enums { checkLimits(of: one) }
        for inner in message.messages { checkLimits(of: inner) }
    }

    private func checkLimits(of one: EnumDescriptor) {
        if !one.features.isWithoutLimits {
            check(one.values.count, upTo: 1_700, "values in '\(one.name)'", at: one.place)
        }
    }

    private func check(_ count: Int, upTo limit: Int, _ what: String, at place: Place) {
        guard count > limit else { return }
        fail(
            "there are \(count) \(what), and \(limit) at most", at: place,
            hint: "There may be more with: features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS")
    }
}

extension MessageDescriptor {
    fileprivate func holds(_ name: Substring) -> Bool {
        fields.contains { $0.name == name } || oneofs.contains { $0.name == name }
    }
}

/// How names are spelled from edition 2024 on (Protocol Buffers style guide).
private enum NameStyle {
    case title, lowerSnake, upperSnake

    /// In what a name is not spelled so; nil where it is.
    func violation(by name: String) -> String? {
        guard let first = name.utf8.first else { return "is empty" }
        switch self {
        case .title:
            guard name.utf8.allSatisfy({ $0.isDigit || ($0.isLetter && $0 != UInt8(ascii: "_")) }) else {
                return "is not spelled LikeThis"
            }
            return first.lowercased != first ? nil : "does not begin with a capital letter"
        case .lowerSnake:
            guard name.utf8.allSatisfy({ $0.isDigit || $0 == 0x5F || $0 == 0x2E || $0.uppercased != $0 }) else {
                return "is not spelled like_this"
            }
            guard first.uppercased != first else { return "does not begin with a letter" }
        case .upperSnake:
            guard name.utf8.allSatisfy({ $0.isDigit || $0 == 0x5F || $0.lowercased != $0 }) else {
                return "is not spelled LIKE_THIS"
            }
            guard first.lowercased != first else { return "does not begin with a letter" }
        }
        return Self.hasStrayUnderscore(name) ? "has an underscore that is not in front of a letter" : nil
    }

    private static func hasStrayUnderscore(_ name: String) -> Bool {
        var isBehindUnderscore = false
        for byte in name.utf8 {
            if isBehindUnderscore, !byte.isLetter || byte == UInt8(ascii: "_") { return true }
            isBehindUnderscore = byte == UInt8(ascii: "_")
        }
        return isBehindUnderscore || name.hasPrefix("_")
    }
}
