// SPDX-License-Identifier: Apache-2.0

/// Where an account backend has its routes, relative to the base URL.
public struct AccountEndpoints: Sendable {
    /// POST `{email, password}`.
    public var signIn = "api/auth/clients/login"
    /// POST `{refreshToken}`.
    public var refresh = "api/auth/refresh-token"
    /// POST, with the access token and `{refreshToken}`.
    public var signOut = "api/auth/logout"
    /// POST `{email, password, name?, roles?}`.
    public var signUp = "api/clients/register"
    /// POST `{email}`.
    public var forgotPassword = "api/auth/forgot-password"
    /// POST `{token, password}`.
    public var resetPassword = "api/auth/reset-password"
    /// POST `{token}`.
    public var verifyEmail = "api/auth/verify-email"
    /// POST `{email}`.
    public var resendVerification = "api/auth/resend-verification"
    /// GET, with the access token.
    public var profile = "user/profile"
    /// The kind of account, sent as `type` with resets, for a backend that wants to know.
    public var accountType: String?
    /// The cookie in which a backend keeps the refresh token.
    public var refreshCookie = "refreshToken"

    /// The routes of Latchwork's server and of the backend of AuthPackage.
    public init() {}
}
