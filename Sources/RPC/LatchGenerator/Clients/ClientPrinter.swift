// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes the client of a service: an actor, and the protocol of the functions that the program gives it.
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
            $0.doc("What the client knows.")
            $0.line("\(access)typealias StateType = \(plan.stateName)")
            $0.doc("What it can be asked to do.")
            $0.line("\(access)typealias ActionType = \(plan.actionName)")
            $0.gap()
            $0.doc("What stands behind the client.")
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
        // One space more than is to be there: comments lose their first one.
        let reducer = "   - reducer: How answers change the state whose calls are marked CUSTOM."
        printer.doc(
            """
            A client.

            - Parameters:
               - service: Who answers: a stub over a channel, or a fake.
            \(plan.reducerName == nil ? "" : "\(reducer)\n")   - initialState: What is known before the first action.
               - settings: The clock, the network, and where answers are kept.
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
        printer.doc("Does an action, as a part of a run; `process` is what programs call.")
        if plan.methods.contains(where: { deprecation($0) != nil }) {
            // Inside of it nobody is warned of actions that are deprecated.
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

    private func deprecation(_ method: MethodPlan) -> String? {
        Deprecation.attribute(method.method.options.message.bool(33), method.method.comments)
    }

    private func printMethod(_ method: MethodPlan, to printer: inout SwiftPrinter) {
        let shape = MethodShape(method.method, context.types, isDocumented: false)
        printer.gap()
        let process = "process(.\(SwiftNames.bare(method.caseName))(request))"
        printer.doc(
            """
            \(method.documentation ?? "Calls \(method.method.fullName).")

            The same as `\(process)`\(method.answersNothing ? "" : ", with the answer").
            """)
        if let attribute = deprecation(method) { printer.line(attribute) }
        if !method.answersNothing { printer.line("@discardableResult") }
        let arrow = method.answersNothing ? "" : " -> \(shape.answer)"
        printer.block(
            "\(access)func \(method.caseName)(_ request: \(shape.request), in run: \(context.standard("ActionRun"))? = nil) async throws\(arrow) {"
        ) {
            $0.line("try await perform(.\(method.caseName)(request), request, in: run) { [service] in")
            $0.line("    try await service.\(shape.name)($0, options: $1)")
            let change = ChangeText(context).change(of: method)
            $0.line("} change: {\(change.head.isEmpty ? "" : " \(change.head)in")")
            for line in change.lines { $0.line("    \(line)") }
            $0.line("}")
        }
    }

    /// The functions that are missing: without them the program does not compile.
    private func printReducer(to printer: inout SwiftPrinter) {
        guard let name = plan.reducerName else { return }
        printer.gap()
        printer.doc(
            """
            How answers change the state of ``\(plan.clientName)``, for the calls whose update is marked CUSTOM.

            A function depends on its arguments alone: it may be called again with another state, where actions at its side \
            are taken back.
            """)
        printer.block("\(access)protocol \(name): \(context.standard("Sendable")) {") {
            for method in plan.methods where method.strategy == .custom {
                let answer = method.answersNothing ? "" : ", answered answer: \(context.name(method.answer))"
                $0.doc(method.documentation ?? "Changes the state by the answer of \(method.method.name).")
                $0.line(
                    "func \(method.caseName)(_ request: \(context.name(method.request))\(answer), state: inout \(plan.stateName))"
                )
            }
        }
    }
}
