// SPDX-License-Identifier: Apache-2.0

/// The layout of an account that another library stored: the secrets, their fields and their formats.
///
/// ``LegacyMigration`` reads any layout. The static members are those of the five systems that the facades imitate.
package struct LegacyLayout: Sendable, Hashable {
    /// A field of an account.
    package enum Field: Sendable, Hashable {
        /// The access token, the refresh token, the expiry of the access token, the granted scopes, and the user.
        case access, refresh, expiry, scope, user
    }

    /// The epoch of numeric dates; ISO 8601 strings are accepted with both.
    package enum Epoch: Sendable, Hashable {
        /// 1970, as in `timeIntervalSince1970`.
        case unix
        /// 2001, the default of `JSONEncoder`.
        case reference
    }

    /// The location of one field.
    package struct Location: Sendable, Hashable {
        /// The name of the secret.
        package let name: String
        /// The member of a JSON object; nil if the secret is the field itself.
        package let member: String?
        /// The field at the location.
        package let field: Field

        /// Creates a location.
        package init(_ field: Field, in name: String, member: String? = nil) {
            self.name = name
            self.member = member
            self.field = field
        }
    }

    /// The locations of the fields.
    package let locations: [Location]
    /// The required fields: an incomplete pair of tokens does not count as an account.
    package let required: Set<Field>
    /// The epoch of numeric dates.
    package let epoch: Epoch

    /// Creates a layout.
    package init(locations: [Location], required: Set<Field>, epoch: Epoch = .unix) {
        self.locations = locations
        self.required = required
        self.epoch = epoch
    }

    /// The names of the secrets, each once and in order.
    package var names: [String] {
        locations.reduce(into: []) { names, location in
            if !names.contains(location.name) { names.append(location.name) }
        }
    }
}

extension LegacyLayout {
    /// The layout of AxiomArchitecture: `KeychainManager` keeps two strings.
    package static let axiom = LegacyLayout(
        locations: [Location(.access, in: "access_token"), Location(.refresh, in: "refresh_token")],
        required: [.access, .refresh])

    /// The layout of JWTAuth: `KeychainClient` keeps two strings under its `Keys`.
    package static let jwtAuth = LegacyLayout(
        locations: [Location(.access, in: "accessToken"), Location(.refresh, in: "refreshToken")],
        required: [.access, .refresh])

    /// Returns the layout of AuthPackage: `KeychainTokenStore` keeps one JSON object for each account.
    ///
    /// The refresh token may be in a cookie.
    package static func authPackage(account: String = "auth.tokens") -> LegacyLayout {
        LegacyLayout(
            locations: [
                Location(.access, in: account, member: "accessToken"),
                Location(.refresh, in: account, member: "refreshToken"),
                Location(.expiry, in: account, member: "expiry"),
            ], required: [.access], epoch: .reference)
    }

    /// Returns the layout of Nevod: `KeychainStorage` keeps one JSON object with a bearer token for each `StorageKey`.
    package static func nevod(key: String = "com.nevod.token") -> LegacyLayout {
        LegacyLayout(locations: [Location(.access, in: key, member: "value")], required: [.access])
    }

    /// The layout of Lazi: `KeychainWrapper` keeps five strings.
    package static let lazi = LegacyLayout(
        locations: [
            Location(.access, in: "lazi.access_token"), Location(.refresh, in: "lazi.refresh_token"),
            Location(.expiry, in: "lazi.token_expiry"), Location(.user, in: "lazi.user_id"),
            Location(.scope, in: "lazi.granted_scopes"),
        ], required: [.access, .refresh])
}
