// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of services: the methods; the protocol, stub and fake for clients; and the protocol for servers.
struct ServicePrinter {
    private let service: ServiceDescriptor
    private let base: String
    private let methods: [MethodShape]
    private let types: TypeTable
    private let access: String
    /// The checks of requests, by the methods' full names.
    private let checks: [String: [RuleCheck]]

    /// Returns the names of all types that a service generates.
    static func typeNames(_ base: String) -> [String] {
        ["Methods", "Protocol", "Stub", "Fake", "Server"].map { base + $0 }
    }

    static func print(
        _ service: ServiceDescriptor, _ context: inout ContractContext, to printer: inout SwiftPrinter
    ) {
        NameCheck.check(service, &context)
        let this = ServicePrinter(
            service: service, base: context.types.serviceName(service),
            methods: service.methods.map { MethodShape($0, context.types) }, types: context.types,
            access: context.access, checks: context.checks)
        this.printMethods(to: &printer)
        this.printProtocol(to: &printer)
        this.printStub(to: &printer)
        this.printFake(to: &printer)
        this.printServer(to: &printer)
    }

    private func standard(_ name: String) -> String { types.standard(name) }

    private func printMethods(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("The methods of \(service.fullName).")
        printer.block("\(access)enum \(base)Methods {") {
            for method in methods {
                var arguments = [SwiftNames.literal(service.fullName), SwiftNames.literal(method.method.name)]
                if method.kind != "unary" { arguments.append("kind: .\(method.kind)") }
                switch method.method.idempotencyLevel {
                case .noSideEffects: arguments.append("idempotency: .noSideEffects")
                case .idempotent: arguments.append("idempotency: .idempotent")
                case .unknown: break
                }
                $0.doc(method.documentation)
                let type = "\(standard("RPCMethod"))<\(method.request), \(method.response)>"
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
                // The attribute is missing, because generated clients call the method and would compile with a warning.
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
                if let attribute = method.method.deprecationAttribute { $0.line(attribute) }
                $0.block(
                    "\(access)func \(method.name)(_ \(name): \(type)) async throws\(method.arrow) {"
                ) {
                    // A method may have the same name as the parameter.
                    let owner = method.name == name ? "self." : ""
                    $0.line("try await \(owner)\(method.name)(\(name), options: \(options)())")
                }
            }
        }
    }

    private func printStub(to printer: inout SwiftPrinter) {
        let channel = standard("RPCChannel")
        printer.gap()
        printer.doc("A client of \(service.fullName) that calls it through a channel.")
        printer.block("\(access)struct \(base)Stub: \(base)Protocol {") {
            $0.line("private let channel: \(channel)")
            $0.gap()
            $0.line("\(access)init(_ channel: \(channel)) { self.channel = channel }")
            for method in methods {
                $0.gap()
                if let attribute = method.method.deprecationAttribute { $0.line(attribute) }
                $0.block("\(access)\(method.head("options", standard("CallOptions"))) {") {
                    let name = "\(base)Methods.\(method.name), \(method.parameter.name), options"
                    let call = "try await channel.\(method.call)(\(name))"
                    $0.line(
                        method.hasEmptyResponse
                            ? "_ = \(call)" : method.method.isServerStreaming ? call : "\(call).message")
                }
            }
        }
    }

    private func printServer(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("An implementation of \(service.fullName): `RPCService(server.rpcMethods)` is its handler.")
        printer.block("\(access)protocol \(base)Server: \(standard("Sendable")) {") {
            for method in methods {
                $0.doc(method.documentation)
                $0.line(method.head("context", standard("CallContext")))
            }
        }
        printer.gap()
        printer.block("extension \(base)Server {") {
            $0.doc("The handlers of all methods.")
            $0.block("\(access)var rpcMethods: [\(standard("RPCMethodHandler"))] {") {
                $0.block("[", until: "]") {
                    for method in methods {
                        let call = "try await \(method.name)($0, context: $1)"
                        let head = ".\(method.call)(\(base)Methods.\(method.name)) { "
                        let body = "\(head)\(method.hasEmptyResponse ? "\(call); return \(method.response)()" : call) }"
                        let checks = checks[method.method.fullName] ?? []
                        $0.block(checks.isEmpty ? body + "," : body, until: nil) {
                            for (index, check) in checks.enumerated() {
                                let rule = "\(SwiftNames.literal(check.path)), \(check.requirementLiteral)"
                                let head = ".requiring(\(rule)) { (request: \(method.request)) in"
                                let end = index + 1 < checks.count ? "}" : "},"
                                let line = "\(head) \(check.condition) \(end)"
                                if $0.fits(line) {
                                    $0.line(line)
                                } else {
                                    $0.block(head, until: end) { $0.line(check.condition) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

// MARK: Fake

extension ServicePrinter {
    private func printFake(to printer: inout SwiftPrinter) {
        let names = FakeNames.all(of: service)
        printer.gap()
        printer.doc(
            """
            A fake of \(service.fullName) for tests without a server: `fake.\(names.first?.hook ?? "onCall") = { _ in … }`.

            A method without a handler fails with `unimplemented`.
            """)
        printer.block("\(access)final class \(base)Fake: \(base)Protocol {") {
            for (method, names) in zip(methods, names) {
                let type =
                    "\(standard("RPCFakeMethod"))<\(method.parameter.type), \(method.result ?? standard("Void"))>"
                let name = SwiftNames.literal(method.method.fullName)
                $0.line("private let \(names.calls) = \(type)(\(name))")
            }
            $0.gap()
            $0.line("\(access)init() {}")
            for (method, names) in zip(methods, names) { printFake(method, names, to: &$0) }
        }
    }

    private func printFake(_ method: MethodShape, _ names: FakeNames, to printer: inout SwiftPrinter) {
        let (parameter, type) = method.parameter
        let name = SwiftNames.bare(method.name)
        let result = method.result ?? standard("Void")
        printer.gap()
        printer.doc("The handler of `\(name)`; without one it fails with `unimplemented`.")
        printer.block("\(access)var \(names.hook): (@Sendable (\(type)) async throws -> \(result))? {") {
            $0.line("get { \(names.calls).handler }")
            $0.line("set { \(names.calls).handler = newValue }")
        }
        printer.doc("The requests that `\(name)` has received.")
        printer.line("\(access)var \(names.requests): [\(type)] { \(names.calls).requests }")
        if let attribute = method.method.deprecationAttribute { printer.line(attribute) }
        printer.block("\(access)\(method.head("options", standard("CallOptions"))) {") {
            $0.line("try await \(names.calls).call(\(parameter))")
        }
    }
}

/// The names of a fake's members for one method: `onGetUser` and `getUserRequests` for `getUser`.
struct FakeNames {
    /// The property for the handler.
    let hook: String
    /// The property for the received requests.
    let requests: String
    /// The private property for both.
    let calls: String

    /// Returns the names for all methods of a service, in order.
    static func all(of service: ServiceDescriptor) -> [FakeNames] {
        var taken = NameSet()
        return service.methods.enumerated().map { index, method in
            let name = SwiftNames.bare(method.swiftName)
            // A service may also have methods named `OnGetUser` and `GetUserRequests`.
            return FakeNames(
                hook: taken.take("on\(SwiftNames.capitalized(name))", or: index + 1),
                requests: taken.take("\(name)Requests", or: index + 1), calls: "calls_\(name)")
        }
    }
}
