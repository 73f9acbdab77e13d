// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes the guides to a client: Markdown that is read as it is, and as articles of a DocC catalog.
///
/// DocC tells articles apart by the names of their files alone, whatever their folder.
struct GuideWriter {
    let context: ClientContext
    /// Whether it is the only client of the output, so that its guides need no folder and no names of their own.
    private let isAlone: Bool
    var plan: ServicePlan { context.plan }

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

    /// What an article is called in links, and its file.
    func article(_ name: String) -> String { isAlone ? name : plan.stem + name }

    /// What stands above an article.
    func title(_ words: String) -> String { isAlone ? words : "\(words): \(plan.clientName)" }

    /// A call that can be shown: one that reads like the heart of the service.
    var exampleMethod: MethodPlan? {
        plan.methods.first { $0.method.name == "Login" } ?? plan.methods.first { $0.strategy != .custom }
            ?? plan.methods.first
    }

    /// An action with its request as text.
    func action(_ method: MethodPlan) -> String {
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

extension GuideWriter {
    private var overview: String {
        let lines = plan.methods.map { method in
            "| `.\(SwiftNames.bare(method.caseName))` | \(method.documentation.map(Self.sentence) ?? method.method.name) |"
        }
        return """
            # \(plan.clientName)

            \(plan.service.comments.documentation ?? "The client of \(plan.service.fullName).")

            Generated from `\(plan.service.file.name)`: edit that file and generate again.

            | Action | What it does |
            |---|---|
            \(lines.joined(separator: "\n"))

            - <doc:\(article("APIReference"))>: actions, state and errors
            - <doc:\(article("IntegrationGuide"))>: from a channel to a client
            - <doc:\(article("UsageExamples"))>: what programs do with it
            - <doc:\(article("Troubleshooting"))>: what its errors mean

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

            A request that breaks one is not sent; `validationErrors` says which.

            \(rules.isEmpty ? "There are none." : rules.joined(separator: "\n"))

            ## State

            \(collections)

            Each state has `isLoading`, `error`, `lastUpdated` and `isStale`.

            ## Errors

            `process` throws `AxiomError`, which is the state's `error` from then on. `isRecoverable` and
            `recoveryStrategy` say what can be done about it.

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
            | Property | Items | Key | At most | Default order |
            |---|---|---|---|---|
            \(lines.joined(separator: "\n"))
            """
    }

    /// The first sentence of a text, in one line.
    private static func sentence(_ text: String) -> String {
        let paragraph = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .prefix { !$0.isEmpty }.map { String(Substring($0)) }.joined(separator: " ")
        let end = paragraph.utf8.firstIndex(of: UInt8(ascii: ".")).map { paragraph.utf8.index(after: $0) }
        let sentence = paragraph[..<(end ?? paragraph.endIndex)]
        guard sentence.utf8.contains(UInt8(ascii: "|")) else { return String(sentence) }
        return sentence.split(separator: "|").joined(separator: "\\|")
    }
}
