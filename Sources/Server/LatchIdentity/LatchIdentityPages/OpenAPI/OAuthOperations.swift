// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityStorage

/// The operations of OAuth 2.0 and OpenID Connect that programs call.
extension APIOperation {
    private static let clientID = JSONSchema.Member.optional("client_id", .text(), "The ID of a public client.")

    static let issueTokens = APIOperation(
        "issueTokens", "Issues tokens for a grant (RFC 6749 §3.2).", in: .oauth, for: .client,
        takes: .form(
            .required("grant_type", .text(), "One of grant_types_supported in the server's metadata."), clientID,
            .optional("code", .text()), .optional("redirect_uri", .url), .optional("code_verifier", .text()),
            .optional("refresh_token", .text()), .optional("device_code", .text()), .optional("scope", .text()),
            .optional("resource", .url), .optional("username", .text()), .optional("password", .text()),
            .optional("otp", .text()), .optional("assertion", .text()), .optional("subject_token", .text()),
            .optional("subject_token_type", .text())),
        returns: .json(.model(.tokenResponse)), refuses: grantErrors, as: .oauth)

    static let refreshTokensOfLazi = APIOperation(
        "refreshTokensOfLazi", "Exchanges a refresh token for new tokens, with JSON.", in: .oauth,
        takes: .json(.required("refresh_token", .text()), .optional("scope", .text())),
        returns: .json(.model(.tokenResponse)), refuses: grantErrors, as: .oauth)

    private static let grantErrors: [IdentityError] =
        [
            .signInWayOff, .invalidGrant, .unsupportedGrantType, .invalidScope, .invalidTarget, .authorizationPending,
            .slowDown,
            .deviceDenied, .deviceCodeExpired, .invalidCredentials, .secondFactorRequired, .invalidCode, .invalidClient,
            .unauthorizedClient, .doubtfulDate,
        ] + accountErrors

    static let revokeToken = APIOperation(
        "revokeToken", "Revokes a token (RFC 7009); as JSON with an access token, as Lazi clients do.", in: .oauth,
        for: .client,
        takes: .form(.required("token", .text()), .optional("token_type_hint", .text()), clientID),
        .json(.required("token", .text()), .optional("token_type_hint", .text())),
        returns: .message, Answer(mediaType: nil), refuses: [.unsupportedTokenType, .invalidToken], as: .oauth)

    static let introspectToken = APIOperation(
        "introspectToken", "Returns the state of a token (RFC 7662).", in: .oauth, for: .client,
        takes: .form(.required("token", .text()), .optional("token_type_hint", .text()), clientID),
        returns: .json(
            .open([
                .required("active", .flag), .optional("scope", .text()), .optional("client_id", .text()),
                .optional("sub", .text()), .optional("exp", .integer()), .optional("iat", .integer()),
                .optional("iss", .text()), .optional("token_type", .text()), .optional("username", .text()),
            ])),
        Answer(mediaType: "application/token-introspection+jwt"), as: .oauth)

    static let pushAuthorizationRequest = APIOperation(
        "pushAuthorizationRequest", "Stores an authorization request (RFC 9126).", in: .oauth, for: .client,
        takes: .form(
            .required("client_id", .text()), .required("response_type", .text()), .optional("redirect_uri", .url),
            .optional("scope", .text()), .optional("state", .text()), .optional("nonce", .text()),
            .optional("code_challenge", .text()), .optional("code_challenge_method", .text()),
            .optional("request", .text(), "A request object (RFC 9101).")),
        returns: .json(
            .object([.required("request_uri", .text()), .required("expires_in", .integer())]), .created),
        refuses: [
            .unsupportedResponseType, .invalidScope, .invalidTarget, .unknownApplication, .applicationForbidden,
            .invalidRequestURI,
        ], as: .oauth)

    static let authorizeDevice = APIOperation(
        "authorizeDevice", "Begins the sign-in of a device (RFC 8628 §3.1).", in: .oauth, for: .client,
        takes: .form(clientID, .optional("scope", .text()), .optional("resource", .url)),
        returns: .json(
            .object([
                .required("device_code", .text()), .required("user_code", .text()), .required("verification_uri", .url),
                .required("verification_uri_complete", .url), .required("expires_in", .integer()),
                .required("interval", .integer()),
            ])),
        refuses: [.invalidScope, .invalidTarget], as: .oauth)

    static let getUserInfo = APIOperation(
        "getUserInfo", "Returns the claims about the user that the token permits (OpenID Connect Core §5.3).",
        in: .oauth,
        for: .session, returns: .json(.open([.required("sub", .text())])), Answer(mediaType: "application/jwt"),
        scopeRefusal)

    static let postUserInfo = APIOperation(
        "postUserInfo", "Returns the claims about the user; the token may be in the form (RFC 6750 §2.2).", in: .oauth,
        for: .session, takes: .form(.optional("access_token", .text()), isRequired: false),
        returns: .json(.open([.required("sub", .text())])), Answer(mediaType: "application/jwt"), scopeRefusal)

    /// The refusal of a token whose scopes are not enough, with those that it needs.
    private static let scopeRefusal = Answer.json(
        .object([
            .required("message", .text()), .required("code", .text()), .optional("hint", .text()),
            .optional("detail", .text()), .optional("error_code", .text()), .optional("required_scopes", .words),
            .optional("provided_scopes", .words),
        ]), .forbidden)

    // MARK: Registration

    static let registerClient = APIOperation(
        "registerClient", "Registers the calling client (RFC 7591).", in: .oauth,
        takes: .json(.optional("redirect_uris", .words), .optional("client_name", .text())),
        returns: .json(registeredClient, .created),
        refuses: [
            .invalidInitialToken, .tooManyClients, .invalidMetadata("invalid_client_metadata", "a member is not valid"),
        ], as: .oauth)

    static let getRegistration = APIOperation(
        "getRegistration", "Returns a client to itself (RFC 7592 §2.1).", in: .oauth, for: .registration,
        returns: .json(registeredClient), as: .oauth)

    static let updateRegistration = APIOperation(
        "updateRegistration", "Replaces the metadata of a client (RFC 7592 §2.2).", in: .oauth, for: .registration,
        takes: .json(
            .required("client_id", .text()), .optional("redirect_uris", .words), .optional("client_name", .text())),
        returns: .json(registeredClient),
        refuses: [.clientChanged, .invalidMetadata("invalid_client_metadata", "a member is not valid")], as: .oauth)

    static let deleteRegistration = APIOperation(
        "deleteRegistration", "Removes a client (RFC 7592 §2.3).", in: .oauth, for: .registration, returns: .noContent,
        as: .oauth)

    /// The client's metadata, with the secrets that are shown once (RFC 7591 §3.2.1).
    private static let registeredClient = JSONSchema.open([
        .required("client_id", .text()), .optional("client_secret", .text()),
        .optional("client_secret_expires_at", .integer()), .required("client_id_issued_at", .integer()),
        .required("registration_access_token", .text()), .required("registration_client_uri", .url),
    ])

    // MARK: Documents

    static let getAuthorizationServerMetadata = metadata(
        "getAuthorizationServerMetadata", "Returns the metadata of the server (RFC 8414 §3).")
    static let getOpenIDConfiguration = metadata(
        "getOpenIDConfiguration", "Returns the metadata of the server (OpenID Connect Discovery §4).")

    private static func metadata(_ id: String, _ summary: String) -> APIOperation {
        APIOperation(
            id, summary, in: .oauth,
            returns: .json(
                .open([
                    .required("issuer", .url), .required("authorization_endpoint", .url),
                    .required("token_endpoint", .url), .required("jwks_uri", .url),
                ])))
    }

    static let getWebFinger = APIOperation(
        "getWebFinger", "Returns the issuer of a user's address (RFC 7033).", in: .oauth,
        query: [
            .required("resource", .text(), "Such as acct:ada@example.com."), .optional("rel", .text()),
        ],
        returns: Answer(
            schema: .object([.required("subject", .text()), .required("links", .list(.anyObject))]),
            mediaType: "application/jrd+json"), refuses: [.noSuchResource])

    package static let getKeySet = APIOperation(
        "getKeySet", "Returns the public keys that verify tokens (RFC 7517 §5).", in: .oauth,
        returns: Answer(
            schema: .object([.required("keys", .list(.anyObject))]), mediaType: "application/jwk-set+json"))

    // MARK: Operation

    package static let getLiveness = APIOperation(
        "getLiveness", "Returns 200 while the process runs.", in: .operation,
        returns: .json(.object([.required("status", .text())])))

    package static let getHealth = APIOperation(
        "getHealth", "Returns whether tokens can be issued.", in: .operation,
        returns: .json(
            .object([
                .required("status", .text()), .optional("mail", .anyObject), .optional("events", .anyObject),
            ])),
        .json(
            .object([.required("status", .text()), .required("code", .text()), .required("message", .text())]),
            .serviceUnavailable))

    package static let getReadiness = APIOperation(
        "getReadiness", "Returns whether the server takes requests.", in: .operation,
        returns: .json(.object([.required("status", .text()), .optional("mail", .text())])), refuses: [.notReady])
}

extension JSONSchema.Model {
    static let tokenResponse = JSONSchema.Model(
        name: "TokenResponse",
        members: [
            .required("access_token", .text()), .required("token_type", .text()), .required("expires_in", .integer()),
            .optional("refresh_token", .text()), .optional("scope", .text()), .optional("id_token", .text()),
            .optional("issued_token_type", .text()), .optional("authorization_details", .list(.anyObject)),
            .optional("user_id", .text()),
        ])
}
