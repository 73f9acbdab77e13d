// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityStorage

/// The operations of sessions, and of the providers that begin them.
extension APIOperation {
    static let logIn = APIOperation(
        "logIn", "Signs a user in by address or user name and password.", in: .sessions,
        takes: .json(
            .required("email", .text(), "An address, or a user name."), .required("password", .text()), otp),
        returns: .json(.model(.sessionTokens)), refuses: signInErrors)

    static let getSignInWays = APIOperation(
        "getSignInWays", "Returns the ways in which users can sign in, for the screens of apps.", in: .sessions,
        returns: .json(
            .object([
                .required("ways", .words, "Of password, passkey and code, those that work."),
                .required(
                    "providers",
                    .list(.object([.required("name", .text()), .required("display_name", .text())])),
                    "The identity providers that users can sign in through."),
                .required("signup", .flag, "Whether users can create an account without a provider."),
            ])))

    static let requestCode = APIOperation(
        "requestCode",
        "Emails a code to sign in or to sign up. The response does not tell whether the address has an account.",
        in: .sessions,
        takes: .json(
            .required("email", .email), .required("purpose", .text(), "sign_in or sign_up."),
            .optional("challenge", .text(), "An earlier challenge of the address, to send its code again.")),
        returns: .json(
            .object([
                .required("challenge", .text(), "The app sends it with the code."),
                .required("expiresIn", .integer(), "The time in seconds in which the code can be entered."),
            ]), .accepted),
        refuses: [.invalidEmail, .codeEnded, .signInWayOff, .signUpClosed, .signUpDomain])

    static let logInWithCode = APIOperation(
        "logInWithCode",
        "Signs a user in by an emailed code. A repetition with the same Idempotency-Key gets the same session.",
        in: .sessions,
        takes: .json(.required("challenge", .text()), .required("code", .text()), otp),
        returns: .json(.model(.sessionTokens)),
        refuses: [
            .invalidMailedCode, .codeEnded, .signInWayOff, .secondFactorRequired, .invalidCode, .crossSite,
        ] + accountErrors)

    static let signInAsGuest = APIOperation(
        "signInAsGuest",
        "Signs in as a guest, with a new account. A repetition with the same Idempotency-Key gets the same guest.",
        in: .sessions, returns: .json(.model(.sessionTokens)), refuses: [.guestsClosed, .crossSite])

    static let refreshSession = APIOperation(
        "refreshSession", "Exchanges the refresh token of the content or of the cookie for new tokens.", in: .sessions,
        takes: .json(.optional("refreshToken", .text()), isRequired: false),
        returns: .json(.model(.sessionTokens)), refuses: [.invalidGrant, .crossSite] + accountErrors)

    static let logOut = APIOperation(
        "logOut", "Signs the device out, also if its tokens have ended.", in: .sessions,
        takes: .json(.optional("refreshToken", .text()), isRequired: false), returns: .message, refuses: [.crossSite])

    static let reauthenticate = APIOperation(
        "reauthenticate",
        "Proves again who the user of a session is, by a password, a provider's code or a passkey.", in: .sessions,
        for: .session,
        takes: .json(
            .optional("password", .text()), otp, .optional("code", .text(), "The code of a provider's sign-in."),
            .optional("code_verifier", .text()),
            .optional("credential", .anyObject, "An AuthenticationResponseJSON of WebAuthn.")),
        returns: .message, refuses: signInErrors + passkeyErrors + providerErrors)

    // MARK: JWTAuth and Lazi

    static let logInOfJWTAuth = APIOperation(
        "logInOfJWTAuth", "Signs a user in, with the names of JWTAuth and Lazi.", in: .sessions,
        takes: .json(
            .optional("email", .text()), .optional("username", .text(), "In place of the address."),
            .required("password", .text()), otp),
        returns: .json(.model(.sessionTokens)), refuses: signInErrors, as: .detail)

    static let refreshOfJWTAuth = APIOperation(
        "refreshOfJWTAuth", "Exchanges a refresh token for new tokens.", in: .sessions,
        takes: .json(.required("refreshToken", .text())), returns: .json(.model(.sessionTokens)),
        refuses: [.invalidGrant] + accountErrors, as: .detail)

    static let logOutOfJWTAuth = APIOperation(
        "logOutOfJWTAuth", "Signs out this device, or all devices of the account.", in: .sessions,
        takes: .json(
            .optional("refreshToken", .text()),
            .optional("allDevices", .flag, "Requires an access token."), isRequired: false),
        returns: .json(
            .object([.required("message", .text()), .optional("allDevices", .flag), .optional("devices", .integer())])),
        refuses: [.invalidToken, .forbidden], as: .detail)

    // MARK: Providers

    static let exchangeCode = APIOperation(
        "exchangeCode", "Exchanges the code of a provider's sign-in for the tokens of a session.", in: .sessions,
        takes: .json(.required("code", .text()), .required("code_verifier", .text(), "RFC 7636 §4.1.")),
        returns: .json(.model(.sessionTokens)), refuses: providerErrors + accountErrors)

    static func exchangeCredential(of provider: String) -> APIOperation {
        APIOperation(
            "exchangeCredential_\(provider)",
            "Exchanges the credential of the device's Sign in with Apple for the tokens of a session.", in: .sessions,
            takes: .json(
                .required("identityToken", .text()), .required("nonce", .text()),
                .optional("authorizationCode", .text()), .optional("name", .text()), otp),
            returns: .json(.model(.sessionTokens)),
            refuses: providerErrors + accountErrors + [.secondFactorRequired, .invalidCode])
    }

    static let createLink = APIOperation(
        "createLink", "Links the user of a provider to the account.", in: .accounts, for: .session,
        takes: .json(.required("code", .text()), .required("code_verifier", .text())),
        returns: .json(.model(.link), .created), refuses: providerErrors + [.signInAgain, .linkedElsewhere])

    static let deleteLink = APIOperation(
        "deleteLink", "Removes the link to a provider.", in: .accounts, for: .session, returns: .message,
        refuses: [.signInAgain, .notLinked, .lastSignIn])

    // MARK: Errors

    static let otp = JSONSchema.Member.optional("otp", .text(), "A code of the second factor, or a recovery code.")
    /// The errors of an account that may not sign in.
    static let accountErrors: [IdentityError] = [.accountSuspended, .accountClosed, .addressUnverified]
    /// The errors of a sign-in with a password.
    static let signInErrors: [IdentityError] =
        [.signInWayOff, .invalidCredentials, .secondFactorRequired, .invalidCode, .crossSite] + accountErrors
    private static let providerErrors: [IdentityError] = [
        .invalidSignInCode, .upstreamFailed, .upstreamUnavailable, .tenantNotAllowed, .emailMissing, .emailUnverified,
        .accountExists(at: "Google"), .crossSite, .signUpClosed, .signUpDomain,
    ]
}

extension JSONSchema.Model {
    static let sessionTokens = JSONSchema.Model(
        name: "SessionTokens",
        members: [
            .required("accessToken", .text()), .optional("refreshToken", .text()),
            .required("expiresIn", .integer(), "The lifetime of the access token in seconds."),
            .optional("tokenType", .text()), .optional("scope", .text()), .optional("userId", .text()),
        ])

    static let link = JSONSchema.Model(
        name: "Link",
        members: [
            .required("provider", .text()), .optional("email", .text()),
            .required("linkedAt", .integer(), "Seconds since 1970."),
        ])
}
