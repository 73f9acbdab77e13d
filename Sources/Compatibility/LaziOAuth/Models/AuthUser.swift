// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchJOSE

/// The signed-in user, as the server describes them.
public struct AuthUser: Codable, Equatable, Sendable {
    /// The server's identifier.
    public let userId: String
    /// The user name of the login, or of the access token.
    public let username: String?
    /// The email address, if the access token contains one.
    public let email: String?
    /// The granted scopes, as the server wrote them.
    public let grantedScopes: [String]

    /// Creates a user from its parts.
    public init(userId: String, username: String? = nil, email: String? = nil, grantedScopes: [String] = []) {
        self.userId = userId
        self.username = username
        self.email = email
        self.grantedScopes = grantedScopes
    }

    /// Creates the user from the token response, or else from the access token's claims; nil if neither identifies the
    /// user.
    ///
    /// It is only for display; the server decides about access.
    init?(_ tokens: Tokens, username: String?) {
        let claims = (try? JWT(unverified: tokens.access))?.claims
        guard let id = tokens.userID ?? claims?.subject, !id.isEmpty else { return nil }
        self.init(
            userId: id, username: username ?? claims?.string("username") ?? claims?.string("name"),
            email: claims?.string("email"),
            grantedScopes: tokens.grantedScopes.map { $0.elements.map(\.rawValue) } ?? [])
    }
}
