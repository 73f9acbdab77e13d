// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// What the client of a service takes from the world around it.
public struct ClientSettings: Sendable {
    /// The date, and the means to wait.
    public var clock: WallClock
    /// Whether there is a network; by default that is found out by calling.
    public var network: NetworkStatus
    /// Where answers are kept whose strategy is `persistent`; nil keeps them in memory.
    public var answers: (any AnswerStore)?
    /// How many answers are kept in memory at most.
    public var answerLimit: Int
    /// How long answers stand in for a call whose strategy is `conditional`.
    public var answerLifetime: Duration
    /// How many states a stream keeps for a reader that falls behind.
    public var bufferedStates: Int
    /// What each call says beside its message.
    public var callOptions: CallOptions

    /// Settings that differ from the usual ones in what is given.
    public init(
        clock: WallClock = .system, network: NetworkStatus = .unknown, answers: (any AnswerStore)? = nil,
        answerLimit: Int = 100, answerLifetime: Duration = .seconds(60), bufferedStates: Int = 64,
        callOptions: CallOptions = CallOptions()
    ) {
        self.clock = clock
        self.network = network
        self.answers = answers
        self.answerLimit = answerLimit
        self.answerLifetime = answerLifetime
        self.bufferedStates = bufferedStates
        self.callOptions = callOptions
    }
}

/// Whether there is a network, as somebody tells who knows it.
public struct NetworkStatus: Sendable {
    private let read: @Sendable () -> Bool

    /// A status that is asked for before each call.
    public init(isReachable: @escaping @Sendable () -> Bool) { read = isReachable }

    /// Nobody knows: each call tries.
    public static let unknown = NetworkStatus { true }

    /// Whether a call is worth its trial.
    public var isReachable: Bool { read() }
}
