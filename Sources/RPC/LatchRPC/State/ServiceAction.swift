// SPDX-License-Identifier: Apache-2.0

/// Something that the client of a service can be asked to do: a call with its request, and what the options say of it.
public protocol ServiceAction: Sendable, CustomStringConvertible {
    /// What the options say of it, whatever its request.
    var traits: ActionTraits { get }
    /// What is sent.
    var request: any Message { get }
    /// What is wrong with the request, one sentence for each rule that it breaks, the field's name in it.
    var validationErrors: [String] { get }
}

extension ServiceAction {
    /// Whether the request keeps all rules.
    public var isValid: Bool { validationErrors.isEmpty }

    /// The name of the action.
    public var actionName: String { traits.name }

    /// Whether it is pointless without the network.
    public var requiresNetworkAccess: Bool { traits.requiresNetwork }

    /// Whether it changes the state.
    public var modifiesState: Bool { traits.modifiesState }

    /// Whether the state says meanwhile that something is loading.
    public var showsLoadingState: Bool { traits.showsLoading }

    /// Whether an answer of before stands in while the network is out of reach.
    public var supportsOffline: Bool { traits.supportsOffline }

    /// What the answer does to the state.
    public var stateUpdateStrategy: StateUpdateStrategy { traits.strategy }

    /// Whether and where answers are kept.
    public var cacheStrategy: CacheStrategy { traits.cache }

    /// The name of the action and the fields of its request, those that are secret redacted.
    public var description: String { "\(traits.name)(\(request.description))" }
}

/// What is known of an action before it has a request.
public struct ActionTraits: Sendable, Hashable {
    /// Its name.
    public let name: String
    /// What the answer does to the state.
    public let strategy: StateUpdateStrategy
    /// Whether and where answers are kept.
    public let cache: CacheStrategy
    /// Whether it is pointless without the network.
    public let requiresNetwork: Bool
    /// Whether it changes the state.
    public let modifiesState: Bool
    /// Whether the state says meanwhile that something is loading.
    public let showsLoading: Bool
    /// Whether an answer of before stands in while the network is out of reach.
    public let supportsOffline: Bool
    /// Whether doing it twice is the same as doing it once (`option idempotency_level`).
    public let isIdempotent: Bool

    /// Traits.
    public init(
        _ name: String, _ strategy: StateUpdateStrategy, cache: CacheStrategy = .none, requiresNetwork: Bool = true,
        modifiesState: Bool = true, showsLoading: Bool = true, supportsOffline: Bool = false,
        isIdempotent: Bool = false
    ) {
        self.name = name
        self.strategy = strategy
        self.cache = cache
        self.requiresNetwork = requiresNetwork
        self.modifiesState = modifiesState
        self.showsLoading = showsLoading
        self.supportsOffline = supportsOffline
        self.isIdempotent = isIdempotent
    }
}

/// What the answer to an action does to the state.
public enum StateUpdateStrategy: String, Sendable, Hashable, CaseIterable {
    /// Its items are added to a collection.
    case append
    /// Its items are the collection.
    case replaceAll
    /// Its item takes the place of the one with the same key.
    case updateByID
    /// The item with the key that the request names goes.
    case removeByID
    /// What a function of the program does.
    case custom
    /// Nothing.
    case noChange
}

/// Whether and where the answers to an action are kept.
public enum CacheStrategy: String, Sendable, Hashable, CaseIterable {
    /// Nowhere.
    case none
    /// In memory, for when the network is out of reach.
    case memory
    /// In the store of the client, for when the network is out of reach, be it after a new start.
    case persistent
    /// In memory, and given instead of a call while they are young enough.
    case conditional
}
