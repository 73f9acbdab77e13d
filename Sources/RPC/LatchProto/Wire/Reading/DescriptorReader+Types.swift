// SPDX-License-Identifier: Apache-2.0

// Messages, fields, enums and services; names and types are as the other compiler resolved them.

extension DescriptorReader {
    mutating func message(
        _ message: WireMessage, _ path: [Int32], in parent: MessageDescriptor?
    ) throws(MalformedWire) -> MessageDescriptor {
        let descriptor = MessageDescriptor(
            name: message.string(1) ?? "", file: file, parent: parent, place: place(path + [1]))
        descriptor.comments = comments(path)
        descriptor.visibility = message.number(11).flatMap { Visibility(rawValue: UInt8(truncatingIfNeeded: $0)) }
        for (index, part) in try message.messages(2).enumerated() {
            descriptor.fields.append(try field(part, path + [2, Int32(index)], in: descriptor))
        }
        for (index, part) in try message.messages(3).enumerated() {
            descriptor.messages.append(try self.message(part, path + [3, Int32(index)], in: descriptor))
        }
        for (index, part) in try message.messages(4).enumerated() {
            descriptor.enums.append(try enumeration(part, path + [4, Int32(index)], in: descriptor))
        }
        for (index, part) in try message.messages(6).enumerated() {
            descriptor.extensions.append(try field(part, path + [6, Int32(index)], in: descriptor))
        }
        try readOneofs(message, path, into: descriptor)
        try readRanges(message, path, into: descriptor)
        try keepOptions(of: message, 7, at: path + [7])
        descriptor.isMapEntry = pending[path + [7]]?.bool(7) ?? false
        return descriptor
    }

    /// A oneof that was made for a field marked `optional` says so only through that field.
    private mutating func readOneofs(
        _ message: WireMessage, _ path: [Int32], into descriptor: MessageDescriptor
    ) throws(MalformedWire) {
        let synthetic = Set(descriptor.fields.filter(\.isProto3Optional).compactMap(\.oneofIndex))
        for (index, part) in try message.messages(8).enumerated() {
            let inner = path + [8, Int32(index)]
            let oneof = OneofDescriptor(
                name: part.string(1) ?? "", message: descriptor, place: place(inner + [1]),
                isSynthetic: synthetic.contains(index))
            oneof.comments = comments(inner)
            try keepOptions(of: part, 2, at: inner + [2])
            descriptor.oneofs.append(oneof)
        }
        for field in descriptor.fields where field.oneofIndex.map({ !descriptor.oneofs.indices.contains($0) }) == true {
            throw MalformedWire(offset: 0)
        }
    }

    /// Ranges end before their last number on the wire.
    private mutating func readRanges(
        _ message: WireMessage, _ path: [Int32], into descriptor: MessageDescriptor
    ) throws(MalformedWire) {
        for (index, part) in try message.messages(5).enumerated() {
            let inner = path + [5, Int32(index)]
            descriptor.extensionRanges.append(ExtensionRange(range(part, inner, excludesLast: true)))
            try keepOptions(of: part, 3, at: inner + [3])
        }
        for (index, part) in try message.messages(9).enumerated() {
            descriptor.reservedRanges.append(range(part, path + [9, Int32(index)], excludesLast: true))
        }
        for (index, name) in message.strings(10).enumerated() {
            descriptor.reservedNames.append(ReservedName(name: name, place: place(path + [10, Int32(index)])))
        }
    }

    private func range(_ message: WireMessage, _ path: [Int32], excludesLast: Bool) -> NumberRange {
        let last = message.int32(2) ?? 0
        return NumberRange(first: message.int32(1) ?? 0, last: excludesLast ? last &- 1 : last, place: place(path))
    }

    mutating func field(
        _ message: WireMessage, _ path: [Int32], in parent: MessageDescriptor?
    ) throws(MalformedWire) -> FieldDescriptor {
        let field = FieldDescriptor(file: file, parent: parent)
        field.name = message.string(1) ?? ""
        field.extendeeName = message.string(2)
        field.number = message.int32(3) ?? 0
        field.label = message.number(4).flatMap { FieldLabel(rawValue: UInt8(truncatingIfNeeded: $0)) }
        field.type = message.number(5).flatMap { FieldType(rawValue: UInt8(truncatingIfNeeded: $0)) }
        field.typeName = message.string(6)
        // What refers to an enum has no type yet where the linker looks: the name decides.
        if field.type == .enum { field.type = nil }
        field.defaultValue = message.string(7)
        field.oneofIndex = message.int32(9).map(Int.init)
        field.jsonName = message.string(10)
        field.isProto3Optional = message.bool(17)
        field.comments = comments(path)
        field.places = FieldDescriptor.Places(
            name: place(path + [1]), number: place(path + [3]), type: place(path + [6]), extendee: place(path + [2]),
            defaultValue: place(path + [7]), jsonName: place(path + [10]), jsonNameValue: place(path + [10]))
        try keepOptions(of: message, 8, at: path + [8])
        return field
    }

    mutating func enumeration(
        _ message: WireMessage, _ path: [Int32], in parent: MessageDescriptor?
    ) throws(MalformedWire) -> EnumDescriptor {
        let one = EnumDescriptor(name: message.string(1) ?? "", file: file, parent: parent, place: place(path + [1]))
        one.comments = comments(path)
        one.visibility = message.number(6).flatMap { Visibility(rawValue: UInt8(truncatingIfNeeded: $0)) }
        for (index, part) in try message.messages(2).enumerated() {
            let inner = path + [2, Int32(index)]
            let value = EnumValueDescriptor(of: one)
            value.name = part.string(1) ?? ""
            value.number = part.int32(2) ?? 0
            value.comments = comments(inner)
            value.place = place(inner + [1])
            value.numberPlace = place(inner + [2])
            try keepOptions(of: part, 3, at: inner + [3])
            one.values.append(value)
        }
        for (index, part) in try message.messages(4).enumerated() {
            one.reservedRanges.append(range(part, path + [4, Int32(index)], excludesLast: false))
        }
        for (index, name) in message.strings(5).enumerated() {
            one.reservedNames.append(ReservedName(name: name, place: place(path + [5, Int32(index)])))
        }
        try keepOptions(of: message, 3, at: path + [3])
        return one
    }

    mutating func service(_ message: WireMessage, _ path: [Int32]) throws(MalformedWire) -> ServiceDescriptor {
        let service = ServiceDescriptor(name: message.string(1) ?? "", file: file, place: place(path + [1]))
        service.comments = comments(path)
        for (index, part) in try message.messages(2).enumerated() {
            let inner = path + [2, Int32(index)]
            let method = MethodDescriptor(of: service)
            method.name = part.string(1) ?? ""
            method.inputName = part.string(2) ?? ""
            method.outputName = part.string(3) ?? ""
            method.isClientStreaming = part.bool(5)
            method.isServerStreaming = part.bool(6)
            method.comments = comments(inner)
            method.place = place(inner + [1])
            method.inputPlace = place(inner + [2])
            method.outputPlace = place(inner + [3])
            method.hasBlock = try keepOptions(of: part, 4, at: inner + [4])
            service.methods.append(method)
        }
        try keepOptions(of: message, 3, at: path + [3])
        return service
    }
}
