// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// What a client has done so far.
public struct ClientStatistics: Sendable, Hashable {
    /// Actions that were done.
    public var succeeded = 0
    /// Actions that failed, those with wrong requests among them.
    public var failed = 0
    /// Attempts that followed a failure.
    public var retried = 0
    /// Calls that went out.
    public var calls = 0
    /// Actions that an answer of before stood in for.
    public var answeredFromCache = 0
    /// Answers that could not be kept where they should have been.
    public var unkeptAnswers = 0
    /// States that were sent to streams.
    public var publishedStates = 0
    /// When the last action began; nil before the first.
    public var lastActionDate: Date?
    /// The name of the last action.
    public var lastAction: String?

    /// Nothing so far.
    public init() {}
}

/// How a client fares.
public struct ClientPerformance: Sendable, Hashable {
    /// How long the last action took, from its check to its state; zero before the first.
    public var lastActionTime: Duration = .zero
    /// How long actions took on average.
    public var averageActionTime: Duration = .zero
    /// How many read the stream of states.
    public var stateStreamSubscribers = 0

    /// A client that has done nothing.
    public init() {}
}
