// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of extensions as constants of a caseless enum: `user[UserExtensions.nick]`.
enum ExtensionPrinter {
    /// Prints extensions, except those of descriptor.proto's options, which only compilers read.
    static func print(
        _ fields: [FieldDescriptor], named name: String, in scope: TypeScope, _ context: inout ContractContext,
        to printer: inout SwiftPrinter
    ) {
        let fields = fields.filter { !isOption($0) }
        guard !fields.isEmpty else { return }
        let (access, types) = (context.access, context.types)
        var names = NameSet(["all"])
        let shapes = fields.map {
            let property = names.take(SwiftNames.property($0.name), or: Int($0.number))
            context.warn($0.name, is: property, not: SwiftNames.property($0.name), at: $0.namePosition, in: $0.file)
            return FieldShape($0, named: property, slot: 0, types, in: scope, isSecret: context.isSecret)
        }
        printer.gap()
        printer.doc("Extensions of messages.")
        printer.block("\(access)enum \(name) {") {
            for shape in shapes { print(shape, in: scope, context, to: &$0) }
            $0.gap()
            $0.list(
                shapes.map(constant), from: "\(access)static var all: \(types.standard("ExtensionSet", in: scope)) { [",
                to: "] }")
        }
    }

    private static func print(
        _ shape: FieldShape, in scope: TypeScope, _ context: ContractContext, to printer: inout SwiftPrinter
    ) {
        let (access, types, field) = (context.access, context.types, shape.field)
        let schema = SchemaText(extension: shape)
        let pounds = SwiftNames.rawStringDelimiter(for: schema.lines)
        let extended = types.name(field.extendee?.fullName ?? "", in: scope)
        let list = schema.types.map { "\(types.name($0, in: scope)).self" }.joined(separator: ", ")
        let type = "\(types.standard("Extension", in: scope))<\(extended), \(shape.extensionType)>"
        let value = "\(pounds)\"\(schema.lines.first ?? "")\"\(pounds)\(list.isEmpty ? "" : ", types: [\(list)]")"
        let attribute = field.deprecationAttribute
        printer.doc(field.comments.documentation)
        if let attribute {
            printer.line(attribute)
            printer.line("\(access)static var \(shape.property): \(type) { \(constant(shape)) }")
        }
        printer.line("\(attribute == nil ? access : "private ")static let \(constant(shape)) = \(type)(\(value))")
    }

    /// Returns the constant for an extension; a deprecated one has a second name, so that `all` compiles without a
    /// warning.
    private static func constant(_ shape: FieldShape) -> String {
        shape.field.isDeprecated ? FieldDescriptor.undeprecatedName(shape.property) : shape.property
    }

    /// Whether a field extends an option message of descriptor.proto.
    static func isOption(_ field: FieldDescriptor) -> Bool {
        field.extendee?.file.name == "google/protobuf/descriptor.proto"
    }
}

extension FieldShape {
    var extensionType: String {
        switch presence {
        case .repeated: "[\(value.type)]"
        case .tracked: value.type
        default: "\(value.type)?"
        }
    }
}
