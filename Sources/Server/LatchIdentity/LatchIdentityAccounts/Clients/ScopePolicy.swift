// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchIdentityStorage

/// The rules for granting scopes: the intersection of the requested scopes, the client's and the account's.
package struct ScopePolicy: Sendable {
    /// All scopes of the server.
    package let known: Scopes
    /// The scopes for a request that names none (RFC 6749 §3.3).
    private let defaults: Scopes
    private let hierarchy = ScopeHierarchy.levels
    /// The scopes about the user and the session, those of attributes included, which belong to no resource.
    package let aboutUser: Scopes
    /// The scopes of attributes.
    package let ofAttributes: Scopes
    /// Those scopes that every server has (OpenID Connect Core §5.4 and §11).
    package static let openID: Scopes = ["openid", "profile", "email", "phone", "offline_access"]

    package init(_ configuration: IdentityConfiguration) {
        known = configuration.resources.reduce(into: configuration.scopes) { known, server in
            for scope in server.scopes.elements { known.insert(scope) }
        }
        defaults = configuration.defaultScopes
        ofAttributes = AttributeRules(configuration).scopes
        aboutUser = Scopes(Self.openID.elements + ofAttributes.elements)
    }

    /// Returns the scopes of a new grant.
    ///
    /// - Parameters:
    ///   - requested: Nil if the request names none.
    ///   - account: Nil for a client that acts for itself.
    /// - Throws: `IdentityError.invalidScope` if none of the requested scopes can be granted.
    package func granted(_ requested: Scopes?, to account: Account?, by client: OAuthClient) throws(IdentityError)
        -> Scopes
    {
        let granted = allowed(requested ?? defaults, to: account, by: client)
        guard requested == nil || !granted.isEmpty else { throw .invalidScope }
        return granted
    }

    /// Returns the scopes that a user was shown and has agreed to, without those that are not allowed any longer.
    ///
    /// - Throws: `IdentityError.invalidScope` if none of them is allowed.
    package func agreed(_ shown: Scopes?, to account: Account, by client: OAuthClient) throws(IdentityError) -> Scopes?
    {
        guard let shown, !shown.isEmpty else { return shown }
        return try granted(shown, to: account, by: client)
    }

    /// Returns whether the server knows all of the scopes, regardless of who may have them.
    package func knows(_ scopes: Scopes) -> Bool {
        scopes.elements.allSatisfy { aboutUser.contains($0) || known.contains($0) }
    }

    /// Returns the scopes of a refresh: those of the login or a requested subset, without those not allowed any longer.
    ///
    /// - Throws: `IdentityError.invalidScope` if the request exceeds the original grant (RFC 6749 §6, attack C8), or no
    ///   scope remains.
    package func refreshed(
        _ requested: Scopes?, of device: Device, to account: Account, by client: OAuthClient
    ) throws(IdentityError) -> Scopes {
        guard let requested else { return allowed(original(device), to: account, by: client) }
        guard original(device).allow(all: requested, in: hierarchy) else { throw .invalidScope }
        let granted = allowed(requested, to: account, by: client)
        guard !granted.isEmpty else { throw .invalidScope }
        return granted
    }

    /// Returns the scopes that account and client may still have.
    package func allowed(_ scopes: Scopes, to account: Account?, by client: OAuthClient) -> Scopes {
        scopes.filter { isAllowed($0, to: account, by: client) }
    }

    /// Returns the scopes of the login.
    ///
    /// A device from before the introduction of scopes has the default ones.
    private func original(_ device: Device) -> Scopes { device.scope.map(Scopes.init(parsing:)) ?? defaults }

    /// Returns whether account and client may have a scope.
    ///
    /// `:admin` scopes need the role `admin` or a permission of that name. Every account may have the others, since a
    /// resource shows each account only its own objects. A client that acts for itself has an `:admin` scope only if its
    /// registration names it and it signs no users in. Otherwise the registration lists what its users may have.
    private func isAllowed(_ scope: Scope, to account: Account?, by client: OAuthClient) -> Bool {
        // A client that signs users in may learn who they are.
        if aboutUser.contains(scope) {
            guard account != nil, client.signsUsersIn else { return false }
            return scope == "openid" || client.scopes?.contains(scope) ?? true
        }
        guard known.contains(scope), client.scopes?.allow(scope, in: hierarchy) ?? true else { return false }
        guard scope.level == "admin" else { return true }
        guard let account else { return !client.signsUsersIn && client.scopes?.contains(scope) ?? false }
        return account.roles.contains("admin") || account.permissions.contains(scope.rawValue)
    }
}
