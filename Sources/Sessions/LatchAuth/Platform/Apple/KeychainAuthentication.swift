// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)

/// The authentication of the user for items with the protection `presence` or `biometry`.
public struct KeychainAuthentication: Sendable, Hashable {
    /// The reason that the system's dialog shows, in the user's language; nil for the system's default text.
    public var reason: String?

    /// Whether the system may ask the user.
    ///
    /// If it is false, a read that needs the user throws `AuthError.storeLocked`, which suits background work.
    public var allowsInteraction: Bool

    /// The time for which one authentication is valid, counted from the access that asked for it.
    ///
    /// A session reads its tokens at every refresh. With zero, each of these reads asks the user.
    public var validity: Duration

    /// Creates an authentication.
    public init(reason: String? = nil, allowsInteraction: Bool = true, validity: Duration = .seconds(300)) {
        self.reason = reason
        self.allowsInteraction = allowsInteraction
        self.validity = validity
    }

    /// An authentication that never asks the user.
    public static let silent = KeychainAuthentication(allowsInteraction: false)
}
#endif
