// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The kinds of tokens that issuers sign with the same keys, as their claims show them.
extension Claims {
    /// Whether the claims are those of an ID token, a refresh token, a logout token or another security event.
    ///
    /// Keycloak names the kind in `typ`, Amazon Cognito in `token_use`. Otherwise, claims that access tokens lack show
    /// the kind. They are the hashes in an ID token (OpenID Connect Core §3.1.3.6) and events (RFC 8417 §2.2). A nonce,
    /// or an authorized party that is the audience, counts unless other claims are those of an access token.
    package var areOfAnotherToken: Bool {
        if ["token_use", "token_type", "typ"].contains(where: { Self.otherKinds.contains(kind($0)) }) { return true }
        if ["at_hash", "c_hash", "s_hash", "events"].contains(where: has) { return true }
        guard !areOfAccessToken else { return false }
        return has("nonce") || string("azp").map(audience.contains) == true
    }

    /// Whether the claims have a member that only access tokens have: scopes, permissions, a client (RFC 9068 §2.2), or
    /// the kind.
    package var areOfAccessToken: Bool {
        if ["scope", "scp", "permissions", "client_id", "cid", "appid", "azpacr"].contains(where: has) { return true }
        if kind("token_use") == "access" || ["bearer", "dpop"].contains(kind("typ")) { return true }
        // An ID token's audience contains the client that it was issued to.
        return string("azp").map { !audience.isEmpty && !audience.contains($0) } ?? false
    }

    /// The names of other kinds, as issuers write them.
    private static let otherKinds: Set<String> = [
        "refresh", "refresh_token", "offline", "id", "id_token", "logout", "logout_token",
    ]

    private func kind(_ name: String) -> String { string(name)?.lowercasedASCII() ?? "" }

    private func has(_ name: String) -> Bool { members[name].map { !$0.isNull } ?? false }
}
