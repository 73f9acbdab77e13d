// SPDX-License-Identifier: Apache-2.0

/// The cache lifetimes and request rates of a remote key set.
public struct RemoteKeyPolicy: Sendable, Hashable {
    /// The lifetime of keys whose response does not state one.
    package var lifetime: Duration
    /// The minimum and maximum lifetime, whatever the response states.
    ///
    /// The minimum avoids a request per token to an issuer that forbids caching. The maximum limits the use of a
    /// withdrawn key.
    package var bounds: ClosedRange<Duration>
    /// The minimum time between two requests because of tokens with unknown keys.
    ///
    /// Any number of such tokens causes only one request in this time.
    package var unknownKeyInterval: Duration
    /// The time for which stale keys are used while the issuer cannot be reached.
    ///
    /// A shorter time in its response takes precedence (`stale-if-error`, RFC 5861).
    package var staleIfError: Duration
    /// The maximum size of a key set, in bytes.
    package var maximumSize: Int
    /// The timeout of one request.
    package var timeout: Duration

    /// Creates a policy.
    public init(
        lifetime: Duration = .seconds(600), bounds: ClosedRange<Duration> = .seconds(60)...Duration.seconds(86_400),
        unknownKeyInterval: Duration = .seconds(30), staleIfError: Duration = .seconds(4 * 3_600),
        maximumSize: Int = 256 << 10, timeout: Duration = .seconds(10)
    ) {
        self.lifetime = lifetime
        self.bounds = bounds
        self.unknownKeyInterval = unknownKeyInterval
        self.staleIfError = staleIfError
        self.maximumSize = maximumSize
        self.timeout = timeout
    }
}
