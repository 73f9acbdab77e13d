// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A writer of a client's guides: Markdown files that are also articles of a DocC catalog.
///
/// DocC identifies articles by their file names, regardless of their folders.
struct GuideWriter {
    private let context: ClientContext
    /// Whether the output contains no other client, so that the guides need neither a folder nor a name prefix.
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

    /// Returns a template with its `{{name}}` placeholders replaced.
    private func filled(_ template: [UInt8], title: String = "", _ values: [String: String]) -> String {
        var values = values
        values["title"] = isAlone ? title : "\(title): \(plan.clientName)"
        values["client"] = plan.clientName
        values["service"] = context.service
        values["reducer"] = plan.reducerName.map { ", reducer: My\($0)()" } ?? ""
        let parts = String(decoding: template, as: UTF8.self).split(separator: "{{", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            guard index > 0, let end = part.firstRange(of: "}}") else { return String(part) }
            return (values[String(part[..<end.lowerBound])] ?? "") + part[end.upperBound...]
        }.joined()
    }

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
            "| `.\(SwiftNames.bare(method.caseName))` | \(Markdown.line(method.documentation.map(Self.sentence) ?? method.method.name)) |"
        }
        return filled(
            PackageResources.Overview_md,
            [
                "documentation": Markdown.block(
                    plan.service.comments.documentation ?? "The client of \(plan.service.fullName)."),
                "file": Markdown.code(plan.service.file.name), "actions": lines.joined(separator: "\n"),
                "streaming": streamingNote,
                "reference": article("APIReference"), "integration": article("IntegrationGuide"),
                "examples": article("UsageExamples"), "troubleshooting": article("Troubleshooting"),
            ])
    }

    /// The streaming methods, with code that calls one of them.
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
        let shape = MethodShape(first, context.types)
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
            "- `.\(SwiftNames.bare(method.caseName))`: \(Markdown.line(checks.map(\.message).joined(separator: "; ")))"
        }
        return filled(
            PackageResources.APIReference_md, title: "API reference",
            [
                "actions": actions.joined(separator: "\n"),
                "rules": rules.isEmpty ? "The requests have no rules." : rules.joined(separator: "\n"),
                "collections": collections,
            ])
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
        return String(paragraph[..<(end ?? paragraph.endIndex)])
    }
}

// MARK: Integration, examples and troubleshooting

extension GuideWriter {
    private var integration: String {
        filled(
            PackageResources.IntegrationGuide_md, title: "Integration guide",
            [
                "target": plan.packageName.map { "; the name of the target is `\($0)`" } ?? "",
                "reducerGuide": reducerGuide, "observation": plan.reducerName == nil ? "4" : "5",
            ])
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
        filled(
            PackageResources.UsageExamples_md, title: "Usage examples",
            ["action": plan.actionName + (exampleMethod.map(action) ?? ""), "offline": offline])
    }

    private var offline: String {
        let actions = plan.methods.filter(\.supportsOffline).map { "`.\(SwiftNames.bare($0.caseName))`" }
        guard !actions.isEmpty else { return "" }
        return """
            While the network is unreachable, \(actions.joined(separator: ", ")) use their last cached responses, and the state
            has `isStale`. `reset(to:)` forgets them, the state and running actions: call it when a user signs out.


            """
    }

    private var troubleshooting: String {
        filled(PackageResources.Troubleshooting_md, title: "Troubleshooting", ["unchanging": unchanging])
            + missingReducer
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
