// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An interceptor that limits the duration of everything inside it: queues, attempts, delays and redirects.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [TimeoutInterceptor(.seconds(20)), RetryInterceptor()])
/// ```
///
/// If several are nested, the earliest deadline applies, so inside `RetryInterceptor` it limits one attempt. The inner
/// work is canceled and has ended before the error is thrown. The time runs until the response is available. For a
/// streamed response this is its head, and the remaining time limits the rest of the transfer.
public struct TimeoutInterceptor: Interceptor {
    private let limit: Duration
    private let clock: WallClock

    /// Creates an interceptor that allows `limit` for each request.
    public init(_ limit: Duration, clock: WallClock = .system) {
        self.limit = limit
        self.clock = clock
    }

    /// Calls `next` within the time limit; the refresh of a session has no limit.
    ///
    /// - Throws: `HTTPError.timeout`, and the errors of `next`.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard !request.isUninterruptible else { return try await next.respond(to: request) }
        var request = request
        request.tighten(to: Deadline(in: limit, clock: clock))
        let bounded = request
        guard let remaining = bounded.deadline?.remaining, remaining > .zero else { throw HTTPError.timeout }
        return try await withThrowingTaskGroup(of: HTTPResponse?.self) { group in
            group.addTask { try await next.respond(to: bounded) }
            group.addTask {
                do { try await clock.sleep(for: remaining) } catch is CancellationError { return nil }
                throw HTTPError.timeout
            }
            // Leaving the group, by a response or by an error, cancels the other task and waits for its end.
            defer { group.cancelAll() }
            while let outcome = try await group.next() {
                if let outcome { return outcome }
            }
            throw HTTPError.cancelled
        }
    }
}
