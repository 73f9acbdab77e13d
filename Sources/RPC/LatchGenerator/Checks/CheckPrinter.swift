// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes tests of a client that run as they are: over the fake of its service, without a network.
struct CheckPrinter {
    private let context: ClientContext
    private let fakeNames: FakeNames
    private var plan: ServicePlan { context.plan }

    init(_ context: ClientContext) {
        self.context = context
        fakeNames = FakeNames(context.plan.service)
    }

    var file: GeneratedFile {
        var printer = context.printer(shown: [], used: ["AxiomArchitecture", "AxiomCore", "LatchRPC", "Testing"])
        if let module = context.testedModule { printer.line("@testable import \(module)") }
        printReducer(to: &printer)
        printer.gap()
        printer.block("@\(context.standard("Suite")) struct \(plan.clientName)Tests {") {
            printClient(to: &$0)
            for (method, checks) in zip(plan.methods, context.checks) { printMethod(method, checks, to: &$0) }
        }
        return context.file("\(plan.clientName)Tests", in: "Tests", printer)
    }

    /// Functions that do nothing: what the program's own do is tested by the program.
    private func printReducer(to printer: inout SwiftPrinter) {
        guard let name = plan.reducerName else { return }
        printer.gap()
        printer.block("private struct NoChange: \(name) {") {
            for method in plan.methods where method.strategy == .custom {
                let answer = method.answersNothing ? "" : ", answered answer: \(context.nameInTests(method.answer))"
                $0.line(
                    "func \(method.caseName)(_ request: \(context.nameInTests(method.request))\(answer), state: inout \(plan.stateName)) {}"
                )
            }
        }
    }

    private func printClient(to printer: inout SwiftPrinter) {
        let reducer = plan.reducerName == nil ? "" : ", reducer: NoChange()"
        printer.block("private func client(_ service: \(context.service)Fake) -> \(plan.clientName) {") {
            $0.line("\(plan.clientName)(service: service\(reducer))")
        }
        printer.gap()
        printer.block("@\(context.standard("Test")) func `the stream of states begins with the first one`() async {") {
            $0.lines(
                """
                let client = client(\(context.service)Fake())
                var states = client.stateStream.makeAsyncIterator()
                #expect(await states.next() == \(plan.stateName)())
                """)
        }
    }

    private func printMethod(_ method: MethodPlan, _ checks: [RuleCheck], to printer: inout SwiftPrinter) {
        let (name, request) = (SwiftNames.bare(method.caseName), context.nameInTests(method.request))
        let fake = fakeNames[method.method]
        let (hook, requests) = (fake.hook, fake.requests)
        printer.gap()
        printer.block("@\(context.standard("Test")) func `\(name): has the traits of its options`() {") {
            $0.lines(
                """
                let action = \(plan.actionName).\(method.caseName)(\(request)())
                #expect(action.actionName == \(SwiftNames.literal(name)))
                #expect(action.stateUpdateStrategy == .\(method.strategy.rawValue))
                #expect(action.cacheStrategy == .\(method.cache.rawValue))
                #expect(action.requiresNetworkAccess == \(method.requiresNetwork))
                #expect(action.modifiesState == \(method.modifiesState))
                #expect(action.showsLoadingState == \(method.showsLoading))
                #expect(action.supportsOffline == \(method.supportsOffline))
                #expect(action.isValid == action.validationErrors.isEmpty)
                """)
        }
        printer.gap()
        printer.block(
            "@\(context.standard("Test")) func `\(name): calls the service with what is valid, and keeps its error`() async throws {"
        ) {
            $0.lines(
                """
                let service = \(context.service)Fake()
                service.\(hook) = { _ in throw \(context.standard("RPCError"))(.failedPrecondition, "no") }
                let client = client(service)
                let action = \(plan.actionName).\(method.caseName)(\(request)())
                await #expect(throws: \(context.standard("AxiomError")).self) { try await client.process(action) }
                #expect(service.\(requests).count == (action.isValid ? 1 : 0))
                #expect(await client.getCurrentState().error != nil)
                #expect(await client.getCurrentState().isLoading == false)
                """)
        }
        if !checks.isEmpty { return }
        let answer = method.answersNothing ? "" : " \(context.nameInTests(method.answer))() "
        printer.gap()
        printer.block("@\(context.standard("Test")) func `\(name): leaves no error where it is done`() async throws {")
        {
            $0.lines(
                """
                let service = \(context.service)Fake()
                service.\(hook) = { _ in\(answer.isEmpty ? " " : answer)}
                let client = client(service)
                try await client.process(.\(method.caseName)(\(request)()))
                #expect(service.\(requests).count == 1)
                #expect(await client.getCurrentState().error == nil)
                """)
        }
    }
}
