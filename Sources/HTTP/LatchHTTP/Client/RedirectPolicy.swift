// SPDX-License-Identifier: Apache-2.0

/// How far a client follows redirects.
public struct RedirectPolicy: Sendable, Hashable {
    /// How many redirects one request may take; more is an error, and with 0 a redirect is an answer like any other.
    public var maximum: Int

    /// Whether 307 and 308 may carry a request's content to another origin.
    ///
    /// Content is often a credential itself (a password, a refresh token), and no field marks it as one.
    public var sendsContentToOtherOrigins: Bool

    /// Whether a redirect to another origin is an error.
    ///
    /// It is for what is believed because of where it comes from, as the keys of an issuer are.
    public var staysWithinOrigin: Bool

    /// A policy; the default follows ten and keeps content within the origin.
    public init(maximum: Int = 10, sendsContentToOtherOrigins: Bool = false, staysWithinOrigin: Bool = false) {
        self.maximum = maximum
        self.sendsContentToOtherOrigins = sendsContentToOtherOrigins
        self.staysWithinOrigin = staysWithinOrigin
    }

    /// Follows none: a redirect is an answer like any other.
    public static let none = RedirectPolicy(maximum: 0)
}
