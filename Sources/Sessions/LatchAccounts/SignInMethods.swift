// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation
import LatchHTTP

/// The sign-in methods of an account, and those that the server offers.
public struct SignInMethods: Sendable, Hashable {
    /// A link from the account to an identity at a provider.
    public struct Link: Sendable, Hashable {
        /// The identity provider that can sign in to the account.
        public let provider: IdentityProvider
        /// The address that the provider has stated; nil if it stated none.
        public let email: String?
        /// The time of the link; nil if the server does not state it.
        public let linkedAt: Date?
    }

    /// Whether the account has a password.
    public let hasPassword: Bool
    /// Whether the account has a second factor, whose codes sign-in and repeated authentication require.
    public let hasSecondFactor: Bool
    /// The number of passkeys that can sign in to the account.
    public let passkeys: Int
    /// The links to providers that can sign in to the account.
    public let links: [Link]
    /// The providers that the server offers.
    public let providers: [IdentityProvider]

    /// Creates the methods from a response; nil if a member is missing.
    init?(_ object: JSONObject) {
        guard let hasPassword = object["hasPassword"]?.boolValue, let links = object["links"]?.arrayValue else {
            return nil
        }
        self.hasPassword = hasPassword
        hasSecondFactor = object["hasSecondFactor"]?.boolValue ?? false
        passkeys = object["passkeys"]?.intValue ?? 0
        self.links = links.compactMap { link in
            link["provider"]?.stringValue.map { provider in
                Link(
                    provider: IdentityProvider(rawValue: provider), email: link["email"]?.stringValue,
                    linkedAt: link["linkedAt"]?.intValue.map { Date(timeIntervalSince1970: Double($0)) })
            }
        }
        providers = (object["providers"]?.arrayValue ?? []).compactMap { name in
            name.stringValue.map { IdentityProvider(rawValue: $0) }
        }
    }
}

extension AuthClient {
    /// Returns the signed-in user's sign-in methods, according to the server.
    ///
    /// They show how the user can authenticate again, and which providers are linked.
    ///
    /// - Throws: `AccountError.refused`, or `invalidResponse` if the response lacks them; `AuthError.missingToken` if
    ///   no user is signed in; `HTTPError`.
    public func signInMethods() async throws -> SignInMethods {
        let response = try await client.respond(to: client.request(.get, RoutePath(endpoints.signInMethods)))
        guard let methods = SignInMethods(try response.members()) else { throw AccountError.invalidResponse }
        return methods
    }
}
