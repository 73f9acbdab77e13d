// SPDX-License-Identifier: Apache-2.0

/// The effect of a response on the state.
enum StateStrategy: String, Sendable, Hashable, CaseIterable {
    /// Adds the items of the response to a collection.
    case append
    /// Replaces the collection with the items of the response.
    case replaceAll
    /// Replaces the item with the same key.
    case updateByID
    /// Removes the item whose key the request names.
    case removeByID
    /// Calls a function that the program implements.
    case custom
    /// Leaves the state unchanged.
    case noChange

    /// Creates the strategy for an enum value's name, with or without its prefix; nil for UNSPECIFIED.
    init?(option: String) {
        let prefix = "STATE_UPDATE_STRATEGY_"
        let name = option.hasPrefix(prefix) ? String(option.dropFirst(prefix.count)) : option
        guard let strategy = Self.allCases.first(where: { SwiftNames.snake($0.rawValue).uppercased() == name }) else {
            return nil
        }
        self = strategy
    }

    /// Creates the strategy for a value of `(axiom.swift_state_update)`.
    init?(shortName: String) {
        switch shortName {
        case "append": self = .append
        case "replace_all", "filter": self = .replaceAll
        case "replace", "update", "update_by_id": self = .updateByID
        case "remove", "remove_by_id": self = .removeByID
        case "custom": self = .custom
        case "none", "no_change": self = .noChange
        default: return nil
        }
    }

    /// Creates the strategy that a method's name suggests.
    init(methodName: String) {
        let verb = SwiftNames.words(methodName).first.map { String(decoding: $0, as: UTF8.self).lowercased() }
        switch verb {
        case "create", "add", "insert": self = .append
        case "get", "list", "find": self = .replaceAll
        case "update", "modify", "edit": self = .updateByID
        case "delete", "remove": self = .removeByID
        default: self = .custom
        }
    }
}

/// The cache of an action's responses.
enum CacheStrategy: String, Sendable, Hashable, CaseIterable {
    /// No cache.
    case none
    /// A cache in memory, used while the network is unreachable.
    case memory
    /// A cache in a persistent store, used while the network is unreachable.
    case persistent
    /// A cache in memory whose fresh responses replace calls.
    case conditional

    /// Creates the strategy for an enum value's name, with or without its prefix; nil for UNSPECIFIED.
    init?(option: String) {
        let prefix = "CACHE_STRATEGY_"
        self.init(rawValue: (option.hasPrefix(prefix) ? String(option.dropFirst(prefix.count)) : option).lowercased())
    }
}
