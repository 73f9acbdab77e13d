// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes what both sides of a service share: its methods, a protocol for who calls, a stub that does, a fake that only
/// seems to, and a protocol for who answers.
struct ServicePrinter {
    private let service: ServiceDescriptor
    private let base: String
    private let methods: [MethodShape]
    private let types: TypeTable
    private let access: String

    /// The names of all types that are written for a service.
    static func typeNames(_ base: String) -> [String] {
        ["Methods", "Protocol", "Stub", "Fake", "Server"].map { base + $0 }
    }

    /// Writes a service.
    static func print(
        _ service: ServiceDescriptor, _ context: inout ContractContext, to printer: inout SwiftPrinter
    ) {
        NameCheck.check(service, &context)
        let this = ServicePrinter(
            service: service, base: context.types.serviceName(service),
            methods: service.methods.map { MethodShape($0, context.types) }, types: context.types,
            access: context.access)
        this.printMethods(to: &printer)
        this.printProtocol(to: &printer)
        this.printStub(to: &printer)
        this.printFake(to: &printer)
        this.printServer(to: &printer)
    }

    private func standard(_ name: String) -> String { types.standard(name) }

    private func deprecation(_ method: MethodShape) -> String? {
        Deprecation.attribute(method.method.options.message.bool(33), method.method.comments)
    }

    private func printMethods(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("The methods of \(service.fullName).")
        printer.block("\(access)enum \(base)Methods {") {
            for method in methods {
                var arguments = [SwiftNames.literal(service.fullName), SwiftNames.literal(method.method.name)]
                if method.kind != "unary" { arguments.append("kind: .\(method.kind)") }
                // MethodOptions.idempotency_level: NO_SIDE_EFFECTS and IDEMPOTENT.
                switch method.method.options.message.integer(34) {
                case 1: arguments.append("idempotency: .noSideEffects")
                case 2: arguments.append("idempotency: .idempotent")
                default: break
                }
                $0.doc(method.documentation)
                let type = "\(standard("RPCMethod"))<\(method.request), \(method.answer)>"
                $0.list(arguments, from: "\(access)static let \(method.name) = \(type)(", to: ")")
            }
        }
    }

    private func printProtocol(to printer: inout SwiftPrinter) {
        let options = standard("CallOptions")
        printer.gap()
        printer.doc(service.comments.documentation ?? "The service \(service.fullName).")
        printer.block("\(access)protocol \(base)Protocol: \(standard("Sendable")) {") {
            for method in methods {
                // Without the attribute: clients call it, and would be warned of what somebody else wrote.
                $0.doc(method.documentation)
                $0.line(method.head("options", options))
            }
        }
        guard !methods.isEmpty else { return }
        printer.gap()
        printer.block("extension \(base)Protocol {") {
            for method in methods {
                let (name, type) = method.parameter
                $0.doc(method.documentation)
                if let attribute = deprecation(method) { $0.line(attribute) }
                $0.block(
                    "\(access)func \(method.name)(_ \(name): \(type)) async throws\(method.arrow) {"
                ) {
                    // The parameter has the name of some methods.
                    let owner = method.name == name ? "self." : ""
                    $0.line("try await \(owner)\(method.name)(\(name), options: \(options)())")
                }
            }
        }
    }

    private func printStub(to printer: inout SwiftPrinter) {
        let channel = standard("RPCChannel")
        printer.gap()
        printer.doc("Calls \(service.fullName) through a channel.")
        printer.block("\(access)struct \(base)Stub: \(base)Protocol {") {
            $0.line("private let channel: \(channel)")
            $0.gap()
            $0.line("\(access)init(_ channel: \(channel)) { self.channel = channel }")
            for method in methods {
                $0.gap()
                if let attribute = deprecation(method) { $0.line(attribute) }
                $0.block("\(access)\(method.head("options", standard("CallOptions"))) {") {
                    let name = "\(base)Methods.\(method.name), \(method.parameter.name), options"
                    let call = "try await channel.\(method.call)(\(name))"
                    $0.line(
                        method.answersNothing
                            ? "_ = \(call)" : method.method.isServerStreaming ? call : "\(call).message")
                }
            }
        }
    }

    private func printServer(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("Answers \(service.fullName): `RPCService(server.rpcMethods)` is its handler.")
        printer.block("\(access)protocol \(base)Server: \(standard("Sendable")) {") {
            for method in methods {
                $0.doc(method.documentation)
                $0.line(method.head("context", standard("CallContext")))
            }
        }
        printer.gap()
        printer.block("extension \(base)Server {") {
            $0.doc("The methods, each with the function that answers it.")
            $0.block("\(access)var rpcMethods: [\(standard("RPCMethodHandler"))] {") {
                $0.block("[", until: "]") {
                    for method in methods {
                        let call = "try await \(method.name)($0, context: $1)"
                        let head = ".\(method.call)(\(base)Methods.\(method.name)) { "
                        $0.line("\(head)\(method.answersNothing ? "\(call); return \(method.answer)()" : call) },")
                    }
                }
            }
        }
    }
}

// The fake.
extension ServicePrinter {
    private func printFake(to printer: inout SwiftPrinter) {
        let names = FakeNames(service)
        let example = methods.first.map { names[$0.method].hook } ?? "onCall"
        printer.gap()
        printer.doc(
            """
            Answers as a test says, without a server: `fake.\(example) = { _ in … }`.

            A method without an answer fails as one that the server does not have.
            """)
        printer.block("\(access)final class \(base)Fake: \(base)Protocol {") {
            for method in methods {
                let type =
                    "\(standard("RPCFakeMethod"))<\(method.parameter.type), \(method.result ?? standard("Void"))>"
                let name = SwiftNames.literal(method.method.fullName)
                $0.line("private let \(names[method.method].calls) = \(type)(\(name))")
            }
            $0.gap()
            $0.line("\(access)init() {}")
            for method in methods { printFake(method, names[method.method], to: &$0) }
        }
    }

    private func printFake(_ method: MethodShape, _ names: FakeNames.Names, to printer: inout SwiftPrinter) {
        let (parameter, type) = method.parameter
        let name = SwiftNames.bare(method.name)
        let result = method.result ?? standard("Void")
        printer.gap()
        printer.doc("What `\(name)` answers; nil for an error.")
        printer.block("\(access)var \(names.hook): (@Sendable (\(type)) async throws -> \(result))? {") {
            $0.line("get { \(names.calls).answer }")
            $0.line("set { \(names.calls).answer = newValue }")
        }
        printer.doc("What `\(name)` was called with.")
        printer.line("\(access)var \(names.requests): [\(type)] { \(names.calls).requests }")
        if let attribute = deprecation(method) { printer.line(attribute) }
        printer.block("\(access)\(method.head("options", standard("CallOptions"))) {") {
            $0.line("try await \(names.calls).call(\(parameter))")
        }
    }
}
