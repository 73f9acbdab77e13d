// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Writes how an answer changes the state: the inside of a closure of the answer (`$0`) and the state (`$1`), or of the
/// state alone where nothing is answered.
struct ChangeText {
    private let context: ClientContext
    private var plan: ServicePlan { context.plan }

    init(_ context: ClientContext) { self.context = context }

    /// What the closure captures and takes, and its lines.
    func change(of method: MethodPlan) -> (head: String, lines: [String]) {
        let hasAnswer = !method.answersNothing
        let state = hasAnswer ? "$1" : "$0"
        if method.strategy == .custom {
            let answer = hasAnswer ? ", answered: $0" : ""
            return ("[reducer] ", ["reducer.\(method.caseName)(request\(answer), state: &\(state))"])
        }
        guard let collection = plan.collection(of: method), method.strategy != .noChange else {
            return (hasAnswer ? "_, _ " : "_ ", [])
        }
        let rules = "\(plan.stateName).\(Self.rules(collection))"
        let place = "\(state).\(collection.property)"
        if method.strategy == .removeByID { return removal(method, rules, place, hasAnswer: hasAnswer) }
        return ("", items(method, rules, place) + pages(method, collection))
    }

    /// The name of a collection's rules.
    static func rules(_ collection: CollectionPlan) -> String { "\(SwiftNames.bare(collection.property))Rules" }

    private func removal(
        _ method: MethodPlan, _ rules: String, _ place: String, hasAnswer: Bool
    ) -> (head: String, lines: [String]) {
        let key = method.requestKey?.keyValue(of: "request") ?? "\"\""
        // An answer that is not used must be named, since `$1` alone does not say how many arguments there are.
        guard hasAnswer else { return ("", ["\(rules).remove(\(key), from: &\(place))"]) }
        return ("_, state ", ["\(rules).remove(\(key), from: &\(place.replacingPrefix("$1", by: "state")))"])
    }

    private func items(_ method: MethodPlan, _ rules: String, _ place: String) -> [String] {
        let key = method.requestKey.map { ", withKey: \($0.keyValue(of: "request"))" } ?? ""
        func one(_ item: String) -> String {
            method.strategy == .append
                ? "\(rules).append([\(item)], to: &\(place))" : "\(rules).update(\(item)\(key), in: &\(place))"
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
                ? ["\(rules).append(\(list), to: &\(place))"] : ["\(rules).replaceAll(&\(place), with: \(list))"]
        }
    }

    /// What the answer says of further pages.
    private func pages(_ method: MethodPlan, _ collection: CollectionPlan) -> [String] {
        guard collection.isPaginated, case .many = method.items else { return [] }
        let names = PageNames(collection, in: plan)
        var lines: [String] = []
        if let field = method.page.cursor { lines.append("$1.\(names.cursor) = \(field.keyValue(of: "$0"))") }
        if let field = method.page.total {
            let value = field.keyValue(of: "$0")
            lines.append(
                "$1.\(names.total) = \(SwiftKeyType(field) == .int32 ? value : "\(context.standard("Int32"))(clamping: \(value))")"
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

/// The properties of a state that say how far a collection was loaded.
struct PageNames {
    let cursor: String
    let total: String
    let hasMore: String

    /// The plain names where one collection has pages; with its name in front where several have.
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
