// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of state updates.
///
/// An update is the body of a closure. It receives the response (`$0`) and the state (`$1`), or only the state if the
/// response is empty.
struct StateUpdatePrinter {
    private let context: ClientContext
    private var plan: ServicePlan { context.plan }

    init(_ context: ClientContext) { self.context = context }

    /// Returns the capture list and parameters of the closure, and its lines.
    func update(of method: MethodPlan) -> (head: String, lines: [String]) {
        let hasResponse = !method.hasEmptyResponse
        let state = hasResponse ? "$1" : "$0"
        if method.strategy == .custom {
            let response = hasResponse ? ", response: $0" : ""
            return ("[reducer] ", ["reducer.\(method.caseName)(request\(response), state: &\(state))"])
        }
        guard let collection = plan.collection(of: method), method.strategy != .noChange else {
            return (hasResponse ? "_, _ " : "_ ", [])
        }
        let rules = "\(plan.stateName).\(Self.rules(collection))"
        let property = "\(state).\(collection.property)"
        if method.strategy == .removeByID { return removal(method, rules, property, hasResponse: hasResponse) }
        return ("", items(method, rules, property) + pages(method, collection))
    }

    /// Returns the name of a collection's rules.
    static func rules(_ collection: CollectionPlan) -> String { "\(SwiftNames.bare(collection.property))Rules" }

    private func removal(
        _ method: MethodPlan, _ rules: String, _ property: String, hasResponse: Bool
    ) -> (head: String, lines: [String]) {
        let key = method.requestKey?.keyValue(of: "request") ?? "\"\""
        // An unused response needs a parameter name, because `$1` does not determine the number of parameters.
        guard hasResponse else { return ("", ["\(rules).remove(\(key), from: &\(property))"]) }
        return ("_, state ", ["\(rules).remove(\(key), from: &\(property.replacingPrefix("$1", by: "state")))"])
    }

    private func items(_ method: MethodPlan, _ rules: String, _ property: String) -> [String] {
        let key = method.requestKey.map { ", withKey: \($0.keyValue(of: "request"))" } ?? ""
        func one(_ item: String) -> String {
            method.strategy == .append
                ? "\(rules).append([\(item)], to: &\(property))" : "\(rules).update(\(item)\(key), in: &\(property))"
        }
        switch method.items {
        case .none: return []
        case .itself: return [one("$0")]
        case .one(let field):
            if case .oneof = FieldShape.presence(of: field) {
                return ["if $0.storage.has(\(field.slot)) { \(one("$0.storage[message: \(field.slot)]")) }"]
            }
            guard FieldShape.presence(of: field) == .optional else { return [one("$0.\(field.reading)")] }
            return ["if let item = $0.\(field.reading) { \(one("item")) }"]
        case .many(let field):
            let list = "$0.\(field.reading)"
            return method.strategy == .append
                ? ["\(rules).append(\(list), to: &\(property))"] : ["\(rules).replaceAll(&\(property), with: \(list))"]
        }
    }

    /// Returns the updates of the pagination properties.
    private func pages(_ method: MethodPlan, _ collection: CollectionPlan) -> [String] {
        guard collection.isPaginated, case .many = method.items else { return [] }
        let names = PageNames(collection, in: plan)
        var lines: [String] = []
        if let field = method.page.cursor { lines.append("$1.\(names.cursor) = \(field.keyValue(of: "$0"))") }
        if let field = method.page.total {
            let value = field.keyValue(of: "$0")
            lines.append(
                "$1.\(names.total) = \(field.scalarType?.type == "Int32" ? value : "\(context.standard("Int32"))(clamping: \(value))")"
            )
        }
        if let field = method.page.hasMore {
            let isOptional = FieldShape.presence(of: field) == .optional
            lines.append("$1.\(names.hasMore) = $0.\(field.reading)\(isOptional ? " ?? false" : "")")
        } else if method.page.cursor != nil {
            lines.append("$1.\(names.hasMore) = !$1.\(names.cursor).isEmpty")
        }
        return lines
    }
}

/// The names of a state's pagination properties for a collection.
struct PageNames {
    let cursor: String
    let total: String
    let hasMore: String

    /// Creates the names, with the collection's name as a prefix if several collections are paginated.
    init(_ collection: CollectionPlan, in plan: ServicePlan) {
        let name = SwiftNames.lowerCamel(collection.name)
        let isAlone = plan.collections.filter(\.isPaginated).count == 1
        cursor = isAlone ? "nextCursor" : "\(name)NextCursor"
        total = isAlone ? "totalCount" : "\(name)TotalCount"
        hasMore = isAlone ? "hasMore" : "\(name)HasMore"
    }
}

extension String {
    fileprivate func replacingPrefix(_ prefix: String, by other: String) -> String {
        hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
    }
}
