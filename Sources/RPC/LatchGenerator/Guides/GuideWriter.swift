// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A writer of the guides to a client: Markdown files, which are also articles of a DocC catalog.
///
/// DocC identifies articles by their file names, regardless of their folders.
struct GuideWriter {
    private let context: ClientContext
    /// Whether it is the only client of the output, so that its guides need neither a folder nor a name prefix.
    private let isAlone: Bool
    private var plan: ServicePlan { context.plan }
    /// The streaming methods, which have no actions.
    private var streamingMethods: [MethodDescriptor] {
        plan.service.methods.filter { $0.isClientStreaming || $0.isServerStreaming }
    }

    init(_ context: ClientContext, isAlone: Bool) {
        self.context = context
        self.isAlone = isAlone && context.options.layout == .project
    }

    var files: [GeneratedFile] {
        let root = ClientContext.folder("Documentation", context.options, plan)
        let folder = isAlone ? root : "\(root)\(plan.stem)/"
        return [
            (isAlone ? "README" : article("Overview"), overview), (article("APIReference"), reference),
            (article("IntegrationGuide"), integration), (article("UsageExamples"), examples),
            (article("Troubleshooting"), troubleshooting),
        ].map { GeneratedFile(path: "\(folder)\($0.0).md", text: $0.1) }
    }

    /// Returns the name of an article's file, which links use.
    private func article(_ name: String) -> String { isAlone ? name : plan.stem + name }

    /// Returns the title of an article.
    private func title(_ words: String) -> String { isAlone ? words : "\(words): \(plan.clientName)" }

    /// The method that the examples call.
    private var exampleMethod: MethodPlan? {
        plan.methods.first { $0.method.name == "Login" } ?? plan.methods.first { $0.strategy != .custom }
            ?? plan.methods.first
    }

    /// Returns an action with its request as text.
    private func action(_ method: MethodPlan) -> String {
        ".\(method.caseName)(\(context.name(method.request))(\(arguments(method))))"
    }

    private func arguments(_ method: MethodPlan) -> String {
        let fields = method.request.fields.filter {
            $0.type == .string && $0.label != .repeated && !$0.isInRealOneof && $0.property.last != "_"
        }
        return fields.prefix(2).map { "\(SwiftNames.bare($0.property)): \(SwiftNames.bare($0.property))" }
            .joined(separator: ", ")
    }
}

// MARK: Overview and reference

extension GuideWriter {
    private var overview: String {
        let lines = plan.methods.map { method in
            "| `.\(SwiftNames.bare(method.caseName))` | \(method.documentation.map(Self.sentence) ?? method.method.name) |"
        }
        return """
            # \(plan.clientName)

            \(plan.service.comments.documentation ?? "The client of \(plan.service.fullName).")

            Generated from `\(plan.service.file.name)`: edit that file and generate again.

            | Action | Purpose |
            |---|---|
            \(lines.joined(separator: "\n"))
            \(streamingNote)
            - <doc:\(article("APIReference"))>: actions, state and errors
            - <doc:\(article("IntegrationGuide"))>: channel, authentication, client
            - <doc:\(article("UsageExamples"))>: actions, retries, tests
            - <doc:\(article("Troubleshooting"))>: errors and their causes

            """
    }

    /// The streaming methods, with the code that calls one.
    private var streamingNote: String {
        guard let first = streamingMethods.first else { return "" }
        let lines = streamingMethods.map { method in
            let kind =
                switch (method.isClientStreaming, method.isServerStreaming) {
                case (true, true): "bidirectional streaming"
                case (true, false): "client streaming"
                default: "server streaming"
                }
            return "- `\(SwiftNames.bare(method.swiftName))`: \(kind)"
        }
        let shape = MethodShape(first, context.types, isDocumented: false)
        let call = "try await \(context.service)Stub(channel).\(shape.name)(\(shape.parameter.name))"
        let example =
            first.isServerStreaming
            ? "for try await response in \(call) { show(response) }" : "let response = \(call)"
        return """

            Streaming methods have no actions, since they do not end with one response. Call them through the stub:

            \(lines.joined(separator: "\n"))

            ```swift
            \(example)
            ```

            """
    }

    private var reference: String {
        let actions = plan.methods.map { method in
            let collection = plan.collection(of: method).map { "`\($0.property)`" } ?? "–"
            let marks = [
                method.requiresNetwork, method.modifiesState, method.showsLoading, method.supportsOffline,
            ].map { $0 ? "yes" : "no" }.joined(separator: " | ")
            return
                "| `.\(SwiftNames.bare(method.caseName))(\(context.name(method.request)))` | \(method.strategy.rawValue) | "
                + "\(collection) | \(marks) | \(method.cache.rawValue) |"
        }
        let rules = zip(plan.methods, context.checks).filter { !$0.1.isEmpty }.map { method, checks in
            "- `.\(SwiftNames.bare(method.caseName))`: \(checks.map(\.message).joined(separator: "; "))"
        }
        return """
            # \(title("API reference"))

            ## Actions

            | Action | Update | Collection | Network | Modifies | Loading | Offline | Cache |
            |---|---|---|---|---|---|---|---|
            \(actions.joined(separator: "\n"))

            ## Rules

            A request that breaks a rule is not sent; `validationErrors` lists the broken rules.

            \(rules.isEmpty ? "The requests have no rules." : rules.joined(separator: "\n"))

            ## State

            \(collections)

            Each state has `isLoading`, `error`, `lastUpdated` and `isStale`.

            ## Errors

            `process` throws an `AxiomError`, and the state has it as `error` until the next action succeeds. `isRecoverable`
            and `recoveryStrategy` tell how to handle it.

            """
    }

    private var collections: String {
        guard !plan.collections.isEmpty else { return "`\(plan.stateName)` keeps no items." }
        let lines = plan.collections.map { collection in
            let order = collection.defaultSort.map { "`\($0.name)`" } ?? "–"
            let limit = collection.limit.map(String.init) ?? "–"
            return
                "| `\(collection.property)` | `\(context.name(collection.item))` | `\(collection.key.name)` | \(limit) | \(order) |"
        }
        return """
            | Property | Items | Key | Maximum | Default order |
            |---|---|---|---|---|
            \(lines.joined(separator: "\n"))
            """
    }

    /// Returns the first sentence of a text, on one line.
    private static func sentence(_ text: String) -> String {
        let paragraph = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .prefix { !$0.isEmpty }.map { String(Substring($0)) }.joined(separator: " ")
        let end = paragraph.utf8.firstIndex(of: UInt8(ascii: ".")).map { paragraph.utf8.index(after: $0) }
        let sentence = paragraph[..<(end ?? paragraph.endIndex)]
        guard sentence.utf8.contains(UInt8(ascii: "|")) else { return String(sentence) }
        return sentence.split(separator: "|").joined(separator: "\\|")
    }
}

// MARK: Integration, examples and troubleshooting

extension GuideWriter {
    private var integration: String {
        let service = "\(context.service)Stub(channel)"
        let reducer = plan.reducerName.map { ", reducer: My\($0)()" } ?? ""
        return """
            # \(title("Integration guide"))

            ## 1 · Add the files

            Add `Clients` and `Contracts` to a target that depends on the products `LatchRPC`, `AxiomCore` and
            `AxiomArchitecture` of Latchwork\(plan.packageName.map { "; the name of the target is `\($0)`" } ?? "").
            `Documentation` is a DocC catalog: rename the folder to `Documentation.docc` to add it, too.

            ## 2 · Create a channel and a client

            ```swift
            import LatchHTTP
            import LatchRPC

            let channel = try RPCChannel("https://api.example.com", through: Transport.live)
            let client = \(plan.clientName)(service: \(service)\(reducer))
            ```

            A program with a single server can add an initializer without arguments:

            ```swift
            extension \(plan.clientName) {
                init() { self.init(service: \(service)\(reducer)) }
            }
            ```

            \(authenticationGuide)
            \(reducerGuide)
            ## \(plan.reducerName == nil ? 4 : 5) · Observe the state

            ```swift
            for await state in client.stateStream {
                isLoading = state.isLoading
                error = state.error?.localizedDescription
            }
            ```

            The stream begins with the current state. A slow observer may miss intermediate states, but always receives the
            newest one.

            """
    }

    private var authenticationGuide: String {
        """
        ## 3 · Authenticate the calls

        The client sends no credentials by itself. A session of `LatchAuth` holds the tokens; its interceptor adds the
        access token to each call, refreshes it before it expires, and repeats a call once after `unauthenticated`:

        ```swift
        import LatchAuth

        let session = Session<Tokens>(store: InMemoryTokenStore()) { request in
            try await newTokens(for: request)
        }
        let origin = HTTPOrigin(scheme: "https", authority: "api.example.com")
        let channel = try RPCChannel(
            "https://api.example.com", interceptors: [SessionInterceptor(session, for: .origin(origin))])
        ```

        The session sends the token to this origin only. Calls that must carry no token, such as a sign-in, use a second
        channel without the interceptor. A call that still fails with `unauthenticated` needs a new sign-in: the state then
        has an `.actionError` with this code.
        """
    }

    private var reducerGuide: String {
        guard let name = plan.reducerName else { return "" }
        let functions = plan.methods.filter { $0.strategy == .custom }.map { method in
            let response = method.hasEmptyResponse ? "" : ", response: \(context.name(method.response))"
            return """
                    func \(method.caseName)(_ request: \(context.name(method.request))\(response), state: inout \(plan.stateName)) {
                    }
                """
        }
        return """

            ## 4 · Implement the CUSTOM updates

            The .proto file marks these methods as CUSTOM: the program updates the state with their responses.

            ```swift
            struct My\(name): \(name) {
            \(functions.joined(separator: "\n"))
            }
            ```

            The functions receive the state at the time of the response. They must depend only on their arguments.


            """
    }

    private var examples: String {
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
            try await client.process(sequence: actions)     // one after another, until one fails
            try await client.process(batch: actions)        // concurrently
            try await client.processAtomically(actions)     // all or none: a failure restores the state
            ```

            ## An unreliable network

            ```swift
            try await client.processWithRetry(action, maxRetries: 3, baseDelay: .milliseconds(100))
            try await client.process(action, timeout: .seconds(5))
            ```

            After a timeout or a broken connection the service may have performed the action. It is repeated only if its
            method has an `idempotency_level`, or with `evenIfUncertain: true`.

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
            While the network is unreachable, \(actions.joined(separator: ", ")) use their last cached responses, and the state
            has `isStale`. `removeCachedResponses()` clears the cache: call it when a user signs out.


            """
    }

    private var troubleshooting: String {
        """
        # \(title("Troubleshooting"))

        | `error` | Cause | Remedy |
        |---|---|---|
        | `.clientError(.invalidAction)` | The request breaks a rule; it was not sent. | Correct it: `validationErrors` lists the broken rules. |
        | `.clientError(.timeout)` | The timeout of `process(_:timeout:)` expired; the call was cancelled. | Try again, or increase the timeout. |
        | `.clientError(.actionProcessingFailed)` | One of several actions failed; the others were rolled back. | Find the failed action, and try again. |
        | `.clientError(.initializationError)` | The client was shut down. | Create a new one. |
        | `.networkError` | The service is unreachable or too slow. | Try again: `processWithRetry` does. |
        | `.actionError` | The service rejected the call; `code` has the reason. | `unauthenticated`: sign in. `permission_denied`: request access. |
        | `.validationError` | The service rejected a value. | Correct it. |
        | `.stateError` | The state has no such item or field. | See its message. |

        ## The state does not change

        \(unchanging)- `UPDATE_BY_ID` replaces an item that the state has; it does not add one.
        - A state that equals the previous one is not sent to observers.
        \(missingReducer)
        """
    }

    private var missingReducer: String {
        guard plan.reducerName != nil else { return "" }
        return """

            ## The compiler reports a missing reducer

            The program implements the updates of CUSTOM methods: see <doc:\(article("IntegrationGuide"))>.

            """
    }

    private var unchanging: String {
        guard let method = plan.methods.first(where: { $0.strategy == .noChange }) else { return "" }
        let call = "client.\(SwiftNames.bare(method.caseName))(request)"
        let use = method.hasEmptyResponse ? "`\(call)`" : "use their responses, `let response = try await \(call)`"
        return "- `NO_CHANGE` methods leave it as it is: \(use).\n"
    }
}
