// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Finds names of .proto files that cannot be told apart, or not be said, in Swift.
enum NameCheck {
    static func check(_ shape: MessageShape, _ context: inout ContractContext) {
        noteRenamed(shape, &context)
        checkReferences(shape, &context)
    }

    /// Types that are declared outside of other types.
    static func check(_ files: [FileDescriptor], _ context: inout ContractContext) {
        var owners: [String: String] = [:]
        for file in files {
            let prefix = context.options.prefix(package: file.package, says: file.options.message.string(39))
            for message in file.messages { note(message, prefix: prefix, &context) }
            for one in file.enums { note(one, prefix: prefix, &context) }
            var declared: [(name: String, fullName: String, place: Place?)] = []
            declared += file.messages.map { (context.types.ownName($0.fullName), $0.fullName, $0.place) }
            declared += file.enums.map { (context.types.ownName($0.fullName), $0.fullName, $0.place) }
            for service in file.services {
                let base = context.types.serviceName(service)
                declared += ServicePrinter.typeNames(base).map { ($0, service.fullName, service.place) }
            }
            for (name, fullName, place) in declared {
                if let other = owners[name], other != fullName {
                    context.fail(
                        "\(fullName) and \(other) would both be \(name) in Swift", at: place, in: file,
                        hint:
                            "let the names begin with their packages (--prefix-packages), give one of the files "
                            + "`option swift_prefix = \"…\";`, or generate the files into two modules")
                }
                owners[name] = owners[name] ?? fullName
            }
        }
    }

    /// Names that are one in Swift were told apart; who wrote them may want better ones.
    private static func noteRenamed(_ shape: MessageShape, _ context: inout ContractContext) {
        let file = shape.message.file
        for field in shape.fields {
            let name = field.field.name
            var plain = SwiftNames.property(name)
            if case .oneof = field.presence { plain = SwiftNames.oneofCase(name) }
            context.note(name, is: field.property, not: plain, at: field.field.places.name, in: file)
        }
        for oneof in shape.oneofs {
            let plain = SwiftNames.property(oneof.oneof.name)
            context.note(oneof.oneof.name, is: oneof.property, not: plain, at: oneof.oneof.place, in: file)
        }
        for inner in shape.message.messages where !inner.isMapEntry { note(inner, &context) }
        for one in shape.message.enums { note(one, &context) }
    }

    private static func note(_ message: MessageDescriptor, prefix: String = "", _ context: inout ContractContext) {
        let (name, plain) = (context.types.ownName(message.fullName), prefix + SwiftNames.type(message.name))
        context.note(message.name, is: name, not: plain, at: message.place, in: message.file)
    }

    private static func note(_ one: EnumDescriptor, prefix: String = "", _ context: inout ContractContext) {
        let (name, plain) = (context.types.ownName(one.fullName), prefix + SwiftNames.type(one.name))
        context.note(one.name, is: name, not: plain, at: one.place, in: one.file)
    }

    /// Cases that were told apart by their numbers.
    static func check(_ shape: EnumShape, _ one: EnumDescriptor, _ context: inout ContractContext) {
        for own in shape.cases + shape.aliases.map(\.alias) where own.name.utf8.contains(UInt8(ascii: "_")) {
            guard let plain = own.plainName else { continue }
            context.note(own.value.name, is: own.name, not: plain, at: own.value.place, in: one.file)
        }
    }

    /// Methods that were told apart by their order.
    static func check(_ service: ServiceDescriptor, _ context: inout ContractContext) {
        for method in service.methods {
            let plain = SwiftNames.method(method.name)
            context.note(method.name, is: method.swiftName, not: plain, at: method.place, in: service.file)
        }
    }

    /// A type that a field names must be found from inside of the message.
    private static func checkReferences(_ shape: MessageShape, _ context: inout ContractContext) {
        for field in shape.fields {
            for name in [field.value.typeName].compactMap(\.self) {
                if context.types.isHidden(name, in: shape.scope) {
                    context.fail(
                        "\(name) is hidden in \(shape.message.fullName) by a type of the same name",
                        at: field.field.places.type, in: shape.message.file,
                        hint: "say which module the generated files belong to: the type is then named by it")
                }
            }
        }
    }
}
