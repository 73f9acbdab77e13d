// SPDX-License-Identifier: Apache-2.0

/// The layout of an account that another library stored: a secret with a text for each field.
///
/// The access token and the refresh token are required: an incomplete pair is not an account.
package struct LegacyLayout: Sendable {
    /// A field of an account.
    enum Field: Sendable {
        /// The access token, the refresh token, the expiry of the access token, the granted scopes, and the user.
        case access, refresh, expiry, scope, user
    }

    /// The name of the secret of each field, in order.
    let fields: KeyValuePairs<Field, String>

    /// The names of the secrets, in order.
    package var names: [String] { fields.map(\.value) }

    /// JWTAuth: `KeychainClient` keeps two texts under its `Keys`.
    package static let jwtAuth = LegacyLayout(fields: [.access: "accessToken", .refresh: "refreshToken"])

    /// Lazi: `KeychainWrapper` keeps five texts.
    package static let lazi = LegacyLayout(fields: [
        .access: "lazi.access_token", .refresh: "lazi.refresh_token", .expiry: "lazi.token_expiry",
        .user: "lazi.user_id", .scope: "lazi.granted_scopes",
    ])
}
