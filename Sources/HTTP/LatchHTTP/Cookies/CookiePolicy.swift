// SPDX-License-Identifier: Apache-2.0

/// What a jar decides for itself where RFC 6265bis leaves it to the user agent.
public struct CookiePolicy: Sendable {
    /// The domains under which anybody may register a name, and for which therefore nobody may set a cookie.
    public var publicSuffixes: PublicSuffixes

    /// How long a cookie may live at most; RFC 6265bis §5.5 wants no more than 400 days.
    public var maximumAge: Duration

    /// How many cookies one domain may have; the RFC wants at least 50.
    public var maximumPerDomain: Int

    /// How many cookies there may be in all; the RFC wants at least 3,000.
    public var maximumInAll: Int

    /// Whether plain http to this machine counts as secure, so that a `Secure` cookie comes from and goes to it.
    ///
    /// The RFC leaves it open and browsers differ. Here it is off: every program of every user may listen on some port
    /// of this machine, and cookies do not tell ports apart. A test against a local server may want it on.
    public var trustsLoopback: Bool

    /// A policy from its parts.
    public init(
        publicSuffixes: PublicSuffixes = .live, maximumAge: Duration = .seconds(400 * 86_400),
        maximumPerDomain: Int = 180, maximumInAll: Int = 3_000, trustsLoopback: Bool = false
    ) {
        self.publicSuffixes = publicSuffixes
        self.maximumAge = maximumAge
        self.maximumPerDomain = maximumPerDomain
        self.maximumInAll = maximumInAll
        self.trustsLoopback = trustsLoopback
    }
}
