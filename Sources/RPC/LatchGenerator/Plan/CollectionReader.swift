// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// Reads the collections of a service from its options, or infers them from its messages and methods.
struct CollectionReader {
    let options: OptionReader

    /// Returns the collections that options declare, or the inferred ones if no option declares any.
    func collections(of service: ServiceDescriptor, _ serviceOptions: [NamedOptions]) -> [CollectionPlan] {
        let isPaginated = serviceOptions.lazy.compactMap { $0.bool("supports_pagination") }.first ?? false
        var (plans, properties) = ([CollectionPlan](), Set<String>())
        func add(_ plan: CollectionPlan?, at place: SourcePosition?) {
            guard let plan else { return }
            guard properties.insert(plan.property).inserted else {
                return options.report("there are two collections '\(plan.name)'", at: place)
            }
            plans.append(plan)
        }
        for one in serviceOptions.flatMap({ $0.messages("collections") }) {
            add(collection(one, isPaginated: isPaginated), at: one.place("name"))
        }
        for (message, named) in markedMessages() {
            // Only `swift_state_root` is set, and a collection of the service's options takes precedence.
            if named == nil, plans.contains(where: { $0.item === message }) { continue }
            let place = named.map { $0.place("name") } ?? message.namePosition
            add(collection(named, of: message, isPaginated: isPaginated), at: place)
        }
        if plans.isEmpty { plans = inferred(service, isPaginated: isPaginated) }
        let counts = Dictionary(plans.map { (ObjectIdentifier($0.item), 1) }, uniquingKeysWith: +)
        for index in plans.indices { plans[index].sharesItem = counts[ObjectIdentifier(plans[index].item)] != 1 }
        return plans
    }

    /// Returns the messages of the file whose own options make them items of a collection.
    private func markedMessages() -> [(MessageDescriptor, NamedOptions?)] {
        var marked: [(MessageDescriptor, NamedOptions?)] = []
        options.file.eachMessage { message in
            let named = options.options(of: message)
            if let named { options.checkConflicts([named] + named.others) }
            let isRoot = options.bool("axiom.swift_state_root", of: message.options) == true
            if named != nil || isRoot { marked.append((message, named)) }
        }
        return marked
    }

    private func collection(_ named: NamedOptions, isPaginated: Bool) -> CollectionPlan? {
        guard let type = named.string("item_type") else {
            options.report("the collection has no item_type", at: named.fallback, hint: "Write the name of a message.")
            return nil
        }
        guard let item = options.message(type, from: options.file.package) else {
            options.report("there is no message '\(type)'", at: named.place("item_type"))
            return nil
        }
        return collection(named, of: item, isPaginated: isPaginated)
    }

    /// Returns the collection of a message: as the options set it, or with all features if there are no options.
    private func collection(
        _ named: NamedOptions?, of item: MessageDescriptor, name: String? = nil, isPaginated: Bool
    ) -> CollectionPlan? {
        let name = named?.string("name") ?? name ?? Self.collectionName(item)
        if let named, !SwiftNames.isPlainIdentifier(name) {
            options.report("'\(name)' cannot name a collection", at: named.place("name"))
        }
        let keyPlace = named.map { $0.place("primary_key") } ?? item.namePosition
        let keyFile = named == nil ? item.file : options.file
        guard let key = key(of: item, named: named?.string("primary_key"), at: keyPlace, in: keyFile) else {
            return nil
        }
        let limit = named?.integer("max_cached_items")
        if let limit, limit < 1 {
            options.report(
                "a collection keeps at least one item", at: named?.place("max_cached_items"),
                hint: "Omit max_cached_items for no limit.")
        }
        let sortFields = sortFields(of: item, isSortable: named == nil ? true : named?.bool("sortable"))
        return CollectionPlan(
            name: name, item: item, key: key, isPaginated: named?.bool("paginated") ?? isPaginated,
            searchFields: searchFields(of: item, isSearchable: named == nil ? true : named?.bool("searchable")),
            sortFields: sortFields, defaultSort: named.flatMap { defaultSort($0, of: item, sortFields) },
            limit: limit.map { Int(max(1, $0)) },
            ignoredFields: item.fields.filter { options.options(of: $0)?.bool("exclude_from_equality") == true })
    }

    /// Returns a collection for each message with an `id` that responses contain, singly or in a list.
    private func inferred(_ service: ServiceDescriptor, isPaginated: Bool) -> [CollectionPlan] {
        var (plans, items, properties) = ([CollectionPlan](), Set<ObjectIdentifier>(), Set<String>())
        for method in service.methods {
            guard let response = method.output else { continue }
            let lists = response.fields.filter { $0.label == .repeated && Self.hasID($0.message) }
            let single = response.fields.first { $0.label != .repeated && Self.hasID($0.message) }
            let item = Self.hasID(response) ? response : lists.first?.message ?? single?.message
            guard let item, !items.contains(ObjectIdentifier(item)) else { continue }
            let name = item === response ? nil : lists.first?.name
            let pages = PagePlan(of: response)
            guard let plan = collection(nil, of: item, name: name, isPaginated: isPaginated || !pages.isEmpty),
                properties.insert(plan.property).inserted
            else { continue }
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

    private func key(
        of item: MessageDescriptor, named name: String?, at place: SourcePosition?, in file: FileDescriptor
    ) -> FieldDescriptor? {
        let marked = item.fields.first { options.options(of: $0)?.bool("is_id_field") == true }
        let field =
            name.map { name in item.fields.first { $0.name == name } } ?? marked
            ?? item.fields.first { $0.name == "id" }
        guard let field else {
            options.report(
                name.map { "'\(item.name)' has no field '\($0)'" } ?? "'\(item.name)' has no field 'id'", at: place,
                in: file,
                hint: "Set primary_key to \(item.fields.filter(\.canBeKey).map(\.name).asChoice).")
            return nil
        }
        guard field.canBeKey else {
            options.report(
                "'\(field.name)' cannot identify an item", at: place, in: file, hint: "A key is a string or an integer."
            )
            return nil
        }
        return field
    }

    private func searchFields(of item: MessageDescriptor, isSearchable: Bool?) -> [FieldDescriptor] {
        let marked = item.fields.filter { options.options(of: $0)?.bool("searchable") == true }
        for field in marked where field.type != .string {
            options.report(
                "'\(field.name)' is not a text field and cannot be searched", at: field.namePosition, in: field.file)
        }
        guard isSearchable ?? !marked.isEmpty else { return [] }
        guard marked.isEmpty else { return marked.filter { $0.type == .string } }
        // A search does not cover keys, URLs and secrets.
        return item.fields.filter { field in
            field.type == .string && field.label != .repeated && field.name != "id"
                && !Self.unsearched.contains { field.name.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
        }
    }

    private static let unsearched = ["_id", "_url", "_token", "_secret", "_hash"]

    private func sortFields(of item: MessageDescriptor, isSortable: Bool?) -> [FieldDescriptor] {
        let marked = item.fields.filter { options.options(of: $0)?.bool("sortable") == true }
        for field in marked where !field.canBeSorted {
            options.report("items cannot be sorted by '\(field.name)'", at: field.namePosition, in: field.file)
        }
        guard isSortable ?? !marked.isEmpty else { return [] }
        return (marked.isEmpty ? item.fields : marked).filter(\.canBeSorted)
    }

    private func defaultSort(
        _ named: NamedOptions, of item: MessageDescriptor, _ fields: [FieldDescriptor]
    ) -> FieldDescriptor? {
        guard let name = named.string("default_sort_field") else { return nil }
        if let field = fields.first(where: { $0.name == name }) { return field }
        // A default order is valid without `sortable`, because one of the spellings has no such field.
        if let field = item.fields.first(where: { $0.name == name && $0.canBeSorted }), fields.isEmpty { return field }
        options.report(
            "'\(item.name)' cannot be sorted by '\(name)'", at: named.place("default_sort_field"),
            hint: "Use \(fields.map(\.name).asChoice).")
        return nil
    }
}

extension FieldDescriptor {
    /// Whether the field can identify an item.
    var canBeKey: Bool {
        label != .repeated && !isInRealOneof && (type == .string || scalarType?.isInteger == true)
    }

    /// Whether items can be sorted by the field.
    var canBeSorted: Bool {
        label != .repeated && !isInRealOneof
            && (isTime || type == .enum || scalarType.map { $0.label != "bytes" } ?? false)
    }
}
