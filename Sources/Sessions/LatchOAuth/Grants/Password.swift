// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A grant of a user name and a password (RFC 6749 §4.3): legacy, and only for a backend of the client's owner.
///
/// RFC 9700 §2.4: it must not be used. It exposes the password to the client, and supports neither passkeys nor a
/// second factor of the user's choice. It exists for clients and backends of one owner that still use it. For other
/// accounts, use a grant with the authorization server's own page.
public struct PasswordGrant: Grant {
    /// The name of the user.
    public let username: String
    /// The requested scopes; if the list is empty, no parameter is sent.
    public let scopes: Scopes
    private let password: String
    /// A code of the second factor, or a recovery code; nil for none.
    ///
    /// It is sent as `otp`, the parameter of Latchwork's server; no RFC defines one. The server asks for it with the
    /// error code `mfa_required`.
    public var code: String?

    /// Creates a grant for one sign-in.
    public init(username: String, password: String, scopes: Scopes = [], code: String? = nil) {
        self.username = username
        self.password = password
        self.scopes = scopes
        self.code = code
    }

    /// `password` (RFC 6749 §4.3.2).
    public var type: String { "password" }

    /// The user name, the password, the scopes, and the code.
    public var parameters: [(String, String)] {
        [("username", username), ("password", password), ("scope", scopes.text), ("otp", code ?? "")]
    }

    /// The requested scopes; nil if the server chooses.
    public var expectedScopes: Scopes? { scopes.isEmpty ? nil : scopes }
}

extension PasswordGrant: Redacting {}
