// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// The settings and dependencies of a service client.
public struct ClientSettings: Sendable {
    /// The clock of deadlines, delays and cached responses.
    public var clock: WallClock
    /// The network status; by default unknown, so that each call tries.
    public var network: NetworkStatus
    /// The store for responses with the cache strategy `persistent`; nil keeps them in memory.
    public var responseStore: (any ResponseStore)?
    /// The maximum number of responses in the memory cache.
    public var cachedResponseLimit: Int
    /// How long responses with the cache strategy `conditional` replace a call.
    public var cachedResponseLifetime: Duration
    /// The number of states that a stream buffers for a slow reader.
    public var bufferedStates: Int
    /// The metadata and limits that each call begins with.
    public var callOptions: CallOptions
    /// The source of the randomness in the delays of `processWithRetry`.
    package var random = RandomSource.system

    /// Creates settings.
    public init(
        clock: WallClock = .system, network: NetworkStatus = .unknown, responseStore: (any ResponseStore)? = nil,
        cachedResponseLimit: Int = 100, cachedResponseLifetime: Duration = .seconds(60), bufferedStates: Int = 64,
        callOptions: CallOptions = CallOptions()
    ) {
        self.clock = clock
        self.network = network
        self.responseStore = responseStore
        self.cachedResponseLimit = cachedResponseLimit
        self.cachedResponseLifetime = cachedResponseLifetime
        self.bufferedStates = bufferedStates
        self.callOptions = callOptions
    }
}

/// A source of the network status.
public struct NetworkStatus: Sendable {
    private let read: @Sendable () -> Bool

    /// Creates a status from a function that is called before each call.
    public init(isReachable: @escaping @Sendable () -> Bool) { read = isReachable }

    /// The unknown status: each call tries.
    public static let unknown = NetworkStatus { true }

    /// Whether to attempt a call.
    public var isReachable: Bool { read() }
}
