// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of a client's state: its collections, their pagination, and the members of every state.
struct StatePrinter {
    /// A stored property.
    private struct Property {
        let name: String
        let type: String
        let zero: String
        let documentation: String
    }

    private let context: ClientContext
    private var plan: ServicePlan { context.plan }
    private var access: String { context.access }

    init(_ context: ClientContext) { self.context = context }

    var file: GeneratedFile {
        var printer = context.printer(shown: ["AxiomArchitecture", "AxiomCore", "LatchRPC"], needsDate: true)
        printer.gap()
        printer.doc("The state of ``\(plan.clientName)``.")
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
        func add(_ name: String, _ type: String, _ zero: String, _ documentation: String) {
            properties.append(Property(name: name, type: type, zero: zero, documentation: documentation))
        }
        for collection in plan.collections {
            let words = collection.name.split(separator: "_").joined(separator: " ")
            let limit = collection.limit.map { "; at most \($0)" } ?? ""
            add(collection.property, "[\(context.name(collection.item))]", "[]", "The known \(words)\(limit).")
            guard collection.isPaginated else { continue }
            let (names, many) = (PageNames(collection, in: plan), collection.name)
            add(
                names.cursor, context.standard("String"), "\"\"",
                "The cursor of the next page of \(many); empty if there is none.")
            add(
                names.total, context.standard("Int32"), "0",
                "The total number of \(many), as the service reported it last.")
            add(
                names.hasMore, context.standard("Bool"), "false",
                "Whether the service has more \(many) than the loaded ones.")
        }
        add("isLoading", context.standard("Bool"), "false", "Whether an action is loading; set by the client.")
        add(
            "error", "\(context.standard("AxiomError"))?", "nil",
            "The error of the last action; nil if it succeeded.")
        add(
            "lastUpdated", "\(context.standard("Date"))?", "nil",
            "The time of the last change; nil before the first one.")
        add(
            "isStale", context.standard("Bool"), "false",
            "Whether the content comes from cached responses, since the network is unreachable.")
        return properties
    }

    private func printInit(to printer: inout SwiftPrinter) {
        let properties = properties
        printer.gap()
        printer.doc("Creates a state; omitted properties are empty.")
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
        printer.doc("Returns the state with another value of `isLoading`.")
        printer.block("\(access)func withLoading(_ isLoading: \(context.standard("Bool"))) -> Self {") {
            $0.lines("var state = self\nstate.isLoading = isLoading\nreturn state")
        }
        printer.gap()
        printer.doc("Returns the state with an error, or without one.")
        printer.block("\(access)func withError(_ error: \(context.standard("AxiomError"))?) -> Self {") {
            $0.lines("var state = self\nstate.error = error\nreturn state")
        }
        printer.gap()
        printer.doc("The number of items in each collection.")
        let counts = plan.collections.map { "\(SwiftNames.literal($0.name)): \($0.property).count" }
        printer.block("\(access)var statistics: \(context.standard("StateStatistics")) {") {
            $0.line("StateStatistics([\(counts.isEmpty ? ":" : counts.joined(separator: ", "))])")
        }
        printer.gap()
        printer.doc("The same as `statistics`.")
        printer.line("\(access)var performanceMetrics: \(context.standard("StateStatistics")) { statistics }")
        printer.gap()
        printer.doc("The violations of the service's options in the state; the states of a client have none.")
        printer.block("\(access)var validationResults: [\(context.standard("StateIssue"))] {") {
            let parts = plan.collections.map(issues)
            $0.line(parts.isEmpty ? "[]" : parts.joined(separator: " + "))
        }
        printItemChecks(to: &printer)
    }

    private func issues(of collection: CollectionPlan) -> String {
        let rules = "Self.\(StateUpdatePrinter.rules(collection))"
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

    /// Prints a custom `==` if fields are excluded from it; otherwise the compiler synthesizes it.
    private func printEquality(to printer: inout SwiftPrinter) {
        guard plan.collections.contains(where: { !$0.ignoredFields.isEmpty }) else { return }
        let collections = Dictionary(
            plan.collections.map { ($0.property, $0) }, uniquingKeysWith: { first, _ in first })
        printer.gap()
        printer.doc("Compares all fields of items except those that the options exclude.")
        printer.block("\(access)static func == (left: Self, right: Self) -> \(context.standard("Bool")) {") {
            for (index, property) in properties.enumerated() {
                let name = property.name
                let comparison =
                    collections[name].map { "\(StateUpdatePrinter.rules($0)).areEqual(left.\(name), right.\(name))" }
                    ?? "left.\(name) == right.\(name)"
                $0.line(index == 0 ? comparison : "    && \(comparison)")
            }
        }
        printer.gap()
        printer.doc("Hashes the number and the keys of items, and the other values that `==` compares.")
        printer.block("\(access)func hash(into hasher: inout \(context.standard("Hasher"))) {") {
            for property in properties {
                let name = property.name
                $0.line(
                    collections[name].map { "Self.\(StateUpdatePrinter.rules($0)).hash(\(name), into: &hasher)" }
                        ?? "hasher.combine(\(name))")
            }
        }
    }
}

// MARK: Collections

extension StatePrinter {
    /// Prints the members of a state for a collection.
    private func printCollection(_ collection: CollectionPlan, to printer: inout SwiftPrinter) {
        printer.block("extension \(plan.stateName) {") {
            printRules(collection, to: &$0)
            printChanges(collection, to: &$0)
            printQueries(collection, to: &$0)
        }
    }

    private func printRules(_ collection: CollectionPlan, to printer: inout SwiftPrinter) {
        let key = context.standard(collection.keyType)
        let item = context.name(collection.item)
        printer.doc("The key, limit, search and order of \(collection.name).")
        printer.block(
            "static let \(StateUpdatePrinter.rules(collection)) = \(context.standard("ItemRules"))<\(item), \(key)>(",
            until: ")"
        ) {
            var lines = [SwiftNames.literal(collection.name)]
            if let limit = collection.limit { lines.append("limit: \(limit)") }
            lines.append("key: { \(collection.key.keyValue(of: "$0")) }")
            if !collection.searchFields.isEmpty { lines.append("search: { \(searched(collection.searchFields)) }") }
            var fields = collection.sortFields
            if let field = collection.defaultSort, !fields.contains(where: { $0 === field }) { fields.append(field) }
            if !fields.isEmpty {
                let list = fields.map {
                    "    \(context.standard("SortField"))(\(SwiftNames.literal($0.name))) { \($0.sortValue) },"
                }
                lines.append("sort: [\n\(list.joined(separator: "\n"))\n]")
            }
            if let field = collection.defaultSort { lines.append("defaultSort: \(SwiftNames.literal(field.name))") }
            if !collection.ignoredFields.isEmpty {
                let clear = collection.ignoredFields.map { "$0.storage.clear(\($0.slot))" }
                lines.append("ignoring: { \(clear.joined(separator: "; ")) }")
            }
            for (index, line) in lines.enumerated() { $0.lines(index + 1 < lines.count ? "\(line)," : line) }
        }
    }

    private func searched(_ fields: [FieldDescriptor]) -> String {
        let single = fields.filter { $0.label != .repeated }.map { $0.keyValue(of: "$0") }
        let lists = fields.filter { $0.label == .repeated }.map { "$0.\($0.reading)" }
        return (["[\(single.joined(separator: ", "))]"] + lists).joined(separator: " + ")
    }

    private func printChanges(_ collection: CollectionPlan, to printer: inout SwiftPrinter) {
        let (one, many, rules) = (
            collection.singular, collection.plural, "Self.\(StateUpdatePrinter.rules(collection))"
        )
        let (item, property) = (context.name(collection.item), collection.property)
        let key = context.standard(collection.keyType)
        func change(_ documentation: String, _ head: String, _ line: String) {
            printer.gap()
            printer.doc(documentation)
            printer.block("\(access)func \(head) -> Self {") {
                $0.lines("var state = self\n\(line)\nreturn state")
            }
        }
        change(
            "Returns the state with an additional item, which replaces one with the same key.",
            "adding\(one)(_ item: \(item))",
            "\(rules).append([item], to: &state.\(property))")
        change(
            "Returns the state with other \(collection.name).", "with\(many)(_ items: [\(item)])",
            "\(rules).replaceAll(&state.\(property), with: items)")
        change(
            "Returns the state with an item in place of the one with a key, by default its own.",
            "updating\(one)(_ item: \(item), withId id: \(key)? = nil)",
            "\(rules).update(item, withKey: id, in: &state.\(property))")
        change(
            "Returns the state without the item with a key.", "removing\(one)(withId id: \(key))",
            "\(rules).remove(id, from: &state.\(property))")
    }

    private func printQueries(_ collection: CollectionPlan, to printer: inout SwiftPrinter) {
        let (many, rules) = (collection.plural, "Self.\(StateUpdatePrinter.rules(collection))")
        let (item, property) = (context.name(collection.item), collection.property)
        let key = context.standard(collection.keyType)
        let one = SwiftNames.identifier(SwiftNames.lowerCamel(collection.singular))
        func query(_ documentation: String, _ line: String) {
            printer.gap()
            printer.doc(documentation)
            printer.line("\(access)\(line)")
        }
        query(
            "Returns the item with a key; nil if it is unknown.",
            "func \(one)(withId id: \(key)) -> \(item)? { \(rules).item(id, in: \(property)) }")
        let count = SwiftNames.lowerCamel(collection.name)
        query(
            "The number of known \(collection.name).",
            "var \(count)Count: \(context.standard("Int")) { \(property).count }")
        query(
            "Whether no \(collection.name) are known.",
            "var is\(many)Empty: \(context.standard("Bool")) { \(property).isEmpty }")
        query(
            "Returns a page of \(collection.name).",
            "func paginated\(many)(offset: \(context.standard("Int")), limit: \(context.standard("Int"))) -> [\(item)] { \(rules).page(\(property), offset: offset, limit: limit) }"
        )
        if !collection.searchFields.isEmpty {
            query(
                "Returns the \(collection.name) that contain each word of a query in \(collection.searchFields.map(\.name).joined(separator: ", ")).",
                "func search\(many)(_ query: \(context.standard("String"))) -> [\(item)] { \(rules).search(query, in: \(property)) }"
            )
        }
        guard !collection.sortFields.isEmpty || collection.defaultSort != nil else { return }
        printer.gap()
        printer.doc(
            """
            Returns the \(collection.name) sorted by a field; nil is the default order.

            - Throws: `AxiomError.stateError` for an unknown field.
            """)
        printer.block(
            "\(access)func sorted\(many)(by field: \(context.standard("String"))? = nil, ascending: \(context.standard("Bool")) = true) throws(\(context.standard("AxiomError"))) -> [\(item)] {"
        ) {
            $0.line(
                "try \(rules).sorted(\(property), by: field, ascending: ascending, orThrow: \(context.standard("AxiomError")).self)"
            )
        }
    }
}

extension FieldDescriptor {
    /// The expression for the value by which items are sorted; its value is nil if the field is absent.
    fileprivate var sortValue: String {
        let value = "$0.\(reading)"
        switch (FieldShape.presence(of: self), type) {
        case (.optional, .bool): return "\(value).map { $0 ? 1 : 0 }"
        case (.optional, .enum): return "\(value)?.rawValue"
        case (.tracked, .enum): return "\(value).rawValue"
        case (.tracked, _) where type?.isMessage == true:
            return "$0.storage.has(\(slot)) ? \(value) : nil"
        case (_, .bool): return "\(value) ? 1 : 0"
        case (_, .enum): return "\(value).rawValue"
        default: return value
        }
    }
}
