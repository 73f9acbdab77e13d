// SPDX-License-Identifier: Apache-2.0

// Features go down from the file to what stands in it (Protocol Buffers, "Feature settings for editions").

extension Linker {
    func resolveFeatures() {
        file.features = merge(Features(defaultsOf: file.edition), file.options, 50, at: file.syntaxPlace)
        for message in file.messages { resolve(message, file.features) }
        for one in file.enums { resolve(one, file.features) }
        for field in file.extensions { resolve(field, file.features) }
        for service in file.services {
            service.features = merge(file.features, service.options, 34, at: service.place)
            for method in service.methods {
                method.features = merge(service.features, method.options, 35, at: method.place)
            }
        }
    }

    private func merge(_ features: Features, _ options: Options, _ number: Int32, at place: Place?) -> Features {
        let own = options.message.message(number)
        if own != nil, file.syntax != .editions { fail("there are features in editions only", at: place) }
        // The first value of each of these enums stands for what is not known.
        if let own, (1...9).contains(where: { own.integer($0) == 0 }) {
            fail("a feature is set to a value that says nothing", at: place)
        }
        return features.merging(own)
    }

    private func resolve(_ message: MessageDescriptor, _ parent: Features) {
        message.features = merge(parent, message.options, 12, at: message.place)
        for oneof in message.oneofs { oneof.features = merge(message.features, oneof.options, 1, at: oneof.place) }
        for field in message.fields {
            resolve(field, field.oneofIndex.map { message.oneofs[$0].features } ?? message.features)
        }
        for field in message.extensions { resolve(field, message.features) }
        for range in message.extensionRanges { _ = merge(message.features, range.options, 50, at: range.numbers.place) }
        for one in message.enums { resolve(one, message.features) }
        for inner in message.messages { resolve(inner, message.features) }
    }

    private func resolve(_ one: EnumDescriptor, _ parent: Features) {
        one.features = merge(parent, one.options, 7, at: one.place)
        for value in one.values { value.features = merge(one.features, value.options, 2, at: value.place) }
    }

    private func resolve(_ field: FieldDescriptor, _ parent: Features) {
        var features = merge(parent, field.options, 21, at: field.places.name)
        if file.syntax != .editions {
            // The older languages say the same in other words.
            if field.label == .required { features.fieldPresence = .legacyRequired }
            if field.type == .group { features.messageEncoding = .delimited }
            if let isPacked = field.options.message.bool(2), isPacked || file.syntax == .proto3 {
                features.repeatedFieldEncoding = isPacked ? .packed : .expanded
            }
            if field.isProto3Optional { features.fieldPresence = .explicit }
        }
        field.features = features
    }
}

extension FieldDescriptor {
    /// Whether it must be there.
    public var isRequired: Bool { features.fieldPresence == .legacyRequired && label != .repeated }

    /// Whether it is a map.
    public var isMap: Bool { type == .message && message?.isMapEntry == true }

    /// Whether its message is written between two tags.
    public var isDelimited: Bool {
        guard type == .group || type == .message, !isMap, parent?.isMapEntry != true else { return type == .group }
        return features.messageEncoding == .delimited
    }

    /// Whether it knows that it was set: a singular field that is a message, is in a oneof, or has the feature.
    public var hasPresence: Bool {
        guard label != .repeated else { return false }
        return type?.isMessage == true || oneofIndex != nil || isExtension || features.fieldPresence != .implicit
    }

    /// Whether its values can be written as one block.
    public var isPackable: Bool {
        guard label == .repeated else { return false }
        switch type {
        case .string, .bytes, .message, .group, nil: return false
        default: return true
        }
    }

    /// Whether its values are written as one block.
    public var isPacked: Bool { isPackable && features.repeatedFieldEncoding == .packed }
}
