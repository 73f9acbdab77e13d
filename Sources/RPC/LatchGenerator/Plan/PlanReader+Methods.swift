// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension PlanReader {
    /// The actions of a service: its calls that do not stream.
    func methods(of service: ServiceDescriptor, _ collections: [CollectionPlan]) -> [MethodPlan] {
        var names: Set<String> = []
        let index = CollectionIndex(collections)
        return service.methods.compactMap { method in
            guard !method.isClientStreaming, !method.isServerStreaming, let request = method.input,
                let answer = method.output
            else { return nil }
            let plan = plan(method, request, answer, collections, index)
            if !names.insert(plan.caseName).inserted {
                diagnostics.add(
                    "there are two actions '\(plan.caseName)'", at: method.place,
                    hint: "Names that differ in underscores and capitals alone are one in Swift.")
            }
            return plan
        }
    }

    private func plan(
        _ method: MethodDescriptor, _ request: MessageDescriptor, _ answer: MessageDescriptor,
        _ collections: [CollectionPlan], _ index: CollectionIndex
    ) -> MethodPlan {
        let options = methodOptions(of: method)
        checkConflicts(options)
        let intent = strategy(of: method, options)
        let collection = collection(of: method, options, intent.strategy, collections, index)
        let items = collection.map { Self.items(of: answer, collections[$0]) } ?? .none
        var strategy = settled(intent, method, collection.map { collections[$0] }, items)
        let needsKey = strategy == .updateByID || strategy == .removeByID
        let key = needsKey ? collection.flatMap { self.key(method, options, collections[$0], strategy, intent) } : nil
        // `RemoveSearchAttributes` was only thought to be about a known item.
        if strategy == .removeByID, key == nil, !intent.isSaid { strategy = .noChange }
        let (cache, isOffline) = cache(options, method, strategy)
        return MethodPlan(
            method: method, request: request, answer: answer, caseName: caseName(method), strategy: strategy,
            collection: collection, items: items, requestKey: key, page: PagePlan(of: answer),
            requiresNetwork: first(options) { $0.bool("requires_network") } ?? true,
            modifiesState: first(options) { $0.bool("modifies_state") } ?? (strategy != .noChange),
            showsLoading: first(options) { $0.bool("show_loading_state") } ?? true, supportsOffline: isOffline,
            cache: cache,
            documentation: first(options) { $0.string("action_documentation") } ?? method.comments.documentation,
            rules: options.flatMap { one in
                one.strings("validation_rules").enumerated().map {
                    RuleText(text: $1, place: one.place("validation_rules", $0))
                }
            },
            constraints: constraints(of: request))
    }

    /// Options of both spellings; what the first says counts.
    private func methodOptions(of method: MethodDescriptor) -> [NamedOptions] {
        [
            scope.message("axiom.method_options", of: method.options),
            scope.message("axiom.options.v1.axiom_method", of: method.options),
        ].compactMap { $0 }
    }

    private func first<Value>(_ options: [NamedOptions], _ read: (NamedOptions) -> Value?) -> Value? {
        options.lazy.compactMap(read).first
    }

    /// The name of an action; members that all actions have keep theirs.
    private func caseName(_ method: MethodDescriptor) -> String {
        guard let (name, place) = scope.string("axiom.swift_action_name", of: method.options) else {
            let earlier = method.service.methods.prefix { $0 !== method }
            let count = earlier.count { SwiftNames.areAlike($0.name, method.name) }
            return Self.caseName(SwiftNames.lowerCamel(method.name) + (count == 0 ? "" : "_\(count + 1)"))
        }
        if !SwiftNames.isPlainIdentifier(name) {
            diagnostics.add("'\(name)' cannot name an action", at: place)
        }
        return Self.caseName(name)
    }

    private static func caseName(_ name: String) -> String { SwiftNames.identifier(name, reserved: members) }

    private static let members: ReservedWords = [
        "init", "self", "Self", "Type", "Protocol", "none", "some", "isValid", "validationErrors",
        "requiresNetworkAccess", "modifiesState", "actionName", "showsLoadingState", "stateUpdateStrategy",
        "cacheStrategy", "supportsOffline", "description", "request", "hashValue",
    ]

    /// A strategy, where it is said, and whether it is.
    private struct Intent {
        let strategy: StateStrategy
        let isSaid: Bool
        let place: Place?
    }

    /// What `swift_state_update` says otherwise than an option.
    private func checkWord(of method: MethodDescriptor, _ options: [NamedOptions]) {
        let spelling = "axiom.swift_state_update"
        guard let (word, place) = scope.string(spelling, of: method.options), let own = StateStrategy(word: word)
        else { return }
        for one in options {
            guard let said = one.word("state_update_strategy"), let strategy = StateStrategy(option: said),
                strategy != own
            else { continue }
            let name = "state_update_strategy"
            conflict(name, Saying(name, of: one), Saying("\"\(word)\"", place, spelling))
        }
    }

    private func strategy(of method: MethodDescriptor, _ options: [NamedOptions]) -> Intent {
        checkWord(of: method, options)
        for one in options {
            guard let word = one.word("state_update_strategy"), let strategy = StateStrategy(option: word) else {
                continue
            }
            return Intent(strategy: strategy, isSaid: true, place: one.place("state_update_strategy"))
        }
        if let (word, place) = scope.string("axiom.swift_state_update", of: method.options) {
            if let strategy = StateStrategy(word: word) {
                return Intent(strategy: strategy, isSaid: true, place: place)
            }
            diagnostics.add(
                "'\(word)' is no way to update the state", at: place,
                hint: "Write append, replace, replace_all, update, remove, filter, custom or none.")
        }
        return Intent(strategy: StateStrategy(methodName: method.name), isSaid: false, place: method.place)
    }

    /// What the strategy comes to with what the answer holds: one that was concluded gives way, one that is said is
    /// wrong.
    private func settled(
        _ intent: Intent, _ method: MethodDescriptor, _ collection: CollectionPlan?, _ items: AnswerItems
    ) -> StateStrategy {
        switch (intent.strategy, items) {
        case (.custom, _), (.noChange, _): return intent.strategy
        case (.removeByID, _) where collection != nil: return .removeByID
        case (.append, .itself), (.append, .one), (.append, .many), (.replaceAll, .many): return intent.strategy
        case (.updateByID, .itself), (.updateByID, .one): return .updateByID
        // `GetUser` answers with one user, who takes the place of the one that was there.
        case (.replaceAll, .itself), (.replaceAll, .one): if !intent.isSaid { return .updateByID }
        default: if !intent.isSaid { return .noChange }
        }
        let what = collection.map { "'\(method.output?.name ?? "")' holds nothing for '\($0.name)'" }
        diagnostics.add(
            "'\(method.name)' cannot \(Self.words[intent.strategy] ?? ""): \(what ?? "no collection is named")",
            at: intent.place,
            hint: collection == nil
                ? "Set collection_name to a collection of the service."
                : "Choose CUSTOM and write the update, or NO_CHANGE.")
        return .noChange
    }

    private static let words: [StateStrategy: String] = [
        .append: "append", .replaceAll: "replace all items", .updateByID: "update an item",
        .removeByID: "remove an item",
    ]

    private func collection(
        of method: MethodDescriptor, _ options: [NamedOptions], _ strategy: StateStrategy,
        _ collections: [CollectionPlan], _ index: CollectionIndex
    ) -> Int? {
        for one in options {
            guard let name = one.string("collection_name") else { continue }
            if let index = collections.firstIndex(where: { $0.name == name || $0.property == name }) { return index }
            diagnostics.add(
                "there is no collection '\(name)'", at: one.place("collection_name"),
                hint: "The service has \(collections.map(\.name).asChoice).")
            return nil
        }
        guard let answer = method.output else { return nil }
        // `DeleteUser` names it, since the answer says nothing.
        return index.first(heldBy: answer) ?? index.first(namedBy: method)
            ?? (collections.count == 1 && strategy == .removeByID ? 0 : nil)
    }

    private static func items(of answer: MessageDescriptor, _ collection: CollectionPlan) -> AnswerItems {
        if answer === collection.item { return .itself }
        let fields = answer.fields.filter { $0.message === collection.item }
        let named =
            fields.first { $0.name == collection.name } ?? fields.first { $0.label == .repeated } ?? fields.first
        guard let field = named else { return .none }
        return field.label == .repeated ? .many(field) : .one(field)
    }

    /// The field of the request that names the item.
    private func key(
        _ method: MethodDescriptor, _ options: [NamedOptions], _ collection: CollectionPlan, _ strategy: StateStrategy,
        _ intent: Intent
    ) -> FieldDescriptor? {
        guard let request = method.input else { return nil }
        let option = options.first { $0.string("id_field_name") != nil }
        if let option, let name = option.string("id_field_name") {
            if let field = request.fields.first(where: { $0.name == name }) {
                return suitable(field, for: collection, at: option.place("id_field_name"))
            }
            // A name of the item's field says what is concluded anyway.
            guard collection.item.fields.contains(where: { $0.name == name }) else {
                diagnostics.add(
                    "neither '\(request.name)' nor '\(collection.item.name)' has a field '\(name)'",
                    at: option.place("id_field_name"))
                return nil
            }
        }
        let item = SwiftNames.snake(collection.item.name)
        let names = [collection.key.name, "\(item)_\(collection.key.name)", "\(item)_id"]
        let field = names.lazy.compactMap { name in request.fields.first { $0.name == name } }.first
        if let field, field.hasKeyType(of: collection.key) { return field }
        guard strategy == .removeByID, intent.isSaid else { return nil }
        diagnostics.add(
            "'\(request.name)' does not say which item of '\(collection.name)' is removed",
            at: option?.place("id_field_name") ?? method.place,
            hint: "Set id_field_name to a field of the request.")
        return nil
    }

    private func suitable(
        _ field: FieldDescriptor, for collection: CollectionPlan, at place: Place?
    ) -> FieldDescriptor? {
        guard field.hasKeyType(of: collection.key) else {
            diagnostics.add(
                "'\(field.name)' is of another type than '\(collection.item.name).\(collection.key.name)'", at: place)
            return nil
        }
        return field
    }

    /// Where answers are kept, and whether they stand in for the network.
    private func cache(
        _ options: [NamedOptions], _ method: MethodDescriptor, _ strategy: StateStrategy
    ) -> (CacheStrategy, Bool) {
        let option = options.first { $0.word("cache_strategy").flatMap(CacheStrategy.init(option:)) != nil }
        let cache = option?.word("cache_strategy").flatMap(CacheStrategy.init(option:))
        let offline = options.first { $0.bool("supports_offline") != nil }
        let isOffline = offline?.bool("supports_offline") ?? false
        if isOffline, cache == CacheStrategy.none {
            diagnostics.add(
                "'\(method.name)' has no answer without the network, since none is kept",
                at: offline?.place("supports_offline"), hint: "Choose MEMORY or PERSISTENT as cache_strategy.")
        }
        if cache == .conditional, strategy == .append || strategy == .removeByID {
            diagnostics.add(
                "'\(method.name)' would be answered without asking the server to do it",
                at: option?.place("cache_strategy"), hint: "CONDITIONAL is for calls that only read.")
        }
        return (cache ?? (isOffline ? .memory : .none), isOffline)
    }
}

/// The collections of a service by what leads to them, so that each method finds its own at once.
struct CollectionIndex {
    private var items: [ObjectIdentifier: Int] = [:]
    private var names: [String: Int] = [:]

    init(_ collections: [CollectionPlan]) {
        for (index, collection) in collections.enumerated() {
            items[ObjectIdentifier(collection.item)] = items[ObjectIdentifier(collection.item)] ?? index
            let item = SwiftNames.snake(collection.item.name)
            for name in [item, collection.name, CollectionPlan.plural(item)] { names[name] = names[name] ?? index }
        }
    }

    /// The first one whose items an answer holds.
    func first(heldBy answer: MessageDescriptor) -> Int? {
        guard !items.isEmpty else { return nil }
        return ([answer] + answer.fields.compactMap(\.message)).compactMap { items[ObjectIdentifier($0)] }.min()
    }

    /// The first one that a method has in its name, behind a verb.
    func first(namedBy method: MethodDescriptor) -> Int? {
        names[SwiftNames.snake(method.name).split(separator: "_").dropFirst().joined(separator: "_")]
    }
}

extension PagePlan {
    /// The fields that answers of pages have by custom.
    init(of answer: MessageDescriptor) {
        func field(_ names: [String], _ fits: @escaping (FieldDescriptor) -> Bool) -> FieldDescriptor? {
            names.lazy.compactMap { name in
                answer.fields.first { $0.name == name && $0.label != .repeated && fits($0) }
            }.first
        }
        let integers: [FieldType] = [.int32, .int64, .uint32, .uint64, .sint32, .sint64]
        cursor = field(["next_cursor", "next_page_token", "cursor"]) { $0.type == .string }
        total = field(["total_count", "total_size", "total"]) { $0.type.map(integers.contains) ?? false }
        hasMore = field(["has_more", "has_next_page"]) { $0.type == .bool }
    }
}

extension FieldDescriptor {
    /// Whether its values are of the type of a key's.
    fileprivate func hasKeyType(of key: FieldDescriptor) -> Bool {
        canBeKey && SwiftKeyType(self) == SwiftKeyType(key)
    }
}

/// The type of a key in Swift.
enum SwiftKeyType: String {
    case text = "String"
    case int32 = "Int32"
    case int64 = "Int64"
    case uint32 = "UInt32"
    case uint64 = "UInt64"

    init?(_ field: FieldDescriptor) {
        switch field.type {
        case .string: self = .text
        case .int32, .sint32, .sfixed32: self = .int32
        case .int64, .sint64, .sfixed64: self = .int64
        case .uint32, .fixed32: self = .uint32
        case .uint64, .fixed64: self = .uint64
        default: return nil
        }
    }
}
