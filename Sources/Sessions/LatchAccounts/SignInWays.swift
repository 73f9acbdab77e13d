// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The ways in which a server lets users sign in, for the screens of apps.
public struct SignInWays: Sendable, Hashable {
    /// An identity provider of the server.
    public struct Provider: Sendable, Hashable {
        /// The provider, by the name in the server's settings.
        public let provider: IdentityProvider
        /// The name that users know.
        public let displayName: String

        /// Creates a provider.
        public init(_ provider: IdentityProvider, displayName: String) {
            (self.provider, self.displayName) = (provider, displayName)
        }
    }

    /// Whether users can sign in with a password.
    public var hasPassword: Bool
    /// Whether users can sign in with a passkey.
    public var hasPasskey: Bool
    /// Whether users can sign in with a code by email.
    public var hasCode: Bool
    /// The providers that users can sign in through; nil if the server does not state them.
    public var providers: [Provider]?
    /// Whether users can create an account without a provider.
    public var hasSignUp: Bool

    /// Creates ways; by default those of a server that does not state any.
    public init(
        hasPassword: Bool = true, hasPasskey: Bool = true, hasCode: Bool = false, providers: [Provider]? = nil,
        hasSignUp: Bool = true
    ) {
        (self.hasPassword, self.hasPasskey, self.hasCode) = (hasPassword, hasPasskey, hasCode)
        (self.providers, self.hasSignUp) = (providers, hasSignUp)
    }

    /// Creates the ways of a response; nil if it has none.
    ///
    /// Words of a later version are ignored.
    init?(_ object: JSONObject) {
        guard let words = object["ways"]?.arrayValue?.compactMap(\.stringValue) else { return nil }
        let providers = object["providers"]?.arrayValue?.compactMap { provider in
            provider["name"]?.stringValue.map { name in
                Provider(
                    IdentityProvider(rawValue: name), displayName: provider["display_name"]?.stringValue ?? name)
            }
        }
        self.init(
            hasPassword: words.contains("password"), hasPasskey: words.contains("passkey"),
            hasCode: words.contains("code"), providers: providers, hasSignUp: object["signup"]?.boolValue ?? true)
    }
}

extension AuthClient {
    /// Returns the ways in which the server lets users sign in.
    ///
    /// A server without this route has passwords and passkeys.
    ///
    /// - Throws: `AccountError.refused`, or `invalidResponse` if the response lacks the ways; `HTTPError`.
    public func signInWays() async throws -> SignInWays {
        guard let path = endpoints.signInWays else { return SignInWays() }
        let response = try await openClient.respond(to: openClient.request(.get, RoutePath(path)))
        guard response.status != .notFound else { return SignInWays() }
        guard let ways = SignInWays(try response.members()) else { throw AccountError.invalidResponse }
        return ways
    }
}
