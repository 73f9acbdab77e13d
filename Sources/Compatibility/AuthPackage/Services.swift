// SPDX-License-Identifier: Apache-2.0

/// The service that signs users in.
public struct LoginService: Sendable {
    private let client: AuthClient

    /// Creates a service of a client.
    public init(_ client: AuthClient) { self.client = client }

    /// Signs a user in; the claims are nil if the access token cannot be decoded.
    @discardableResult
    public func login(email: String, password: String) async throws -> JWTClaims? {
        try await client.login(email: email, password: password)
    }
}

/// The service of the signed-in user's tokens.
public struct TokenService: Sendable {
    private let client: AuthClient

    /// Creates a service of a client.
    public init(_ client: AuthClient) { self.client = client }

    /// Returns the access token, refreshed if that is due; nil if no user is signed in.
    public func refresh() async throws -> String? { try await client.refreshIfNeeded() }

    /// Signs the user out.
    public func logout() async throws { try await client.logout() }
}

/// The service that creates accounts.
public struct RegistrationService: Sendable {
    private let client: AuthClient

    /// Creates a service of a client.
    public init(_ client: AuthClient) { self.client = client }

    /// Creates an account, without signing in.
    public func createUser(
        email: String, password: String, name: String? = nil, roles: [String]? = nil
    ) async throws -> User {
        try await client.register(email: email, password: password, name: name, roles: roles)
    }

    /// Invites a person; the signed-in user needs the permission to do so.
    public func inviteUser(email: String, name: String? = nil, roles: [String]? = nil) async throws -> User {
        try await client.inviteUser(email: email, name: name, roles: roles)
    }
}

/// The service that replaces forgotten passwords.
public struct PasswordResetService: Sendable {
    private let client: AuthClient

    /// Creates a service of a client.
    public init(_ client: AuthClient) { self.client = client }

    /// Requests an email with a token for a new password.
    @discardableResult
    public func requestReset(email: String) async throws -> String? {
        try await client.requestPasswordReset(email: email)
    }

    /// Sets a new password with the token of such an email.
    @discardableResult
    public func reset(token: String, newPassword: String) async throws -> String? {
        try await client.resetPassword(token: token, newPassword: newPassword)
    }
}
