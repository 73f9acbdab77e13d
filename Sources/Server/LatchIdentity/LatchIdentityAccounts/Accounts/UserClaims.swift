// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// The claims about users that clients get (OpenID Connect Core §5.1).
package struct UserClaims: Sendable {
    /// The attributes that have a claim.
    private let attributes: [AccountAttribute]

    /// Creates the claims of a server.
    package init(_ rules: AttributeRules) { attributes = rules.all.filter { $0.scope != nil } }

    /// Creates the claims of a server without attributes.
    package init() { attributes = [] }

    /// The claims of the scope `profile` (§5.4), as far as the consent page names them to the user.
    private static let profile: [(name: String, value: @Sendable (FullAccount) -> JSONValue?)] = [
        ("name", { text($0.account.name ?? $0.details.shownName) }),
        ("given_name", { text($0.details.firstName) }),
        ("family_name", { text($0.details.lastName) }),
        ("nickname", { text($0.details.displayName) }),
        ("preferred_username", { text($0.account.preferredUsername) }),
        ("picture", { text($0.details.avatarURL) }),
        ("zoneinfo", { text($0.details.preferences.timeZone) }),
        ("locale", { text($0.details.preferences.language) }),
        ("updated_at", { .integer(Int64($0.updatedAt.timeIntervalSince1970.rounded(.down))) }),
    ]

    /// The names of the claims that every server has.
    static let names = email + phone + profile.map(\.name)
    /// The names of all claims, for the metadata.
    package var names: [String] { Self.names + attributes.compactMap(\.claimName) }
    /// The names of those that an ID token can have.
    package var namesOfIDTokens: Set<String> {
        Set(Self.email + Self.phone + ["name", "preferred_username"] + attributes.compactMap(\.claimName))
    }
    /// The scopes of the claims that are attributes.
    package var scopesOfAttributes: [String: String] {
        attributes.reduce(into: [:]) { scopes, attribute in
            if let claim = attribute.claimName { scopes[claim] = attribute.scope?.rawValue }
        }
    }
    /// The claim of an account without an address: whether it has nothing to sign in with.
    static let isGuest = "is_guest"
    /// The claims of the scope `email` (§5.4).
    private static let email = ["email", "email_verified"]
    /// The claims of the scope `phone` (§5.4).
    private static let phone = ["phone_number", "phone_number_verified"]

    /// Returns what scopes and the names in a request permit of an account, without the subject.
    ///
    /// An ID token has no claims of the details, which are another row.
    ///
    /// - Parameter named: The names of claims that the request asks for (§5.5).
    package func ofAccount(
        _ account: Account, _ scopes: Scopes, named: [String] = [], for client: OAuthClient?
    ) -> JSONObject {
        let named = permitted(named, to: client)
        // An unverified number is left out, as an address is.
        let phone = account.phoneVerifiedAt == nil ? nil : account.phone
        let values: JSONObject = [
            "phone_number": phone.map { .string($0.text) } ?? .null,
            "phone_number_verified": phone.map { _ in .bool(true) } ?? .null,
            "email": account.email.map { .string($0.text) } ?? .null,
            "email_verified": account.email.map { _ in .bool(account.emailVerifiedAt != nil) } ?? .null,
            "name": account.name.map { .string($0) } ?? .null, "preferred_username": .string(account.preferredUsername),
        ]
        var claims = JSONObject(
            values.filter { name, value in
                guard !value.isNull, !Self.email.contains(name) || Self.shows(account, addressTo: client) else {
                    return false
                }
                return named.contains(name) || scopes.contains(scope(of: name))
            })
        for attribute in attributes {
            // A value of an earlier configuration could have another type than clients expect.
            guard let name = attribute.claimName, let value = account.attributes[attribute.name],
                attribute.expectation(of: value) == nil,
                // A user who writes an attribute must not choose roles by it.
                name != client?.rolesClaim, name != client?.groupsClaim,
                named.contains(name) || scopes.contains(scope(of: name))
            else { continue }
            claims[name] = value
        }
        return claims
    }

    /// Returns the scope that a claim belongs to.
    package func scope(of name: String) -> Scope {
        attributes.first { $0.claimName == name }?.scope ?? GrantDetails.ClaimNames.scope(of: name)
    }

    /// Returns what scopes and the names in a request permit of an account and its details, and the roles, without the
    /// subject.
    package func all(
        of user: FullAccount, _ scopes: Scopes, named: [String], for client: OAuthClient?
    ) -> JSONObject {
        var claims = ofAccount(user.account, scopes, named: named, for: client)
        let named = permitted(named, to: client)
        for (name, value) in Self.profile where named.contains(name) || scopes.contains("profile") {
            claims[name] = value(user)
        }
        for (name, value) in Self.roles(of: user.account, for: client) { claims[name] = value }
        if user.account.email == nil { claims[Self.isGuest] = .bool(user.account.isGuest) }
        return claims
    }

    /// Returns those names in a request whose scopes the client may still have.
    private func permitted(_ named: [String], to client: OAuthClient?) -> [String] {
        guard let client else { return [] }
        return named.filter { client.scopes?.contains(scope(of: $0)) ?? true }
    }

    /// Returns the roles of an account under the names that the operator gave a client.
    package static func roles(of account: Account, for client: OAuthClient?) -> JSONObject {
        var claims: JSONObject = [:]
        for name in [client?.rolesClaim, client?.groupsClaim].compactMap({ $0 }) {
            claims[name] = .array(account.roles.map { .string($0) })
        }
        return claims
    }

    /// Returns whether a client gets the address.
    ///
    /// An unverified address is left out. Many relying parties find accounts by the address and ignore
    /// `email_verified`, so that an attacker could sign in there as its owner. The operator can say that a client does
    /// not. The command `latch` shows the address to the user, and has no accounts that it could open.
    private static func shows(_ account: Account, addressTo client: OAuthClient?) -> Bool {
        account.emailVerifiedAt != nil || client?.receivesUnverifiedEmail == true || client == .command
    }

    private static func text(_ value: String) -> JSONValue? { value.isEmpty ? nil : .string(value) }
}
