// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of messages, each a struct over its storage.
struct MessagePrinter {
    private let shape: MessageShape
    private let types: TypeTable
    private let access: String
    private let forwarding: String

    private init(_ shape: MessageShape, _ context: ContractContext) {
        self.shape = shape
        types = context.types
        access = context.access
        forwarding = context.forwarding
    }

    /// Prints a message with its nested types.
    static func print(
        _ message: MessageDescriptor, in scope: TypeScope, _ context: inout ContractContext,
        to printer: inout SwiftPrinter
    ) {
        let shape = context.shape(message, in: scope)
        NameCheck.check(shape, &context)
        let this = MessagePrinter(shape, context)
        let name = context.types.ownName(message.fullName)
        printer.doc(message.documentationWithDeprecation)
        let rules = context.rules(of: message)
        let conformance = context.types.standard(rules == nil ? "Message" : "RuledMessage", in: shape.scope)
        printer.block("\(context.access)struct \(name): \(conformance) {") {
            this.printSchema(to: &$0)
            if let rules { this.printRules(rules, to: &$0) }
            this.printStorage(to: &$0)
            this.printMembers(to: &$0)
            this.printInitializer(to: &$0)
            for oneof in shape.oneofs { this.printCases(of: oneof, to: &$0) }
            for one in message.enums {
                $0.gap()
                EnumPrinter.print(one, in: shape.scope, &context, to: &$0)
            }
            for inner in message.messages where !inner.isMapEntry {
                $0.gap()
                MessagePrinter.print(inner, in: shape.scope, &context, to: &$0)
            }
            ExtensionPrinter.print(
                message.extensions, named: this.extensionsName, in: shape.scope, &context, to: &$0)
        }
    }

    private func standard(_ name: String) -> String { types.standard(name, in: shape.scope) }

    /// The name of the enum that contains the extensions, which differs from the names of all nested types.
    private var extensionsName: String {
        let message = shape.message
        let nested = message.messages.map(\.fullName) + message.enums.map(\.fullName)
        let names = Set(nested.map(types.ownName))
        // Except for reserved names, no converted name ends with an underscore.
        return ["Extensions", "MessageExtensions"].first { !names.contains($0) } ?? "Extensions_"
    }

    private func printSchema(to printer: inout SwiftPrinter) {
        let schema = SchemaText(shape.message, shape.fields)
        let name = SwiftNames.literal(shape.message.fullName)
        let head = "\(access)static let schema = \(standard("MessageSchema"))("
        guard !schema.lines.isEmpty else { return printer.line("\(head)\(name), \"\")") }
        // Defaults and reserved names contain quotation marks and backslashes, which a raw string keeps unchanged.
        let pounds =
            schema.lines.contains { $0.utf8.contains(UInt8(ascii: "\\")) || $0.utf8.contains("\"\"\"".utf8) }
            ? SwiftNames.rawStringDelimiter(for: schema.lines) : ""
        printer.block(head, until: nil) {
            $0.line("\(name),")
            $0.line("\(pounds)\"\"\"")
            for line in schema.lines { $0.line(line) }
            guard !schema.types.isEmpty else { return $0.line("\"\"\"\(pounds))") }
            $0.line("\"\"\"\(pounds),")
            let types = schema.types.map { "\(self.types.name($0, in: shape.scope)).self" }
            $0.list(types, from: "types: [", to: "])")
        }
    }

    private func printRules(_ lines: [String], to printer: inout SwiftPrinter) {
        let head = "\(access)static let rules = \(standard("MessageRules"))("
        guard !lines.isEmpty else { return printer.line("\(head))") }
        let pounds = SwiftNames.rawStringDelimiter(for: lines, always: true)
        printer.block(head, until: nil) {
            $0.line("\(pounds)\"\"\"")
            for line in lines { $0.line(line) }
            $0.line("\"\"\"\(pounds))")
        }
    }

    private func printStorage(to printer: inout SwiftPrinter) {
        let storage = standard("MessageStorage")
        printer.gap()
        printer.line("\(access)var storage: \(storage)")
        printer.line("\(access)init(storage: \(storage)) { self.storage = storage }")
        printer.line("\(access)init() { storage = \(storage)(Self.schema) }")
        printer.gap()
    }

    private func printMembers(to printer: inout SwiftPrinter) {
        var seen: Set<Int> = []
        for field in shape.fields {
            if case .oneof(let index) = field.presence {
                if seen.insert(index).inserted { printProperty(of: shape.oneofs[index], to: &printer) }
            } else {
                printProperty(field, to: &printer)
            }
        }
    }

    private func printProperty(_ field: FieldShape, to printer: inout SwiftPrinter) {
        let deprecation = field.field.deprecationAttribute
        func declare(_ text: String) {
            if let deprecation { printer.line(deprecation) }
            printer.line(forwarding + text)
        }
        printer.doc(field.field.comments.documentation)
        let access = field.access
        let change =
            field.presence == .repeated || field.presence == .map
            ? "_modify { yield &\(access) }" : "set { \(access) = newValue }"
        declare("var \(field.property): \(field.type) { get { \(access) } \(change) }")
        if deprecation != nil { printer.line("var \(field.field.reading): \(field.type) { \(access) }") }
        guard field.presence == .tracked else { return }
        declare("var has\(field.capitalized): \(standard("Bool")) { storage.has(\(field.slot)) }")
        declare("mutating func clear\(field.capitalized)() { storage.clear(\(field.slot)) }")
    }
}

// MARK: Oneofs

extension MessagePrinter {
    private func printProperty(of oneof: MessageShape.Oneof, to printer: inout SwiftPrinter) {
        printer.doc(oneof.oneof.comments.documentation)
        printer.block("\(forwarding)var \(oneof.property): \(oneof.type)? {") {
            $0.block("get {") {
                $0.line("switch storage[oneof: \(oneof.index)] {")
                for field in oneof.fields {
                    $0.line("case \(field.field.number): .\(field.property)(\(field.access))")
                }
                $0.line("default: nil")
                $0.line("}")
            }
            $0.block("set {") {
                $0.line("switch newValue {")
                for field in oneof.fields {
                    $0.line("case .\(field.property)(let value): \(field.access) = value")
                }
                $0.line("case nil: storage.clear(oneof: \(oneof.index))")
                $0.line("}")
            }
        }
    }

    private func printCases(of oneof: MessageShape.Oneof, to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc(oneof.oneof.comments.documentation)
        let conformances = "\(standard("Hashable")), \(standard("Sendable"))"
        printer.block("\(access)enum \(oneof.type): \(conformances) {") {
            for field in oneof.fields {
                $0.doc(field.field.documentationWithDeprecation)
                $0.line("case \(field.property)(\(field.type))")
            }
        }
    }
}

// MARK: Memberwise initializer

extension MessagePrinter {
    /// The maximum number of fields for a memberwise initializer.
    ///
    /// The compiler mangles the name of each default argument with all labels, so its time grows with the square of
    /// their number.
    private static let parameterLimit = 100

    private func printInitializer(to printer: inout SwiftPrinter) {
        guard !shape.fields.isEmpty, shape.fields.count <= Self.parameterLimit else { return }
        var parameters: [String] = []
        var assignments: [String] = []
        var seen: Set<Int> = []
        for field in shape.fields {
            if case .oneof(let index) = field.presence {
                guard seen.insert(index).inserted else { continue }
                let oneof = shape.oneofs[index]
                parameters.append("\(SwiftNames.label(oneof.property)): \(oneof.type)? = nil")
                assignments.append("self.\(oneof.property) = \(oneof.property)")
            } else {
                let (type, zero) = field.parameter
                parameters.append("\(SwiftNames.label(field.property)): \(type) = \(zero)")
                assignments.append(field.assignment)
            }
        }
        printer.gap()
        printer.list(parameters, from: "\(forwarding)init(", to: ") {")
        printer.lines("    storage = \(standard("MessageStorage"))(Self.schema)")
        for assignment in assignments { printer.lines("    \(assignment)") }
        printer.line("}")
        printTextInitializers(to: &printer)
    }

    /// Prints initializers for optional fields named `text` and `json`.
    ///
    /// Otherwise overload resolution would choose the initializers that all messages have for the text format and JSON.
    private func printTextInitializers(to printer: inout SwiftPrinter) {
        for field in shape.fields
        where ["text", "json"].contains(field.property) && field.value.label == "string"
            && field.parameter.zero == "nil"
        {
            if case .oneof = field.presence { continue }
            let (name, storage) = (field.property, standard("MessageStorage"))
            printer.block("\(forwarding)init(\(name): \(field.value.type)) {") {
                $0.line("storage = \(storage)(Self.schema)")
                $0.line("storage[string: \(field.slot)] = \(name)")
            }
        }
    }
}
