// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A check for .proto names that collide in Swift or cannot be referred to.
enum NameCheck {
    /// Checks the members and nested types of a message.
    static func check(_ shape: MessageShape, _ context: inout ContractContext) {
        warnOfRenamed(shape, &context)
        checkReferences(shape, &context)
    }

    /// Checks the top-level types of some files.
    static func check(_ files: [FileDescriptor], _ context: inout ContractContext) {
        var owners: [String: String] = [:]
        for file in files {
            let prefix = context.options.prefix(of: file)
            if let own = file.swiftPrefix, !own.isEmpty, !SwiftNames.isPlainIdentifier(own) {
                context.fail(
                    "the swift_prefix of '\(file.name)' is not the beginning of a name", at: nil, in: file,
                    hint: "Write letters, digits and '_', and begin with a letter.")
            }
            for message in file.messages { warn(message, prefix: prefix, &context) }
            for one in file.enums { warn(one, prefix: prefix, &context) }
            var declared: [(name: String, fullName: String, place: SourcePosition?)] = []
            declared += file.messages.map { (context.types.ownName($0.fullName), $0.fullName, $0.namePosition) }
            declared += file.enums.map { (context.types.ownName($0.fullName), $0.fullName, $0.namePosition) }
            for service in file.services {
                let base = context.types.serviceName(service)
                declared += ServicePrinter.typeNames(base).map { ($0, service.fullName, service.namePosition) }
            }
            for (name, fullName, place) in declared {
                if let other = owners[name], other != fullName {
                    context.fail(
                        "\(fullName) and \(other) would both be \(name) in Swift", at: place, in: file,
                        hint:
                            "prefix names with their packages (--prefix-packages), set "
                            + "`option swift_prefix = \"…\";` in one of the files, or generate them into two modules")
                }
                owners[name] = owners[name] ?? fullName
            }
        }
    }

    /// Warns about names that received a suffix because another name is the same in Swift.
    private static func warnOfRenamed(_ shape: MessageShape, _ context: inout ContractContext) {
        let file = shape.message.file
        for field in shape.fields {
            let name = field.field.name
            var plain = SwiftNames.property(name)
            if case .oneof = field.presence { plain = SwiftNames.oneofCase(name) }
            context.warn(name, is: field.property, not: plain, at: field.field.namePosition, in: file)
        }
        for oneof in shape.oneofs {
            let plain = SwiftNames.property(oneof.oneof.name)
            context.warn(oneof.oneof.name, is: oneof.property, not: plain, at: oneof.oneof.namePosition, in: file)
        }
        for inner in shape.message.messages where !inner.isMapEntry { warn(inner, &context) }
        for one in shape.message.enums { warn(one, &context) }
    }

    private static func warn(_ message: MessageDescriptor, prefix: String = "", _ context: inout ContractContext) {
        let (name, plain) = (context.types.ownName(message.fullName), prefix + SwiftNames.type(message.name))
        context.warn(message.name, is: name, not: plain, at: message.namePosition, in: message.file)
    }

    private static func warn(_ one: EnumDescriptor, prefix: String = "", _ context: inout ContractContext) {
        let (name, plain) = (context.types.ownName(one.fullName), prefix + SwiftNames.type(one.name))
        context.warn(one.name, is: name, not: plain, at: one.namePosition, in: one.file)
    }

    /// Checks the cases of an enum.
    static func check(_ shape: EnumShape, _ one: EnumDescriptor, _ context: inout ContractContext) {
        for own in shape.cases + shape.aliases.map(\.alias) where own.name.utf8.contains(UInt8(ascii: "_")) {
            guard let plain = own.plainName else { continue }
            context.warn(own.value.name, is: own.name, not: plain, at: own.value.namePosition, in: one.file)
        }
    }

    /// Checks the methods of a service.
    static func check(_ service: ServiceDescriptor, _ context: inout ContractContext) {
        for method in service.methods {
            let plain = SwiftNames.method(method.name)
            context.warn(method.name, is: method.swiftName, not: plain, at: method.namePosition, in: service.file)
        }
    }

    /// Reports types of fields that a nested type shadows.
    private static func checkReferences(_ shape: MessageShape, _ context: inout ContractContext) {
        for field in shape.fields {
            for name in [field.value.typeName].compactMap(\.self) {
                if context.types.isHidden(name, in: shape.scope) {
                    context.fail(
                        "\(name) is shadowed in \(shape.message.fullName) by a type of the same name",
                        at: field.field.positions.type, in: shape.message.file,
                        hint: "set the module of the generated files (--package-name): it then qualifies the type")
                }
            }
        }
    }
}
