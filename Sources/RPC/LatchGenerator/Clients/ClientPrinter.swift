// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of a service's client: an actor, and the protocol of functions that the program implements.
struct ClientPrinter {
    private let context: ClientContext
    private var plan: ServicePlan { context.plan }
    private var access: String { context.access }

    init(_ context: ClientContext) { self.context = context }

    var file: GeneratedFile {
        var printer = context.printer(shown: ["AxiomArchitecture", "LatchRPC"], used: ["AxiomCore"])
        context.printOptionalImports(to: &printer)
        printActor(to: &printer)
        printReducer(to: &printer)
        return context.file(plan.clientName, printer)
    }

    private func printActor(to printer: inout SwiftPrinter) {
        let reducer = plan.reducerName.map { ", reducer: My\($0)()" } ?? ""
        printer.gap()
        let documentation = plan.service.comments.documentation ?? "The client of \(plan.service.fullName)."
        printer.doc(
            """
            \(documentation)

            ```swift
            let client = \(plan.clientName)(service: \(context.service)Stub(channel)\(reducer))
            for await state in client.stateStream { show(state) }
            ```
            """)
        printer.block("\(access)actor \(plan.clientName): \(context.standard("AxiomClient")) {") {
            $0.doc("The state of the client.")
            $0.line("\(access)typealias StateType = \(plan.stateName)")
            $0.doc("The actions of the client.")
            $0.line("\(access)typealias ActionType = \(plan.actionName)")
            $0.gap()
            $0.doc("The core that runs the actions of the client.")
            $0.line("\(access)nonisolated let core: \(context.standard("ClientCore"))<\(plan.stateName)>")
            $0.line("private let service: any \(context.service)Protocol")
            if let reducer = plan.reducerName { $0.line("private let reducer: any \(reducer)") }
            printInit(to: &$0)
            printPerform(to: &$0)
            for method in plan.methods { printMethod(method, to: &$0) }
        }
    }

    private func printInit(to printer: inout SwiftPrinter) {
        printer.gap()
        // The additional space is needed because comments lose their first one.
        let reducer = "   - reducer: The state updates of the methods that are marked CUSTOM."
        printer.doc(
            """
            Creates a client.

            - Parameters:
               - service: The service: a stub over a channel, or a fake.
            \(plan.reducerName == nil ? "" : "\(reducer)\n")   - initialState: The state before the first action.
               - settings: The clock, the network, and the cache of responses.
            """)
        printer.block("\(access)init(", until: ") {") {
            $0.line("service: any \(context.service)Protocol,")
            if let reducer = plan.reducerName { $0.line("reducer: any \(reducer),") }
            $0.line("initialState: \(plan.stateName) = \(plan.stateName)(),")
            $0.line("settings: \(context.standard("ClientSettings")) = \(context.standard("ClientSettings"))()")
        }
        printer.line("    self.service = service")
        if plan.reducerName != nil { printer.line("    self.reducer = reducer") }
        printer.line("    core = \(context.standard("ClientCore"))(initialState, settings: settings)")
        printer.line("}")
    }

    private func printPerform(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("Performs an action as part of a run; programs call `process` instead.")
        if plan.methods.contains(where: { $0.method.isDeprecated }) {
            // The compiler does not warn about deprecated actions inside a deprecated function.
            printer.line("@available(*, deprecated, message: \"call process\")")
        }
        printer.block(
            "\(access)func perform(_ action: \(plan.actionName), in run: \(context.standard("ActionRun"))) async throws {"
        ) {
            $0.line("switch action {")
            for method in plan.methods {
                let owner = method.caseName == "request" ? "self." : ""
                $0.line(
                    "case .\(method.caseName)(let request): try await \(owner)\(method.caseName)(request, in: run)")
            }
            $0.line("}")
        }
    }

    private func printMethod(_ method: MethodPlan, to printer: inout SwiftPrinter) {
        let shape = MethodShape(method.method, context.types)
        printer.gap()
        let process = "process(.\(SwiftNames.bare(method.caseName))(request))"
        printer.doc(
            """
            \(method.documentation ?? "Calls \(method.method.fullName).")

            Equivalent to `\(process)`\(method.hasEmptyResponse ? "" : ", and returns the response").
            """)
        if let attribute = method.method.deprecationAttribute { printer.line(attribute) }
        if !method.hasEmptyResponse { printer.line("@discardableResult") }
        let arrow = method.hasEmptyResponse ? "" : " -> \(shape.response)"
        printer.block(
            "\(access)func \(method.caseName)(_ request: \(shape.request), in run: \(context.standard("ActionRun"))? = nil) async throws\(arrow) {"
        ) {
            $0.line("try await perform(.\(method.caseName)(request), request, in: run) { [service] in")
            $0.line("    try await service.\(shape.name)($0, options: $1)")
            let update = StateUpdatePrinter(context).update(of: method)
            $0.line("} change: {\(update.head.isEmpty ? "" : " \(update.head)in")")
            for line in update.lines { $0.line("    \(line)") }
            $0.line("}")
        }
    }

    /// Prints the protocol of the state updates that the program implements.
    private func printReducer(to printer: inout SwiftPrinter) {
        guard let name = plan.reducerName else { return }
        printer.gap()
        printer.doc(
            """
            The state updates of ``\(plan.clientName)`` for the methods that are marked CUSTOM.

            A function must depend only on its arguments: it may be called again with another state when a concurrent \
            action is rolled back.
            """)
        // Required in modules whose declarations are isolated to the main actor by default.
        printer.block("nonisolated \(access)protocol \(name): \(context.standard("Sendable")) {") {
            for method in plan.methods where method.strategy == .custom {
                let response = method.hasEmptyResponse ? "" : ", response: \(context.name(method.response))"
                $0.doc(method.documentation ?? "Updates the state with the response of \(method.method.name).")
                $0.line(
                    "func \(method.caseName)(_ request: \(context.name(method.request))\(response), state: inout \(plan.stateName))"
                )
            }
        }
    }
}
