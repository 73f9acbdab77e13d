// SPDX-License-Identifier: Apache-2.0

/// An action of a service client: a call with its request and the traits from the service's options.
public protocol ServiceAction: Sendable, CustomStringConvertible {
    var traits: ActionTraits { get }
    var request: any Message { get }
    /// The validation errors of the request: one sentence per violated rule, with the name of the field.
    var validationErrors: [String] { get }
}

extension ServiceAction {
    /// Whether the request is valid.
    public var isValid: Bool { validationErrors.isEmpty }

    /// The name in statistics and logs.
    public var actionName: String { traits.name }

    /// Whether the action requires the network.
    public var requiresNetworkAccess: Bool { traits.requiresNetwork }

    /// Whether the action modifies the state.
    public var modifiesState: Bool { traits.modifiesState }

    /// Whether the state shows the action as loading.
    public var showsLoadingState: Bool { traits.showsLoading }

    /// Whether a cached response may be used while the network is unreachable.
    public var supportsOffline: Bool { traits.supportsOffline }

    /// The effect of the response on the state.
    public var stateUpdateStrategy: StateUpdateStrategy { traits.strategy }

    /// The caching of responses.
    public var cacheStrategy: CacheStrategy { traits.cache }

    /// The name of the action and the fields of its request, with secrets redacted.
    public var description: String { "\(traits.name)(\(request.description))" }
}

/// The traits of an action, independent of its request.
public struct ActionTraits: Sendable, Hashable {
    /// The name of the action.
    public let name: String
    /// The effect of the response on the state.
    public let strategy: StateUpdateStrategy
    /// The caching of responses.
    public let cache: CacheStrategy
    /// Whether the action requires the network.
    public let requiresNetwork: Bool
    /// Whether the action modifies the state.
    public let modifiesState: Bool
    /// Whether the state shows the action as loading.
    public let showsLoading: Bool
    /// Whether a cached response may be used while the network is unreachable.
    public let supportsOffline: Bool
    /// Whether a repetition has no additional effect (`option idempotency_level`).
    public let isIdempotent: Bool

    /// Creates traits.
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

/// The effect of an action's response on the state.
public enum StateUpdateStrategy: String, Sendable, Hashable, CaseIterable {
    /// The items of the response are appended to a collection.
    case append
    /// The items of the response replace a collection.
    case replaceAll
    /// The item of the response replaces the one with the same key.
    case updateByID
    /// The item whose key the request names is removed.
    case removeByID
    /// A function of the application updates the state.
    case custom
    /// The state does not change.
    case noChange
}

/// The caching of an action's responses.
public enum CacheStrategy: String, Sendable, Hashable, CaseIterable {
    /// The response is not cached.
    case none
    /// A memory cache, used while the network is unreachable.
    case memory
    /// The client's response store, used while the network is unreachable, even after a restart.
    case persistent
    /// A memory cache whose fresh responses replace calls.
    case conditional
}
