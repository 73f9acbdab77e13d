// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// The activity counters of a client.
public struct ClientStatistics: Sendable, Hashable {
    /// The number of successful actions.
    public var succeeded = 0
    /// The number of failed actions, including those with invalid requests.
    public var failed = 0
    /// The number of retries.
    public var retried = 0
    /// The number of calls sent.
    public var calls = 0
    /// The number of actions served from a cached response.
    public var cacheHits = 0
    /// The number of responses that the store could not keep.
    public var failedCacheWrites = 0
    /// The number of states published to streams.
    public var publishedStates = 0
    /// The start of the last action; nil before the first.
    public var lastActionDate: Date?
    /// The name of the last action.
    public var lastAction: String?

    /// Creates counters of zero.
    public init() {}
}

/// The runtime statistics of a client.
public struct ClientPerformance: Sendable, Hashable {
    /// The duration of the last action, from its validation to its state; zero before the first.
    public var lastActionTime: Duration = .zero
    /// The mean time of all completed actions; zero before the first.
    public var averageActionTime: Duration = .zero
    /// The number of readers of the state stream.
    public var stateStreamSubscribers = 0

    /// Creates statistics of zero.
    public init() {}
}
