// SPDX-License-Identifier: Apache-2.0

extension OAuthClient.GrantType {
    /// The resource owner password credentials grant (RFC 6749 §4.3): legacy, for first-party clients.
    public static let password = OAuthClient.GrantType("password")
    /// The refresh token grant (RFC 6749 §6).
    public static let refreshToken = OAuthClient.GrantType("refresh_token")
    /// The authorization code grant (RFC 6749 §4.1).
    public static let authorizationCode = OAuthClient.GrantType("authorization_code")
    /// The device authorization grant (RFC 8628 §3.4).
    public static let deviceCode = OAuthClient.GrantType("urn:ietf:params:oauth:grant-type:device_code")
    /// The client credentials grant (RFC 6749 §4.4), for a confidential client that acts for itself.
    public static let clientCredentials = OAuthClient.GrantType("client_credentials")
    /// The JWT bearer grant (RFC 7523 §2.1), for a confidential client that acts for itself and has registered a key.
    public static let jwtBearer = OAuthClient.GrantType("urn:ietf:params:oauth:grant-type:jwt-bearer")
    /// The token exchange (RFC 8693 §2), for a confidential client.
    public static let tokenExchange = OAuthClient.GrantType("urn:ietf:params:oauth:grant-type:token-exchange")

    /// The grant types of all handlers, in the order of the handlers.
    package static let supported: [OAuthClient.GrantType] = [
        .password, .refreshToken, .authorizationCode, .deviceCode, .clientCredentials, .jwtBearer, .tokenExchange,
    ]

    /// The sign-in with a passkey, which has a route and no handler.
    ///
    /// It is only a label of metrics.
    package static let passkey = OAuthClient.GrantType("passkey")
    /// The beginning of a guest, likewise.
    package static let guest = OAuthClient.GrantType("guest")
}
