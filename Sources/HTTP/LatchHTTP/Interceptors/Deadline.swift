// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// The moment after which nobody waits for an answer any more, on the measured time of a clock.
///
/// It travels with a request, so that everything on the way knows how much time is left.
public struct Deadline: Sendable {
    /// What the moment is measured with.
    private let clock: WallClock
    /// On the clock's measured time, which no change of the date moves.
    private let uptime: Duration

    /// The moment that is so far from now.
    public init(in limit: Duration, clock: WallClock = .system) {
        self.clock = clock
        uptime = clock.uptime + limit
    }

    /// How much time is left; negative once it has passed.
    public var remaining: Duration { uptime - clock.uptime }

    /// Whether no time is left.
    public var hasPassed: Bool { remaining <= .zero }
}

/// Until when an answer is of use.
private enum RequestDeadline: HTTPContextKey {
    static var defaultValue: Deadline? { nil }
}

/// Which attempt it is.
private enum RequestAttempt: HTTPContextKey {
    static var defaultValue: Int { 1 }
}

/// Whether the caller knows that repeating does no harm.
private enum RequestRepeatability: HTTPContextKey {
    static var defaultValue: Bool { false }
}

extension HTTPRequest {
    /// The moment by which an answer has to be there, whatever is tried until then; nil where there is none.
    ///
    /// It is made earlier by `tighten(to:)` and never later.
    public var deadline: Deadline? { context[RequestDeadline.self] }

    /// Lets the earlier of two deadlines hold: the one that the request has, and this one.
    public mutating func tighten(to deadline: Deadline) {
        if let current = self.deadline, current.remaining <= deadline.remaining { return }
        context[RequestDeadline.self] = deadline
    }

    /// How long a transfer that begins now may take.
    ///
    /// - Parameter usual: What counts where the request has no `timeout` of its own.
    package func timeLimit(usual: Duration) -> Duration {
        let limit = timeout ?? usual
        return deadline.map { min($0.remaining, limit) } ?? limit
    }

    /// Which attempt at the same request this is, counted from 1; `RetryInterceptor` counts.
    public var attempt: Int {
        get { context[RequestAttempt.self] }
        set { context[RequestAttempt.self] = newValue }
    }

    /// Whether sending the request twice does no harm, although its method does not say so (RFC 9110 §9.2.2).
    ///
    /// An Idempotency-Key is the better way, where the server knows it.
    public var isHarmlessToRepeat: Bool {
        get { context[RequestRepeatability.self] }
        set { context[RequestRepeatability.self] = newValue }
    }
}
