// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension StatePrinter {
    /// Writes what a state can do with one of its collections.
    func printCollection(_ collection: CollectionPlan, to printer: inout SwiftPrinter) {
        printer.block("extension \(plan.stateName) {") {
            printRules(collection, to: &$0)
            printChanges(collection, to: &$0)
            printQuestions(collection, to: &$0)
        }
    }

    private func printRules(_ collection: CollectionPlan, to printer: inout SwiftPrinter) {
        let key = context.standard(SwiftKeyType(collection.key)?.rawValue ?? "String")
        let item = context.name(collection.item)
        printer.doc("How \(collection.name) are told apart, limited, looked for and put in order.")
        printer.block(
            "static let \(ChangeText.rules(collection)) = \(context.standard("ItemRules"))<\(item), \(key)>(",
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
        let (one, many, rules) = (collection.singular, collection.plural, "Self.\(ChangeText.rules(collection))")
        let (item, property) = (context.name(collection.item), collection.property)
        let key = context.standard(SwiftKeyType(collection.key)?.rawValue ?? "String")
        func change(_ documentation: String, _ head: String, _ line: String) {
            printer.gap()
            printer.doc(documentation)
            printer.block("\(access)func \(head) -> Self {") {
                $0.lines("var state = self\n\(line)\nreturn state")
            }
        }
        change(
            "The same state with one more item; one with the same key gives way.", "adding\(one)(_ item: \(item))",
            "\(rules).append([item], to: &state.\(property))")
        change(
            "The same state with other \(collection.name).", "with\(many)(_ items: [\(item)])",
            "\(rules).replaceAll(&state.\(property), with: items)")
        change(
            "The same state with an item in the place of the one with a key: its own, where none is given.",
            "updating\(one)(_ item: \(item), withId id: \(key)? = nil)",
            "\(rules).update(item, withKey: id, in: &state.\(property))")
        change(
            "The same state without the item with a key.", "removing\(one)(withId id: \(key))",
            "\(rules).remove(id, from: &state.\(property))")
    }

    private func printQuestions(_ collection: CollectionPlan, to printer: inout SwiftPrinter) {
        let (many, rules) = (collection.plural, "Self.\(ChangeText.rules(collection))")
        let (item, property) = (context.name(collection.item), collection.property)
        let key = context.standard(SwiftKeyType(collection.key)?.rawValue ?? "String")
        let one = SwiftNames.identifier(SwiftNames.lowerCamel(collection.singular))
        func ask(_ documentation: String, _ line: String) {
            printer.gap()
            printer.doc(documentation)
            printer.line("\(access)\(line)")
        }
        ask(
            "The item with a key; nil where it is not known.",
            "func \(one)(withId id: \(key)) -> \(item)? { \(rules).item(id, in: \(property)) }")
        let count = SwiftNames.lowerCamel(collection.name)
        ask(
            "How many \(collection.name) are known.",
            "var \(count)Count: \(context.standard("Int")) { \(property).count }")
        ask(
            "Whether no \(collection.name) are known.",
            "var is\(many)Empty: \(context.standard("Bool")) { \(property).isEmpty }")
        ask(
            "So many \(collection.name) from a place on.",
            "func paginated\(many)(offset: \(context.standard("Int")), limit: \(context.standard("Int"))) -> [\(item)] { \(rules).page(\(property), offset: offset, limit: limit) }"
        )
        if !collection.searchFields.isEmpty {
            ask(
                "The \(collection.name) in which each word occurs: in \(collection.searchFields.map(\.name).joined(separator: ", ")).",
                "func search\(many)(_ query: \(context.standard("String"))) -> [\(item)] { \(rules).search(query, in: \(property)) }"
            )
        }
        guard !collection.sortFields.isEmpty || collection.defaultSort != nil else { return }
        printer.gap()
        printer.doc(
            """
            The \(collection.name) in the order of a field; nil is the default one.

            - Throws: `AxiomError.stateError` for a name that is none of a field.
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
    /// A value to put items in order by: nil where there is none.
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
