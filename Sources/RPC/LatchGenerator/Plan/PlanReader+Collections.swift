// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension PlanReader {
    /// The collections that the options name, or those that the messages and calls suggest.
    func collections(of service: ServiceDescriptor, _ options: [NamedOptions]) -> [CollectionPlan] {
        let isPaginated = options.lazy.compactMap { $0.bool("supports_pagination") }.first ?? false
        var (plans, properties) = ([CollectionPlan](), Set<String>())
        func add(_ plan: CollectionPlan?, at place: Place?) {
            guard let plan else { return }
            guard properties.insert(plan.property).inserted else {
                return diagnostics.add("there are two collections '\(plan.name)'", at: place)
            }
            plans.append(plan)
        }
        for one in options.flatMap({ $0.messages("collections") }) {
            add(collection(one, in: service, isPaginated: isPaginated), at: one.place("name"))
        }
        for (message, options) in markedMessages(service) {
            guard let options else {
                // Only the mark: what the options of the service say of the same messages counts more.
                guard !plans.contains(where: { $0.item === message }) else { continue }
                add(inferred(message, isPaginated: isPaginated), at: message.place)
                continue
            }
            add(collection(options, of: message, isPaginated: isPaginated), at: options.place("name"))
        }
        if plans.isEmpty { plans = suggested(service, isPaginated: isPaginated) }
        let counts = Dictionary(plans.map { (ObjectIdentifier($0.item), 1) }, uniquingKeysWith: +)
        for index in plans.indices { plans[index].sharesItem = counts[ObjectIdentifier(plans[index].item)] != 1 }
        return plans
    }

    /// The messages of the file that options mark as kept.
    private func markedMessages(_ service: ServiceDescriptor) -> [(MessageDescriptor, NamedOptions?)] {
        var marked: [(MessageDescriptor, NamedOptions?)] = []
        file.eachMessage { message in
            let options = scope.message(
                ["axiom.collection_options", "axiom.options.v1.axiom_collection"], of: message.options)
            if let options { checkConflicts([options] + options.others) }
            let isRoot = scope.bool("axiom.swift_state_root", of: message.options) == true
            if options != nil || isRoot { marked.append((message, options)) }
        }
        return marked
    }

    private func collection(
        _ options: NamedOptions, in service: ServiceDescriptor, isPaginated: Bool
    ) -> CollectionPlan? {
        guard let type = options.string("item_type") else {
            diagnostics.add(
                "the collection says no item_type", at: options.fallback, hint: "Write the name of a message.")
            return nil
        }
        guard let item = message(type, from: file.package) else {
            diagnostics.add("there is no message '\(type)'", at: options.place("item_type"))
            return nil
        }
        return collection(options, of: item, isPaginated: isPaginated)
    }

    private func collection(
        _ options: NamedOptions, of item: MessageDescriptor, isPaginated: Bool
    ) -> CollectionPlan? {
        let name = options.string("name") ?? Self.collectionName(item)
        if !SwiftNames.isPlainIdentifier(name) {
            diagnostics.add("'\(name)' cannot name a collection", at: options.place("name"))
        }
        guard let key = key(of: item, named: options.string("primary_key"), at: options.place("primary_key")) else {
            return nil
        }
        let limit = options.integer("max_cached_items")
        if let limit, limit < 1 {
            diagnostics.add(
                "a collection keeps one item at least", at: options.place("max_cached_items"),
                hint: "Leave max_cached_items out for any number.")
        }
        let sortFields = sortFields(of: item, isSortable: options.bool("sortable"))
        return CollectionPlan(
            name: name, item: item, key: key, isPaginated: options.bool("paginated") ?? isPaginated,
            searchFields: searchFields(of: item, isSearchable: options.bool("searchable")), sortFields: sortFields,
            defaultSort: defaultSort(options, of: item, sortFields), limit: limit.map { Int(max(1, $0)) },
            ignoredFields: item.fields.filter { fieldOptions(of: $0)?.bool("exclude_from_equality") == true })
    }

    private func inferred(_ item: MessageDescriptor, name: String? = nil, isPaginated: Bool) -> CollectionPlan? {
        guard let key = key(of: item, named: nil, at: item.place) else { return nil }
        return CollectionPlan(
            name: name ?? Self.collectionName(item), item: item, key: key, isPaginated: isPaginated,
            searchFields: searchFields(of: item, isSearchable: true),
            sortFields: sortFields(of: item, isSortable: true), defaultSort: nil, limit: nil,
            ignoredFields: item.fields.filter { fieldOptions(of: $0)?.bool("exclude_from_equality") == true })
    }

    /// Without any option: messages with an `id` that calls answer with, alone or in a list.
    private func suggested(_ service: ServiceDescriptor, isPaginated: Bool) -> [CollectionPlan] {
        var (plans, items, properties) = ([CollectionPlan](), Set<ObjectIdentifier>(), Set<String>())
        for method in service.methods {
            guard let answer = method.output else { continue }
            let lists = answer.fields.filter { $0.label == .repeated && Self.hasID($0.message) }
            let single = answer.fields.first { $0.label != .repeated && Self.hasID($0.message) }
            let item = Self.hasID(answer) ? answer : lists.first?.message ?? single?.message
            guard let item, !items.contains(ObjectIdentifier(item)) else { continue }
            let name = item === answer ? nil : lists.first?.name
            let pages = PagePlan(of: answer)
            guard let plan = inferred(item, name: name, isPaginated: isPaginated || !pages.isEmpty) else { continue }
            guard properties.insert(plan.property).inserted else { continue }
            items.insert(ObjectIdentifier(item))
            plans.append(plan)
        }
        return plans
    }

    private static func hasID(_ message: MessageDescriptor?) -> Bool {
        message?.fields.contains { $0.name == "id" && $0.canBeKey } ?? false
    }

    private static func collectionName(_ item: MessageDescriptor) -> String {
        CollectionPlan.plural(SwiftNames.snake(item.name))
    }

    private func key(of item: MessageDescriptor, named name: String?, at place: Place?) -> FieldDescriptor? {
        let marked = item.fields.first { fieldOptions(of: $0)?.bool("is_id_field") == true }
        let field =
            name.map { name in item.fields.first { $0.name == name } } ?? marked
            ?? item.fields.first { $0.name == "id" }
        guard let field else {
            diagnostics.add(
                name.map { "'\(item.name)' has no field '\($0)'" } ?? "'\(item.name)' has no field 'id'", at: place,
                hint: "Name a field of \(item.fields.filter(\.canBeKey).map(\.name).asChoice) as primary_key.")
            return nil
        }
        guard field.canBeKey else {
            diagnostics.add(
                "'\(field.name)' cannot tell items apart", at: place, hint: "A key is one text or one whole number.")
            return nil
        }
        return field
    }

    private func searchFields(of item: MessageDescriptor, isSearchable: Bool?) -> [FieldDescriptor] {
        let marked = item.fields.filter { fieldOptions(of: $0)?.bool("searchable") == true }
        for field in marked where field.type != .string {
            diagnostics.add("'\(field.name)' is no text and cannot be searched", at: field.places.name)
        }
        guard isSearchable ?? !marked.isEmpty else { return [] }
        guard marked.isEmpty else { return marked.filter { $0.type == .string } }
        // Nobody looks for a key, an address of a picture, or a secret.
        return item.fields.filter { field in
            field.type == .string && field.label != .repeated && field.name != "id"
                && !Self.unsearched.contains { field.name.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
        }
    }

    private static let unsearched = ["_id", "_url", "_token", "_secret", "_hash"]

    private func sortFields(of item: MessageDescriptor, isSortable: Bool?) -> [FieldDescriptor] {
        let marked = item.fields.filter { fieldOptions(of: $0)?.bool("sortable") == true }
        for field in marked where !field.canBeSorted {
            diagnostics.add("items cannot be sorted by '\(field.name)'", at: field.places.name)
        }
        guard isSortable ?? !marked.isEmpty else { return [] }
        return (marked.isEmpty ? item.fields : marked).filter(\.canBeSorted)
    }

    private func defaultSort(
        _ options: NamedOptions, of item: MessageDescriptor, _ fields: [FieldDescriptor]
    ) -> FieldDescriptor? {
        guard let name = options.string("default_sort_field") else { return nil }
        if let field = fields.first(where: { $0.name == name }) { return field }
        // It is only said how they would be sorted: a spelling without `sortable` in collections means this as well.
        if let field = item.fields.first(where: { $0.name == name && $0.canBeSorted }), fields.isEmpty { return field }
        diagnostics.add(
            "'\(item.name)' cannot be sorted by '\(name)'", at: options.place("default_sort_field"),
            hint: "Name \(fields.map(\.name).asChoice).")
        return nil
    }
}

extension FieldDescriptor {
    /// Whether items can be told apart by it.
    var canBeKey: Bool {
        guard label != .repeated, oneofIndex == nil || isProto3Optional else { return false }
        switch type {
        case .string, .int32, .int64, .uint32, .uint64, .sint32, .sint64, .fixed32, .fixed64, .sfixed32, .sfixed64:
            return true
        default: return false
        }
    }

    /// Whether items can be put in order by it.
    var canBeSorted: Bool {
        guard label != .repeated, oneofIndex == nil || isProto3Optional else { return false }
        switch type {
        case .bytes, .group, nil: return false
        case .message:
            return message?.fullName == "google.protobuf.Timestamp" || message?.fullName == "google.protobuf.Duration"
        default: return true
        }
    }
}

extension SwiftNames {
    /// A name in `snake_case`.
    static func snake(_ name: String) -> String {
        words(name).map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "_")
    }
}
