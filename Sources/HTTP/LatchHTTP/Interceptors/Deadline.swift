// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// The point in time after which a response is no longer useful, measured on a clock's uptime.
///
/// It is part of a request, so that every handler can compute the remaining time.
public struct Deadline: Sendable {
    /// The clock that measures the time.
    private let clock: WallClock
    /// The uptime at which the deadline passes; it is unaffected by changes of the date.
    private let uptime: Duration

    /// Creates a deadline after a duration from now.
    package init(in limit: Duration, clock: WallClock = .system) {
        self.clock = clock
        uptime = clock.uptime + limit
    }

    /// The remaining time; negative when the deadline has passed.
    public var remaining: Duration { uptime - clock.uptime }

    /// Whether no time is left.
    package var hasPassed: Bool { remaining <= .zero }
}

private enum RequestDeadline: HTTPContextKey {
    static var defaultValue: Deadline? { nil }
}

/// The number of the attempt.
private enum RequestAttempt: HTTPContextKey {
    static var defaultValue: Int { 1 }
}

/// Whether the caller declares that a retry does no harm.
private enum RequestRepeatability: HTTPContextKey {
    static var defaultValue: Bool { false }
}

/// Whether only its connection ends the request.
private enum RequestUninterruptibility: HTTPContextKey {
    static var defaultValue: Bool { false }
}

/// Whether the deadline stops applying once the response head has arrived.
enum RequestOpenEnd: HTTPContextKey {
    static var defaultValue: Bool { false }
}

extension HTTPRequest {
    /// The point in time by which a response is needed, including all retries; nil if there is none.
    ///
    /// It also ends the transfer of a streamed response that makes progress; `timeout` limits the time without
    /// progress.
    ///
    /// `tighten(to:)` moves it to an earlier time, never to a later one.
    public var deadline: Deadline? { context[RequestDeadline.self] }

    /// Sets the deadline unless the request has an earlier one.
    package mutating func tighten(to deadline: Deadline) {
        guard !isUninterruptible else { return }
        if let current = self.deadline, current.remaining <= deadline.remaining { return }
        context[RequestDeadline.self] = deadline
    }

    /// Returns the maximum duration of a transfer that begins now.
    ///
    /// - Parameter usual: The duration to use if the request has no `timeout`.
    package func timeLimit(usual: Duration) -> Duration {
        guard !isUninterruptible else { return Self.longestTime }
        let limit = timeout ?? usual
        guard !isOpenEnded else { return limit }
        return deadline.map { min($0.remaining, limit) } ?? limit
    }

    /// The maximum duration of a streamed transfer that begins now; nil if there is none.
    package var streamTimeLimit: Duration? {
        guard !isUninterruptible, !isOpenEnded else { return nil }
        let (limits, remaining) = (limits, deadline?.remaining)
        // Without an idle timeout, the timeout is one.
        guard limits.idle != nil, let total = limits.total else { return remaining }
        return remaining.map { min($0, total) } ?? total
    }

    /// The maximum time without progress that the request sets, for streamed and other content; nil if it sets none.
    var silenceLimit: Duration? { limits.idle.flatMap { isUninterruptible ? nil : $0 } }

    /// Whether the deadline applies only to the head of the response, since its content has no end, such as events.
    package var isOpenEnded: Bool {
        get { context[RequestOpenEnd.self] }
        set { context[RequestOpenEnd.self] = newValue }
    }

    /// The maximum number of milliseconds that all platforms accept, 24 days.
    private static let longestTime = Duration.milliseconds(Int(Int32.max))

    /// Whether only the end of its connection ends the request.
    ///
    /// No time limit ends it, nor does the cancellation of its task before the head of the response. This is for a
    /// request that uses something up, such as a refresh token, and whose response must not be lost. The time to
    /// connect is still limited. Its sender reads the content as a stream, so that no part of it is lost. Every POST of
    /// a session's refresh is such a request, from any client.
    package var isUninterruptible: Bool {
        get { context[RequestUninterruptibility.self] || (method == .post && SendCondition.current?() != nil) }
        set { context[RequestUninterruptibility.self] = newValue }
    }

    /// The number of this attempt, counted from 1 by `RetryInterceptor`.
    package var attempt: Int {
        get { context[RequestAttempt.self] }
        set { context[RequestAttempt.self] = newValue }
    }

    /// Whether the request can be sent twice without harm although its method is not idempotent (RFC 9110 §9.2.2).
    ///
    /// Prefer an Idempotency-Key if the server supports it.
    public var isSafeToRetry: Bool {
        get { context[RequestRepeatability.self] }
        set { context[RequestRepeatability.self] = newValue }
    }
}
