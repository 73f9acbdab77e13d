// SPDX-License-Identifier: Apache-2.0

/// How long the keys of an issuer are kept, and how often they are asked for.
public struct RemoteKeyPolicy: Sendable, Hashable {
    /// How long keys are kept whose answer does not say.
    public var lifetime: Duration
    /// The shortest and the longest time for which they are kept, whatever the answer says.
    ///
    /// The shortest one keeps an issuer that forbids caching from being asked at each token; the longest one bounds how
    /// long a key is believed that was withdrawn.
    public var bounds: ClosedRange<Duration>
    /// How much time lies between two requests that tokens with unknown keys lead to.
    ///
    /// However many such tokens come, and however many keys they name, the issuer is asked once within it.
    public var unknownKeyInterval: Duration
    /// How long keys are used beyond their time while the issuer cannot be reached; a shorter time in its answer counts
    /// (`stale-if-error`, RFC 5861).
    public var staleIfError: Duration
    /// How many bytes a key set may have.
    public var largest: Int
    /// How long one request may take.
    public var timeout: Duration

    /// A policy.
    public init(
        lifetime: Duration = .seconds(600), bounds: ClosedRange<Duration> = .seconds(60)...Duration.seconds(86_400),
        unknownKeyInterval: Duration = .seconds(30), staleIfError: Duration = .seconds(4 * 3_600),
        largest: Int = 256 << 10, timeout: Duration = .seconds(10)
    ) {
        self.lifetime = lifetime
        self.bounds = bounds
        self.unknownKeyInterval = unknownKeyInterval
        self.staleIfError = staleIfError
        self.largest = largest
        self.timeout = timeout
    }
}
