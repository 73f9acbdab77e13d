// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Bounds the time for everything inside of it: waiting for a turn, every attempt, every pause, every redirect.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [TimeoutInterceptor(.seconds(20)), RetryInterceptor()])
/// ```
///
/// Where one stands in another the earlier deadline counts, so inside of `RetryInterceptor` it bounds one attempt. What
/// is inside is cancelled and has ended before the error is thrown. The time runs until the answer is there; of an
/// answer that is a stream that is its head, and what is left bounds the transfer of the rest.
public struct TimeoutInterceptor: Interceptor {
    private let limit: Duration
    private let clock: WallClock

    /// An interceptor that allows `limit` for each request.
    public init(_ limit: Duration, clock: WallClock = .system) {
        self.limit = limit
        self.clock = clock
    }

    /// Asks `next`, for no longer than there is time.
    ///
    /// - Throws: `HTTPError.timeout`, and what `next` throws before.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
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
            // Leaving the group, by an answer or by an error, cancels the other task and waits for its end.
            defer { group.cancelAll() }
            while let outcome = try await group.next() {
                if let outcome { return outcome }
            }
            throw HTTPError.cancelled
        }
    }
}
