// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

struct EnumPrinter {
    /// Prints an enum with its numbers.
    static func print(
        _ one: EnumDescriptor, in scope: TypeScope, _ context: inout ContractContext, to printer: inout SwiftPrinter
    ) {
        let shape = EnumShape(one)
        NameCheck.check(shape, one, &context)
        let (access, types) = (context.access, context.types)
        let number = types.standard("Int32", in: scope)
        printer.doc(one.documentationWithDeprecation)
        let name = types.ownName(one.fullName)
        printer.block("\(access)enum \(name): \(types.standard("ProtoEnum", in: scope)) {") {
            for one in shape.cases {
                $0.doc(one.value.documentationWithDeprecation)
                $0.line("case \(one.name)")
            }
            if shape.isOpen {
                $0.doc("A number without a name in the .proto file.")
                $0.line("case unrecognized(\(number))")
            }
            for (alias, first) in shape.aliases {
                $0.gap()
                $0.doc(alias.value.documentationWithDeprecation)
                $0.line("\(access)static var \(alias.name): Self { .\(first.name) }")
            }
            $0.gap()
            let lines = one.values.map { "\($0.number) \($0.name)" }
            $0.block("\(access)static let schema = \(types.standard("EnumSchema", in: scope))(", until: nil) {
                $0.line("\(SwiftNames.literal(one.fullName)),")
                $0.line("\"\"\"")
                for line in lines { $0.line(line) }
                $0.line("\"\"\")")
            }
            $0.gap()
            printNumbers(shape, number, access, to: &$0)
        }
    }

    private static func printNumbers(
        _ shape: EnumShape, _ number: String, _ access: String, to printer: inout SwiftPrinter
    ) {
        printer.block("\(access)init?(rawValue: \(number)) {") {
            $0.line("switch rawValue {")
            for one in shape.cases { $0.line("case \(one.value.number): self = .\(one.name)") }
            $0.line(shape.isOpen ? "default: self = .unrecognized(rawValue)" : "default: return nil")
            $0.line("}")
        }
        printer.gap()
        printer.block("\(access)var rawValue: \(number) {") {
            $0.line("switch self {")
            for one in shape.cases { $0.line("case .\(one.name): \(one.value.number)") }
            if shape.isOpen { $0.line("case .unrecognized(let number): number") }
            $0.line("}")
        }
        printer.gap()
        printer.list(shape.cases.map { ".\($0.name)" }, from: "\(access)static var allCases: [Self] { [", to: "] }")
    }
}
