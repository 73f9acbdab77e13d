// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension GuideWriter {
    var integration: String {
        let service = "\(context.service)Stub(channel)"
        let reducer = plan.reducerName.map { ", reducer: My\($0)()" } ?? ""
        return """
            # \(title("Integration guide"))

            ## 1 · Add the files

            Put `Clients` and `Contracts` into a target that depends on the products `LatchRPC`, `AxiomCore` and
            `AxiomArchitecture` of Latchwork\(plan.packageName.map { "; the target is called `\($0)`" } ?? "").
            `Documentation` is a catalog for DocC: call the folder `Documentation.docc` where you put it there as well.

            ## 2 · Say where the service is

            ```swift
            import LatchHTTP
            import LatchRPC

            let channel = try RPCChannel("https://api.example.com", through: Transport.live)
            let client = \(plan.clientName)(service: \(service)\(reducer))
            ```

            A program that has one such client makes it without arguments:

            ```swift
            extension \(plan.clientName) {
                init() { self.init(service: \(service)\(reducer)) }
            }
            ```
            \(reducerGuide)
            ## \(plan.reducerName == nil ? 3 : 4) · Follow the state

            ```swift
            for await state in client.stateStream {
                isLoading = state.isLoading
                error = state.error?.localizedDescription
            }
            ```

            The stream begins with the current state. Who reads slowly misses states in between, and never the newest.

            """
    }

    private var reducerGuide: String {
        guard let name = plan.reducerName else { return "" }
        let functions = plan.methods.filter { $0.strategy == .custom }.map { method in
            let answer = method.answersNothing ? "" : ", answered answer: \(context.name(method.answer))"
            return """
                    func \(method.caseName)(_ request: \(context.name(method.request))\(answer), state: inout \(plan.stateName)) {
                    }
                """
        }
        return """

            ## 3 · Say what CUSTOM updates do

            These calls are marked CUSTOM in the .proto file: the program says what their answers do to the state.

            ```swift
            struct My\(name): \(name) {
            \(functions.joined(separator: "\n"))
            }
            ```

            The functions see the state as it is when the answer is there. They depend on their arguments alone.


            """
    }

    var examples: String {
        let example = exampleMethod.map(action) ?? ""
        return """
            # \(title("Usage examples"))

            ## One action

            ```swift
            let action = \(plan.actionName)\(example)
            guard action.isValid else { return show(action.validationErrors) }
            try await client.process(action)
            let state = await client.getCurrentState()
            ```

            ## Several actions

            ```swift
            try await client.process(sequence: actions)     // one after another, up to the first that fails
            try await client.process(batch: actions)        // at once
            try await client.processAtomically(actions)     // all or none: the state is as before where one fails
            ```

            ## A network that comes and goes

            ```swift
            try await client.processWithRetry(action, maxRetries: 3, baseDelay: .milliseconds(100))
            try await client.process(action, timeout: .seconds(5))
            ```

            An action that the service may have done, since its answer was late or the connection broke, is done again only
            where its method has an `idempotency_level`, or with `evenIfUncertain: true`.

            \(offline)## Back to an earlier state

            ```swift
            let before = await client.getCurrentState()
            await client.rollbackToState(before)
            ```

            ## Tests

            ```swift
            let service = \(context.service)Fake()
            let client = \(plan.clientName)(service: service\(plan.reducerName.map { ", reducer: My\($0)()" } ?? ""))
            ```

            """
    }

    private var offline: String {
        let actions = plan.methods.filter(\.supportsOffline).map { "`.\(SwiftNames.bare($0.caseName))`" }
        guard !actions.isEmpty else { return "" }
        return """
            While the network is out of reach, \(actions.joined(separator: ", ")) are answered as they were last; the state's
            `isStale` says so. `forgetAnswers()` forgets what was kept: call it when an account signs out.


            """
    }

    var troubleshooting: String {
        """
        # \(title("Troubleshooting"))

        | `error` | What it means | What to do |
        |---|---|---|
        | `.clientError(.invalidAction)` | The request breaks a rule; nothing was sent. | Correct it: `validationErrors` says what. |
        | `.clientError(.timeout)` | The time given to `process(_:timeout:)` is over; the call was cancelled. | Try again, or give more. |
        | `.clientError(.actionProcessingFailed)` | One of several actions failed; the others were taken back. | See which, and try again. |
        | `.clientError(.initializationError)` | The client was shut down. | Make a new one. |
        | `.networkError` | The service is out of reach, or too slow. | Try again: `processWithRetry` does. |
        | `.actionError` | The service refused; `code` says why. | `unauthenticated`: sign in. `permission_denied`: ask for it. |
        | `.validationError` | The service found a value wrong. | Correct it. |
        | `.stateError` | The state was asked for something that it does not have. | See its message. |

        ## The state does not change

        \(unchanging)- `UPDATE_BY_ID` changes an item that the state has; one that it does not have is not added.
        - A state that equals the one before is not sent to those who follow it.
        \(missingReducer)
        """
    }

    private var missingReducer: String {
        guard plan.reducerName != nil else { return "" }
        return """

            ## The compiler says that a reducer is missing

            Calls whose update is CUSTOM need a function of the program: see <doc:\(article("IntegrationGuide"))>.

            """
    }

    private var unchanging: String {
        guard let method = plan.methods.first(where: { $0.strategy == .noChange }) else { return "" }
        let call = "client.\(SwiftNames.bare(method.caseName))(request)"
        let use = method.answersNothing ? "`\(call)`" : "use their answers, `let answer = try await \(call)`"
        return "- `NO_CHANGE` calls leave it as it is: \(use).\n"
    }
}
