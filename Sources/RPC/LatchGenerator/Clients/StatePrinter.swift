// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes the state of a client: its collections, how far they are loaded, and what all states have.
struct StatePrinter {
    /// A stored property.
    struct Property {
        let name: String
        let type: String
        let zero: String
        let documentation: String
    }

    let context: ClientContext
    var plan: ServicePlan { context.plan }
    var access: String { context.access }

    init(_ context: ClientContext) { self.context = context }

    var file: GeneratedFile {
        var printer = context.printer(shown: ["AxiomArchitecture", "AxiomCore", "LatchRPC"], needsDate: true)
        printer.gap()
        printer.doc("What ``\(plan.clientName)`` knows of \(plan.service.fullName).")
        printer.block("\(access)struct \(plan.stateName): \(context.standard("AxiomState")) {") {
            for property in properties {
                $0.doc(property.documentation)
                $0.line("\(access)var \(property.name): \(property.type)")
            }
            printInit(to: &$0)
            printCommon(to: &$0)
            printEquality(to: &$0)
        }
        for collection in plan.collections {
            printer.gap()
            printCollection(collection, to: &printer)
        }
        return context.file(plan.stateName, printer)
    }

    private var properties: [Property] {
        var properties: [Property] = []
        for collection in plan.collections {
            let limit = collection.limit.map { "; \($0) at most" } ?? ""
            properties.append(
                Property(
                    name: collection.property, type: "[\(context.name(collection.item))]", zero: "[]",
                    documentation:
                        "The \(collection.name.split(separator: "_").joined(separator: " ")) that are known\(limit)."))
            guard collection.isPaginated else { continue }
            let names = PageNames(collection, in: plan)
            properties += [
                Property(
                    name: names.cursor, type: context.standard("String"), zero: "\"\"",
                    documentation: "Where the next page of \(collection.name) begins; empty where there is none."),
                Property(
                    name: names.total, type: context.standard("Int32"), zero: "0",
                    documentation: "How many \(collection.name) the service has in all, as it said last."),
                Property(
                    name: names.hasMore, type: context.standard("Bool"), zero: "false",
                    documentation: "Whether the service has more \(collection.name) than were loaded."),
            ]
        }
        return properties + [
            Property(
                name: "isLoading", type: context.standard("Bool"), zero: "false",
                documentation: "Whether an action is under way that shows it; set by the client."),
            Property(
                name: "error", type: "\(context.standard("AxiomError"))?", zero: "nil",
                documentation: "Why the last action failed; nil after one that did not."),
            Property(
                name: "lastUpdated", type: "\(context.standard("Date"))?", zero: "nil",
                documentation: "When the content changed last; nil where nothing has changed it."),
            Property(
                name: "isStale", type: context.standard("Bool"), zero: "false",
                documentation: "Whether the content is an answer of before, since the network is out of reach."),
        ]
    }

    private func printInit(to printer: inout SwiftPrinter) {
        let properties = properties
        printer.gap()
        printer.doc("A state; what is not given is empty.")
        printer.block("\(access)init(", until: ") {") {
            for (index, property) in properties.enumerated() {
                let comma = index + 1 < properties.count ? "," : ""
                $0.line("\(SwiftNames.bare(property.name)): \(property.type) = \(property.zero)\(comma)")
            }
        }
        for property in properties { printer.line("    self.\(property.name) = \(property.name)") }
        printer.line("}")
    }

    private func printCommon(to printer: inout SwiftPrinter) {
        printer.gap()
        printer.doc("The same state, loading or not.")
        printer.block("\(access)func withLoading(_ isLoading: \(context.standard("Bool"))) -> Self {") {
            $0.lines("var state = self\nstate.isLoading = isLoading\nreturn state")
        }
        printer.gap()
        printer.doc("The same state with an error, or without.")
        printer.block("\(access)func withError(_ error: \(context.standard("AxiomError"))?) -> Self {") {
            $0.lines("var state = self\nstate.error = error\nreturn state")
        }
        printer.gap()
        printer.doc("How much is in the state.")
        let counts = plan.collections.map { "\(SwiftNames.literal($0.name)): \($0.property).count" }
        printer.block("\(access)var statistics: \(context.standard("StateStatistics")) {") {
            $0.line("StateStatistics([\(counts.isEmpty ? ":" : counts.joined(separator: ", "))])")
        }
        printer.gap()
        printer.doc("The same as `statistics`, for code that looks at how large a state is.")
        printer.line("\(access)var performanceMetrics: \(context.standard("StateStatistics")) { statistics }")
        printer.gap()
        printer.doc("What the state holds that its options do not allow; a client's own states hold none of it.")
        printer.block("\(access)var validationResults: [\(context.standard("StateIssue"))] {") {
            let parts = plan.collections.map(issues)
            $0.line(parts.isEmpty ? "[]" : parts.joined(separator: " + "))
        }
        printItemChecks(to: &printer)
    }

    private func issues(of collection: CollectionPlan) -> String {
        let rules = "Self.\(ChangeText.rules(collection))"
        let hasChecks = context.itemChecks[collection.item.fullName]?.isEmpty == false
        let reasons = hasChecks ? ", reasons: Self.reasons" : ""
        return "\(rules).issues(\(collection.property)\(reasons))"
    }

    private func printItemChecks(to printer: inout SwiftPrinter) {
        var written: Set<String> = []
        for item in plan.collections.map(\.item) where written.insert(item.fullName).inserted {
            guard let checks = context.itemChecks[item.fullName], !checks.isEmpty else { continue }
            printer.gap()
            printer.block(
                "private static func reasons(_ item: \(context.name(item))) -> [\(context.standard("String"))] {"
            ) {
                $0.line("var errors: [\(context.standard("String"))] = []")
                for check in checks { $0.line("if \(check.violation) { errors.append(\(check.messageLiteral)) }") }
                $0.line("return errors")
            }
        }
    }

    /// Only where something is left out of it: else Swift writes it.
    private func printEquality(to printer: inout SwiftPrinter) {
        guard plan.collections.contains(where: { !$0.ignoredFields.isEmpty }) else { return }
        let collections = Dictionary(
            plan.collections.map { ($0.property, $0) }, uniquingKeysWith: { first, _ in first })
        printer.gap()
        printer.doc("Compares all but the fields of items that the options leave out.")
        printer.block("\(access)static func == (left: Self, right: Self) -> \(context.standard("Bool")) {") {
            for (index, property) in properties.enumerated() {
                let name = property.name
                let comparison =
                    collections[name].map { "\(ChangeText.rules($0)).areEqual(left.\(name), right.\(name))" }
                    ?? "left.\(name) == right.\(name)"
                $0.line(index == 0 ? comparison : "    && \(comparison)")
            }
        }
        printer.gap()
        printer.doc("Hashes what is compared, or less.")
        printer.block("\(access)func hash(into hasher: inout \(context.standard("Hasher"))) {") {
            for property in properties {
                let name = property.name
                $0.line(
                    collections[name].map { "Self.\(ChangeText.rules($0)).hash(\(name), into: &hasher)" }
                        ?? "hasher.combine(\(name))")
            }
        }
    }
}
