// SPDX-License-Identifier: Apache-2.0

/// The checks of an edition's naming style and limits (`features.enforce_naming_style`, `enforce_proto_limits`).
struct StyleChecker: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool

    func checkNames() {
        if !file.package.isEmpty {
            check("the package", file.package, .lowerSnake, file.features, at: file.packagePosition)
        }
        for message in file.allMessages { checkNames(in: message) }
        for one in file.enums { checkNames(in: one) }
        for field in file.extensions { checkName(of: field, in: nil) }
        for service in file.services {
            check("the service", service, .title)
            for method in service.methods { check("the method", method, .title) }
        }
    }

    private func checkNames(in message: MessageDescriptor) {
        check(
            "the message", message.name, .title, message.features, at: message.isMapEntry ? nil : message.namePosition)
        for field in message.fields where !message.isMapEntry { checkName(of: field, in: message) }
        // The name of an extension is compared with the fields of the extended message.
        for field in message.extensions { checkName(of: field, in: field.extendee) }
        for oneof in message.oneofs where !oneof.isSynthetic {
            check("the oneof", oneof, .lowerSnake)
            checkCollision(of: oneof, in: message)
        }
        for one in message.enums { checkNames(in: one) }
    }

    private func checkNames(in one: EnumDescriptor) {
        check("the enum", one, .title)
        for value in one.values { check("the value", value, .upperSnake) }
    }

    private func checkName(of field: FieldDescriptor, in message: MessageDescriptor?) {
        check("the field", field, .lowerSnake)
        checkCollision(of: field, in: message ?? field.extendee)
    }

    private func check(_ kind: String, _ one: Declaration, _ style: NameStyle) {
        check(kind, one.name, style, one.features, at: one.namePosition)
    }

    private func check(
        _ kind: String, _ name: String, _ style: NameStyle, _ features: FeatureSet, at position: SourcePosition?
    ) {
        guard features.namingStyle != .legacy, let reason = style.violation(by: name) else { return }
        fail(
            "the name of \(kind) '\(name)' \(reason)", at: position,
            hint: "To keep the name, set: features.enforce_naming_style = STYLE_LEGACY")
    }

    /// Reports names that collide with the generated accessors of other fields.
    private func checkCollision(of one: Declaration, in message: MessageDescriptor?) {
        guard one.features.namingStyle == .style2026 else { return }
        let (name, position) = (one.name, one.namePosition)
        let hint = "To keep the name, set: features.enforce_naming_style = STYLE2024"
        if name == "descriptor" {
            return fail("generated code uses the name 'descriptor' for something else", at: position, hint: hint)
        }
        var others = ["has_", "get_", "set_", "clear_"].filter(name.hasPrefix).map { name.dropFirst($0.utf8.count) }
        if name.hasSuffix("_value") { others.append(name.dropLast(6)) }
        for other in others where message?.holds(other) == true {
            fail(
                "'\(name)' collides with an accessor in generated code of the field '\(other)'", at: position,
                hint: hint)
        }
    }

    func checkLimits() {
        for message in file.allMessages { checkLimits(of: message) }
        for one in file.enums { checkLimits(of: one) }
    }

    private func checkLimits(of message: MessageDescriptor) {
        if message.features.enforcesProtoLimits {
            check(message.fields.count, upTo: 1_500, "fields", in: message)
            check(message.oneofs.count { !$0.isSynthetic }, upTo: 1_000, "oneofs", in: message)
        }
        for (index, oneof) in message.oneofs.enumerated() where oneof.features.enforcesProtoLimits {
            check(message.fields.count { $0.oneofIndex == index }, upTo: 1_200, "fields", in: oneof)
        }
        for one in message.enums { checkLimits(of: one) }
    }

    private func checkLimits(of one: EnumDescriptor) {
        if one.features.enforcesProtoLimits { check(one.values.count, upTo: 1_700, "values", in: one) }
    }

    private func check(_ count: Int, upTo limit: Int, _ members: String, in one: Declaration) {
        guard count > limit else { return }
        fail(
            "there are \(count) \(members) in '\(one.name)'; the limit is \(limit)", at: one.namePosition,
            hint: "To lift the limit, set: features.enforce_proto_limits = LEGACY_NO_EXPLICIT_LIMITS")
    }
}

extension MessageDescriptor {
    fileprivate func holds(_ name: Substring) -> Bool {
        fields.contains { $0.name == name } || oneofs.contains { $0.name == name }
    }
}

/// The naming styles since edition 2024 (Protocol Buffers style guide).
private enum NameStyle {
    case title, lowerSnake, upperSnake

    /// Returns how a name violates the style; nil if it does not.
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
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        let isStray = name.hasPrefix("_") || parts.dropFirst().contains { $0.utf8.first?.isLetter != true }
        return isStray ? "has an underscore that no letter follows" : nil
    }
}
