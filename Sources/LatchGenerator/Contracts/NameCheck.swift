// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Finds names of a .proto file that are different there and the same in Swift.
enum NameCheck {
    static func check(_ shape: MessageShape, _ context: inout ContractContext) {
        let message = shape.message
        var members = Names(of: "members of \(message.fullName)")
        for field in shape.fields {
            let place = field.field.places.name
            if case .oneof = field.presence { continue }
            members.add(field.property, field.field.name, at: place)
            if field.presence == .tracked {
                members.add("has\(field.capitalized)", field.field.name, at: place)
                members.add("clear\(field.capitalized)", field.field.name, at: place)
            }
        }
        var nested = Names(of: "types in \(message.fullName)")
        for inner in message.messages where !inner.isMapEntry {
            nested.add(context.types.ownName(inner.fullName), inner.name, at: inner.place)
        }
        for one in message.enums { nested.add(context.types.ownName(one.fullName), one.name, at: one.place) }
        for oneof in shape.oneofs {
            members.add(oneof.property, oneof.oneof.name, at: oneof.oneof.place)
            nested.add(oneof.type, oneof.oneof.name, at: oneof.oneof.place)
            var cases = Names(of: "fields of the oneof \(oneof.oneof.name)")
            for field in oneof.fields { cases.add(field.property, field.field.name, at: field.field.places.name) }
            cases.report(message.file, &context)
        }
        members.report(message.file, &context)
        nested.report(message.file, &context)
        checkReferences(shape, &context)
    }

    static func check(_ shape: EnumShape, _ one: EnumDescriptor, _ context: inout ContractContext) {
        var names = Names(of: "values of \(one.fullName)")
        for own in shape.cases { names.add(own.name, own.value.name, at: own.value.place) }
        for (alias, _) in shape.aliases { names.add(alias.name, alias.value.name, at: alias.value.place) }
        names.report(one.file, &context)
    }

    static func check(extensions shapes: [FieldShape], _ context: inout ContractContext) {
        guard let file = shapes.first?.field.file else { return }
        var names = Names(of: "extensions")
        names.add("all", "all", at: nil)
        for shape in shapes { names.add(shape.property, shape.field.name, at: shape.field.places.name) }
        names.report(file, &context)
    }

    static func check(_ service: ServiceDescriptor, _ context: inout ContractContext) {
        var names = Names(of: "methods of \(service.fullName)")
        for method in service.methods { names.add(SwiftNames.method(method.name), method.name, at: method.place) }
        names.report(service.file, &context)
    }

    /// Types that are declared outside of other types.
    static func check(_ files: [FileDescriptor], _ context: inout ContractContext) {
        var owners: [String: String] = [:]
        for file in files {
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
                            "give one of the files `option swift_prefix = \"…\";`, let the names begin with their packages, "
                            + "or generate the files into two modules")
                }
                owners[name] = owners[name] ?? fullName
            }
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

    /// Swift names with what they were made of.
    private struct Names {
        private let what: String
        private var owners: [String: String] = [:]
        private var collisions: [(message: String, place: Place?)] = []

        init(of what: String) { self.what = what }

        mutating func add(_ name: String, _ original: String, at place: Place?) {
            guard let other = owners[name] else { return owners[name] = original }
            let text = "the \(what) \(other) and \(original) would both be \(SwiftNames.bare(name)) in Swift"
            collisions.append((text, place))
        }

        func report(_ file: FileDescriptor, _ context: inout ContractContext) {
            for (message, place) in collisions {
                context.fail(message, at: place, in: file, hint: "rename one of them; the wire knows numbers only")
            }
        }
    }
}
