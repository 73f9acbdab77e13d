// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of a client's tests, which run against the fake of its service.
struct ClientTestPrinter {
    private let context: ClientContext
    private let fakeNames: [ObjectIdentifier: FakeNames]
    private var plan: ServicePlan { context.plan }

    init(_ context: ClientContext) {
        self.context = context
        let methods = context.plan.service.methods.map { ObjectIdentifier($0) }
        fakeNames = Dictionary(uniqueKeysWithValues: zip(methods, FakeNames.all(of: context.plan.service)))
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

    /// Prints a reducer without updates, because the program tests its own reducer.
    private func printReducer(to printer: inout SwiftPrinter) {
        guard let name = plan.reducerName else { return }
        printer.gap()
        printer.block("private struct NoChange: \(name) {") {
            for method in plan.methods where method.strategy == .custom {
                let response = method.hasEmptyResponse ? "" : ", response: \(context.nameInTests(method.response))"
                $0.line(
                    "func \(method.caseName)(_ request: \(context.nameInTests(method.request))\(response), state: inout \(plan.stateName)) {}"
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
        printer.block(
            "@\(context.standard("Test")) func `the stream of states begins with the current state`() async {"
        ) {
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
        guard let fake = fakeNames[ObjectIdentifier(method.method)] else { return }
        let (hook, requests) = (fake.hook, fake.requests)
        printer.gap()
        printer.block("@\(context.standard("Test")) func `\(name) has the traits of its options`() {") {
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
            "@\(context.standard("Test")) func `\(name) calls the service if valid, and stores its error`() async throws {"
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
        let response = method.hasEmptyResponse ? " " : " \(context.nameInTests(method.response))() "
        printer.gap()
        printer.block("@\(context.standard("Test")) func `\(name) leaves no error after success`() async throws {") {
            $0.lines(
                """
                let service = \(context.service)Fake()
                service.\(hook) = { _ in\(response)}
                let client = client(service)
                try await client.process(.\(method.caseName)(\(request)()))
                #expect(service.\(requests).count == 1)
                #expect(await client.getCurrentState().error == nil)
                """)
        }
    }
}
