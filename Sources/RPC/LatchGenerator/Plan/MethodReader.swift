// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// Reads the actions of a service from the options of its methods, and infers what they do not set.
struct MethodReader {
    let options: OptionReader
    let collections: [CollectionPlan]
    private let index: CollectionIndex

    init(_ options: OptionReader, _ collections: [CollectionPlan]) {
        self.options = options
        self.collections = collections
        index = CollectionIndex(collections)
    }

    /// Returns the actions of a service: its unary methods.
    func methods(of service: ServiceDescriptor) -> [MethodPlan] {
        var names: Set<String> = []
        return service.methods.compactMap { method in
            guard !method.isClientStreaming, !method.isServerStreaming, let request = method.input,
                let response = method.output
            else { return nil }
            let plan = plan(method, request, response)
            if !names.insert(plan.caseName).inserted {
                options.report(
                    "there are two actions '\(plan.caseName)'", at: method.namePosition,
                    hint: "Names that differ only in underscores and case are the same in Swift.")
            }
            return plan
        }
    }

    /// Returns the rules for the requests of a service's streaming methods.
    func streams(of service: ServiceDescriptor) -> [RequestRules] {
        service.methods.compactMap { method in
            guard method.isClientStreaming || method.isServerStreaming, let request = method.input else { return nil }
            let named = options.options(of: method)
            options.checkConflicts(named)
            return requirements(of: method, named, request)
        }
    }

    private func requirements(
        of method: MethodDescriptor, _ named: [NamedOptions], _ request: MessageDescriptor
    ) -> RequestRules {
        RequestRules(
            method: method,
            rules: named.flatMap { one in
                one.strings("validation_rules").enumerated().map {
                    RuleText(text: $1, place: one.place("validation_rules", $0))
                }
            },
            constraints: ConstraintReader(options: options).constraints(ofRequest: request))
    }

    private func plan(
        _ method: MethodDescriptor, _ request: MessageDescriptor, _ response: MessageDescriptor
    ) -> MethodPlan {
        let named = options.options(of: method)
        options.checkConflicts(named)
        let intent = intent(of: method, named)
        let collection = collection(of: method, named, intent.strategy)
        let items = collection.map { Self.items(of: response, collections[$0]) } ?? .none
        var strategy = resolved(intent, method, collection.map { collections[$0] }, items)
        let needsKey = strategy == .updateByID || strategy == .removeByID
        let key = needsKey ? collection.flatMap { self.key(method, named, collections[$0], strategy, intent) } : nil
        // For example, `RemoveSearchAttributes` is named like a removal, but its request has no key.
        if strategy == .removeByID, key == nil, !intent.isExplicit { strategy = .noChange }
        let (cache, isOffline) = cache(named, method, strategy)
        return MethodPlan(
            method: method, request: request, response: response, caseName: caseName(method), strategy: strategy,
            collection: collection, items: items, requestKey: key, page: PagePlan(of: response),
            requiresNetwork: first(named) { $0.bool("requires_network") } ?? true,
            modifiesState: first(named) { $0.bool("modifies_state") } ?? (strategy != .noChange),
            showsLoading: first(named) { $0.bool("show_loading_state") } ?? true, supportsOffline: isOffline,
            cache: cache,
            documentation: first(named) { $0.string("action_documentation") } ?? method.comments.documentation,
            requirements: requirements(of: method, named, request))
    }

    /// Returns the value from the first spelling that sets it.
    private func first<Value>(_ named: [NamedOptions], _ read: (NamedOptions) -> Value?) -> Value? {
        named.lazy.compactMap(read).first
    }

    /// Returns the case name of an action, which must differ from the members that all actions have.
    private func caseName(_ method: MethodDescriptor) -> String {
        guard let (name, place) = options.string("axiom.swift_action_name", of: method.options, in: method.file) else {
            let count = method.earlierAlike
            return Self.caseName(SwiftNames.lowerCamel(method.name) + (count == 0 ? "" : "_\(count + 1)"))
        }
        if !SwiftNames.isPlainIdentifier(name) {
            options.report("'\(name)' cannot name an action", at: place)
        }
        return Self.caseName(name)
    }

    private static func caseName(_ name: String) -> String { SwiftNames.identifier(name, reserved: members) }

    private static let members: ReservedWords = [
        "init", "self", "Self", "Type", "Protocol", "none", "some", "isValid", "validationErrors",
        "requiresNetworkAccess", "modifiesState", "actionName", "showsLoadingState", "stateUpdateStrategy",
        "cacheStrategy", "supportsOffline", "description", "request", "hashValue",
    ]

    /// A strategy, its source position, and whether an option sets it.
    private struct Intent {
        let strategy: StateStrategy
        let isExplicit: Bool
        let place: SourcePosition?
    }

    /// Returns the strategy that the options set, or the one that the method's name suggests.
    private func intent(of method: MethodDescriptor, _ named: [NamedOptions]) -> Intent {
        let (name, spelling) = ("state_update_strategy", "axiom.swift_state_update")
        let short = options.string(spelling, of: method.options, in: method.file)
        let shortStrategy = short.flatMap { StateStrategy(shortName: $0.text) }
        var explicit: Intent?
        for one in named {
            guard let strategy = one.enumValueName(name).flatMap(StateStrategy.init(option:)) else { continue }
            explicit = explicit ?? Intent(strategy: strategy, isExplicit: true, place: one.place(name))
            if let short, let shortStrategy, strategy != shortStrategy {
                options.checkConflict(name, OptionValue(name, of: one), OptionValue(short, spelling))
            }
        }
        if let explicit { return explicit }
        if let short {
            if let shortStrategy { return Intent(strategy: shortStrategy, isExplicit: true, place: short.place) }
            options.report(
                "'\(short.text)' is not a state update strategy", at: short.place,
                hint: "Write append, replace, replace_all, update, remove, filter, custom or none.")
        }
        return Intent(strategy: StateStrategy(methodName: method.name), isExplicit: false, place: method.namePosition)
    }

    /// Returns the strategy that fits the items of the response.
    ///
    /// An inferred strategy is adapted; an explicit strategy that does not fit is an error.
    private func resolved(
        _ intent: Intent, _ method: MethodDescriptor, _ collection: CollectionPlan?, _ items: ResponseItems
    ) -> StateStrategy {
        switch (intent.strategy, items) {
        case (.custom, _), (.noChange, _): return intent.strategy
        case (.removeByID, _) where collection != nil: return .removeByID
        case (.append, .itself), (.append, .one), (.append, .many), (.replaceAll, .many): return intent.strategy
        case (.updateByID, .itself), (.updateByID, .one): return .updateByID
        // `GetUser` returns one user, which replaces the known one.
        case (.replaceAll, .itself), (.replaceAll, .one): if !intent.isExplicit { return .updateByID }
        default: if !intent.isExplicit { return .noChange }
        }
        let reason = collection.map { "'\(method.output?.name ?? "")' has no items of '\($0.name)'" }
        options.report(
            "'\(method.name)' cannot \(Self.phrases[intent.strategy] ?? ""): \(reason ?? "it names no collection")",
            at: intent.place,
            hint: collection == nil
                ? "Set collection_name to a collection of the service."
                : "Choose CUSTOM and write the update, or NO_CHANGE.")
        return .noChange
    }

    private static let phrases: [StateStrategy: String] = [
        .append: "append", .replaceAll: "replace all items", .updateByID: "update an item",
        .removeByID: "remove an item",
    ]

    private func collection(
        of method: MethodDescriptor, _ named: [NamedOptions], _ strategy: StateStrategy
    ) -> Int? {
        for one in named {
            guard let name = one.string("collection_name") else { continue }
            if let index = collections.firstIndex(where: { $0.name == name || $0.property == name }) { return index }
            options.report(
                "there is no collection '\(name)'", at: one.place("collection_name"),
                hint: "The service has \(collections.map(\.name).asChoice).")
            return nil
        }
        guard let response = method.output else { return nil }
        // The response of `DeleteUser` is empty, but its name refers to the collection.
        return index.first(in: response) ?? index.first(namedBy: method)
            ?? (collections.count == 1 && strategy == .removeByID ? 0 : nil)
    }

    private static func items(of response: MessageDescriptor, _ collection: CollectionPlan) -> ResponseItems {
        if response === collection.item { return .itself }
        let fields = response.fields.filter { $0.message === collection.item }
        let named =
            fields.first { $0.name == collection.name } ?? fields.first { $0.label == .repeated } ?? fields.first
        guard let field = named else { return .none }
        return field.label == .repeated ? .many(field) : .one(field)
    }

    /// Returns the request's field that contains the key of the item.
    private func key(
        _ method: MethodDescriptor, _ named: [NamedOptions], _ collection: CollectionPlan, _ strategy: StateStrategy,
        _ intent: Intent
    ) -> FieldDescriptor? {
        guard let request = method.input else { return nil }
        let option = named.first { $0.string("id_field_name") != nil }
        if let option, let name = option.string("id_field_name") {
            if let field = request.fields.first(where: { $0.name == name }) {
                if field.hasKeyType(of: collection.key) { return field }
                options.report(
                    "'\(name)' has a different type than '\(collection.item.name).\(collection.key.name)'",
                    at: option.place("id_field_name"))
                return nil
            }
            // The option may also name the item's key, from which the request's field is inferred anyway.
            guard collection.item.fields.contains(where: { $0.name == name }) else {
                options.report(
                    "neither '\(request.name)' nor '\(collection.item.name)' has a field '\(name)'",
                    at: option.place("id_field_name"))
                return nil
            }
        }
        let item = SwiftNames.snake(collection.item.name)
        let names = [collection.key.name, "\(item)_\(collection.key.name)", "\(item)_id"]
        let field = names.lazy.compactMap { name in request.fields.first { $0.name == name } }.first
        if let field, field.hasKeyType(of: collection.key) { return field }
        guard strategy == .removeByID, intent.isExplicit else { return nil }
        options.report(
            "'\(request.name)' does not identify the item of '\(collection.name)' to remove",
            at: option?.place("id_field_name") ?? method.namePosition,
            hint: "Set id_field_name to a field of the request.")
        return nil
    }

    /// Returns the cache of an action, and whether cached responses are used while offline.
    private func cache(
        _ named: [NamedOptions], _ method: MethodDescriptor, _ strategy: StateStrategy
    ) -> (CacheStrategy, Bool) {
        let option = named.first { $0.enumValueName("cache_strategy").flatMap(CacheStrategy.init(option:)) != nil }
        let cache = option?.enumValueName("cache_strategy").flatMap(CacheStrategy.init(option:))
        let offline = named.first { $0.bool("supports_offline") != nil }
        let isOffline = offline?.bool("supports_offline") ?? false
        if isOffline, cache == CacheStrategy.none {
            options.report(
                "'\(method.name)' cannot work offline: its responses are not cached",
                at: offline?.place("supports_offline"), hint: "Choose MEMORY or PERSISTENT as cache_strategy.")
        }
        if cache == .conditional, strategy == .append || strategy == .removeByID {
            options.report(
                "'\(method.name)' would return a cached response without a call to the server",
                at: option?.place("cache_strategy"), hint: "CONDITIONAL is for methods that only read.")
        }
        return (cache ?? (isOffline ? .memory : .none), isOffline)
    }
}

/// An index of a service's collections by item and by name.
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

    /// Returns the first collection whose items a response contains.
    func first(in response: MessageDescriptor) -> Int? {
        guard !items.isEmpty else { return nil }
        return ([response] + response.fields.compactMap(\.message)).compactMap { items[ObjectIdentifier($0)] }.min()
    }

    /// Returns the first collection that a method's name mentions after its verb.
    func first(namedBy method: MethodDescriptor) -> Int? {
        names[SwiftNames.snake(method.name).split(separator: "_").dropFirst().joined(separator: "_")]
    }
}

extension PagePlan {
    /// Finds the conventional pagination fields of a response.
    init(of response: MessageDescriptor) {
        func field(_ names: [String], _ fits: @escaping (FieldDescriptor) -> Bool) -> FieldDescriptor? {
            names.lazy.compactMap { name in
                response.fields.first { $0.name == name && $0.label != .repeated && fits($0) }
            }.first
        }
        let integers: [FieldType] = [.int32, .int64, .uint32, .uint64, .sint32, .sint64]
        cursor = field(["next_cursor", "next_page_token", "cursor"]) { $0.type == .string }
        total = field(["total_count", "total_size", "total"]) { $0.type.map(integers.contains) ?? false }
        hasMore = field(["has_more", "has_next_page"]) { $0.type == .bool }
    }
}

extension FieldDescriptor {
    /// Whether the field's values have the type of a key's values.
    fileprivate func hasKeyType(of key: FieldDescriptor) -> Bool {
        canBeKey && scalarType?.type == key.scalarType?.type
    }
}
