// SPDX-License-Identifier: Apache-2.0

/// What the answer to a call does to the state.
public enum StateStrategy: String, Sendable, Hashable, CaseIterable {
    /// Its items are added to a collection.
    case append
    /// Its items are the collection.
    case replaceAll
    /// Its item takes the place of the one with the same key.
    case updateByID
    /// The item with the key that the request names goes.
    case removeByID
    /// What the program says: a function that it must give.
    case custom
    /// Nothing.
    case noChange

    /// The strategy that a value of an enum names, with a prefix or without; nil for UNSPECIFIED.
    init?(option: String) {
        let prefix = "STATE_UPDATE_STRATEGY_"
        switch option.hasPrefix(prefix) ? String(option.dropFirst(prefix.count)) : option {
        case "APPEND": self = .append
        case "REPLACE_ALL": self = .replaceAll
        case "UPDATE_BY_ID": self = .updateByID
        case "REMOVE_BY_ID": self = .removeByID
        case "CUSTOM": self = .custom
        case "NO_CHANGE": self = .noChange
        default: return nil
        }
    }

    /// The strategy that a word of `(axiom.swift_state_update)` names.
    init?(word: String) {
        switch word {
        case "append": self = .append
        case "replace_all", "filter": self = .replaceAll
        case "replace", "update", "update_by_id": self = .updateByID
        case "remove", "remove_by_id": self = .removeByID
        case "custom": self = .custom
        case "none", "no_change": self = .noChange
        default: return nil
        }
    }

    /// The strategy that a method's name suggests.
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

/// Whether and where answers are kept.
public enum CacheStrategy: String, Sendable, Hashable, CaseIterable {
    /// Nowhere.
    case none
    /// In memory, for when the network is out of reach.
    case memory
    /// In a store that outlives the program, for when the network is out of reach.
    case persistent
    /// In memory, and given instead of a call while they are young enough.
    case conditional

    /// The strategy that a value of an enum names, with a prefix or without; nil for UNSPECIFIED.
    init?(option: String) {
        let prefix = "CACHE_STRATEGY_"
        self.init(rawValue: (option.hasPrefix(prefix) ? String(option.dropFirst(prefix.count)) : option).lowercased())
    }
}
