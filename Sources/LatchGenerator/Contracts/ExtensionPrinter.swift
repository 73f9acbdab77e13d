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
        let shapes = fields.map { FieldShape($0, slot: 0, types, in: scope, isSecret: context.isSecret) }
        NameCheck.check(extensions: shapes, &context)
        printer.gap()
        printer.doc("Fields of other messages.")
        printer.block("\(access)enum \(name) {") {
            for shape in shapes {
                let schema = SchemaText(extension: shape)
                let line = schema.lines.first ?? ""
                let mark = line.contains("\\") || line.contains("\"") ? "#" : ""
                let extended = types.name(shape.field.extendee?.fullName ?? "", in: scope)
                $0.doc(shape.field.comments.documentation)
                if let attribute = Deprecation.attribute(shape.field.options.message.bool(3), shape.field.comments) {
                    $0.line(attribute)
                }
                let list = schema.types.map { "\(types.name($0, in: scope)).self" }.joined(separator: ", ")
                let generic = "\(types.standard("Extension", in: scope))<\(extended), \(shape.extensionType)>"
                $0.line(
                    "\(access)static let \(shape.property) = \(generic)("
                        + "\(mark)\"\(line)\"\(mark)\(list.isEmpty ? "" : ", types: [\(list)]"))")
            }
            $0.gap()
            $0.list(
                shapes.map { "\($0.property)" },
                from: "\(access)static var all: \(types.standard("ExtensionSet", in: scope)) { [", to: "] }")
        }
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
