// SPDX-License-Identifier: Apache-2.0

/// How many requests may be sent in which time.
public struct RateLimitConfiguration: Sendable, Hashable {
    /// How many; at least 1.
    public let requests: Int
    /// Within how many seconds; at least a millisecond.
    public let perInterval: TimeInterval

    /// A limit; what is out of its bounds is moved to the nearest that is within.
    public init(requests: Int, perInterval: TimeInterval) {
        self.requests = max(1, requests)
        self.perInterval = perInterval.isNaN ? 0.001 : min(max(0.001, perInterval), 86_400)
    }
}

/// Lets requests through at some pace.
public protocol RateLimiting: Sendable {
    /// Returns as soon as one more request may be sent.
    ///
    /// - Throws: `CancellationError` when the task is cancelled meanwhile; its place is then free again.
    func acquirePermit() async throws
}
