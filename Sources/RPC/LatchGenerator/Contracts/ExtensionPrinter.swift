// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes extensions as constants of an enum without cases: `user[UserExtensions.nick]`.
enum ExtensionPrinter {
    /// Writes extensions; nothing where there are none, or where all of them extend the language's own options, which
    /// only a compiler reads.
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
            context.note($0.name, is: property, not: SwiftNames.property($0.name), at: $0.places.name, in: $0.file)
            return FieldShape($0, named: property, slot: 0, types, in: scope, isSecret: context.isSecret)
        }
        printer.gap()
        printer.doc("Fields of other messages.")
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
        let mark = SwiftNames.rawMark(for: schema.lines)
        let extended = types.name(field.extendee?.fullName ?? "", in: scope)
        let list = schema.types.map { "\(types.name($0, in: scope)).self" }.joined(separator: ", ")
        let type = "\(types.standard("Extension", in: scope))<\(extended), \(shape.extensionType)>"
        let value = "\(mark)\"\(schema.lines.first ?? "")\"\(mark)\(list.isEmpty ? "" : ", types: [\(list)]")"
        let attribute = Deprecation.attribute(field.options.message.bool(3), field.comments)
        printer.doc(field.comments.documentation)
        if let attribute {
            printer.line(attribute)
            printer.line("\(access)static var \(shape.property): \(type) { \(constant(shape)) }")
        }
        printer.line("\(attribute == nil ? access : "private ")static let \(constant(shape)) = \(type)(\(value))")
    }

    /// The constant of an extension; that of a deprecated one has a second name, since `all` would be warned of its own.
    private static func constant(_ shape: FieldShape) -> String {
        shape.field.isDeprecated ? FieldDescriptor.quiet(shape.property) : shape.property
    }

    /// Whether a field extends the language's own options.
    static func isOption(_ field: FieldDescriptor) -> Bool {
        field.extendee?.file.name == "google/protobuf/descriptor.proto"
    }
}

extension FieldShape {
    /// The type of the values of an extension.
    var extensionType: String {
        switch presence {
        case .repeated: "[\(value.type)]"
        case .tracked: value.type
        default: "\(value.type)?"
        }
    }
}
