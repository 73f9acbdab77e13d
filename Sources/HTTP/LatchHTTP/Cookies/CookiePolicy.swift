// SPDX-License-Identifier: Apache-2.0

/// The choices that RFC 6265bis leaves to the user agent.
public struct CookiePolicy: Sendable {
    /// The public suffixes, for which no server may set a cookie.
    public var publicSuffixes: PublicSuffixList

    /// The maximum lifetime of a cookie; RFC 6265bis §5.5 allows 400 days.
    public var maximumAge: Duration

    /// The maximum number of cookies of one domain; the RFC requires at least 50.
    public var maximumPerDomain: Int

    /// The maximum number of cookies; the RFC requires at least 3,000.
    public var maximumInAll: Int

    /// Whether plain http to this machine counts as secure, so that it can set and receive `Secure` cookies.
    ///
    /// The RFC leaves this open, and browsers differ. It is off by default, since any program of any user may listen on
    /// a port of this machine, and cookies do not distinguish ports. A test against a local server may switch it on.
    public var trustsLoopback: Bool

    /// Creates a policy.
    public init(
        publicSuffixes: PublicSuffixList = .live, maximumAge: Duration = .seconds(400 * 86_400),
        maximumPerDomain: Int = 180, maximumInAll: Int = 3_000, trustsLoopback: Bool = false
    ) {
        self.publicSuffixes = publicSuffixes
        self.maximumAge = maximumAge
        self.maximumPerDomain = maximumPerDomain
        self.maximumInAll = maximumInAll
        self.trustsLoopback = trustsLoopback
    }
}
