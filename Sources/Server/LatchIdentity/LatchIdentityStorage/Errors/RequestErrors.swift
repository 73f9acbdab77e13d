// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

/// Errors that a request causes.
extension IdentityError {
    /// The content of a request, or an argument, is unusable.
    public static let invalidInput = IdentityError.invalidInput("something is missing or has another type")

    /// Returns an ``invalidInput`` error that names the member but never its value, which may be a password.
    package static func invalidInput(_ problem: String, hint: String? = nil) -> IdentityError {
        IdentityError(
            code: "invalidInput", message: "The request cannot be used: \(problem).", hint: hint, form: .badRequest)
    }

    /// Returns the error of a required member or parameter that is missing.
    package static func missing(_ name: String) -> IdentityError { invalid(name, "is missing") }

    /// Returns the error of a member with a problem; the text of the problem follows the member's name.
    package static func invalid(_ name: String, _ problem: String, hint: String? = nil) -> IdentityError {
        invalidInput("'\(name)' \(problem)", hint: hint).at(name)
    }

    /// Returns the error of a member of an imported account.
    package static func invalidRecord(_ member: String, _ problem: String, hint: String? = nil) -> IdentityError {
        IdentityError(
            code: "invalidRecord", message: "'\(member)' \(problem).", hint: hint, form: .badRequest
        ).at(member)
    }

    /// The email address is not valid.
    public static let invalidEmail = IdentityError(
        code: "invalidEmail", message: "The email address is not valid.",
        hint: "Write it like name@example.com. A domain with letters other than a to z needs its xn-- form.",
        form: .badRequest,
        field: "email")

    /// The phone number cannot be dialed from abroad, or the server sends no texts to it.
    package static let invalidPhone = IdentityError(
        code: "invalidPhone", message: "The phone number is not valid.",
        hint: "Write it with + and the country code, like +49 30 123456.", form: .badRequest, field: "phone")

    static let invalidUsername = IdentityError.invalid(
        "username", "is not valid", hint: "Use up to 64 of a–z, 0–9, '.', '-' and '_', or the email address itself.")

    package static let reservedUsername = IdentityError.invalid(
        "username", "is reserved", hint: "Choose a name that is not 'user-' with sixteen hexadecimal digits.")

    /// The cursor belongs to another list, or was not issued by this server.
    package static let invalidCursor = IdentityError.invalidInput(
        "'cursor' does not belong to this list", hint: "Read the list from its start, without a cursor.")

    /// The URL holds a secret, which logs and histories would keep (RFC 6749 §2.3.1, RFC 6750 §2.3).
    package static let secretInURL = IdentityError.invalidInput(
        "the URL's query holds a parameter that belongs in the content",
        hint: "Send credentials and tokens in the content.")

    package static let twoTokens = IdentityError.invalidInput(
        "the request holds different refresh tokens", hint: "Send one of them.")

    /// RFC 6750 §2: a request uses one method for its access token.
    package static let tokenInTwoPlaces = IdentityError.invalidInput(
        "the request has the field Authorization and an access token in its form", hint: "Send one of them.")

    /// The content exceeds the size limit of all routes.
    package static let contentTooLarge = IdentityError(
        code: "contentTooLarge", message: "The content is larger than 64 KiB.", hint: "Send less.",
        form: ClientForm(status: .contentTooLarge, oauth: "invalid_request", rpc: .invalidArgument))

    /// The content type is not JSON.
    package static let notJSON = IdentityError(
        code: "notJSON", message: "The content must be JSON.", hint: "Send it with Content-Type: application/json.",
        form: ClientForm(
            status: .unsupportedMediaType, oauth: "invalid_request", oauthStatus: .badRequest, rpc: .invalidArgument))
}

/// Errors of accounts and passwords.
extension IdentityError {
    private static let conflict = ClientForm(status: .conflict, oauth: "invalid_request", rpc: .alreadyExists)

    /// Another account has the email address.
    package static let alreadyExists = IdentityError(
        code: "alreadyExists", message: "There is already an account with this email address.",
        hint: "Sign in, or reset the password.", form: conflict)

    /// Another account has the email address or the user name; a sign-up does not say which.
    package static let emailOrUsernameTaken = alreadyExists.with(
        message: "There is already an account with this email address or user name.",
        hint: "Sign in, reset the password, or choose another user name.")

    /// Another account has the user name; shares its code with ``alreadyExists``.
    package static let usernameTaken = alreadyExists.with(
        message: "There is already an account with this user name.", hint: "Choose another one."
    ).at("username")

    /// Another account has the address or the user name that a guest registers with, or that its provider reports.
    ///
    /// Two accounts are never merged.
    package static let addressTaken = alreadyExists.with(
        message: "There is already an account with this email address or user name.",
        hint: "Sign in to it. What you did as a guest stays with the guest.")

    /// The server sends no text messages, so that no phone number can be verified.
    package static let phonesUnavailable = IdentityError(
        code: "phonesUnavailable", message: "This server does not verify phone numbers.",
        hint: "It needs a hook on text (Documentation/Hooks.md).", form: .notFound)

    /// The account has no address, which a registration gives it.
    package static let addressRequired = IdentityError(
        code: "addressRequired", message: "This account has no email address.",
        hint: "Register with an address and a password first.", form: .forbidden)

    /// The server has no guests.
    package static let guestsClosed = IdentityError(
        code: "guestsClosed", message: "This server has no guests.", hint: "Sign in, or create an account.",
        form: .forbidden)

    /// The account is not a guest any longer.
    package static let notGuest = IdentityError(
        code: "notGuest", message: "This account is already registered.", hint: "Sign in with its address.",
        form: conflict)

    /// The account does not exist, or the caller may not see it.
    package static let noSuchAccount = IdentityError(
        code: "noSuchAccount", message: "There is no such account.", form: .notFound)

    /// The account has no such signed-in device.
    package static let noSuchDevice = IdentityError(
        code: "noSuchDevice", message: "There is no such device.", form: .notFound, pageKey: "noSuchEntry")

    /// The account is not allowed to do this.
    package static let forbidden = IdentityError(
        code: "forbidden", message: "This account is not allowed to do that.", hint: "Ask an administrator.",
        form: .forbidden)

    /// A page of another site sent the request with this site's cookie.
    package static let crossSite = forbidden.with(
        message: "The request comes from another site.",
        hint: "Send the refresh token in the content, or add the site to the setting allowed_origins.")

    /// The change would leave no account that can administer the server.
    package static let lastAdministrator = IdentityError(
        code: "lastAdministrator", message: "This is the last account that can administer the others.",
        hint: "Make another one an administrator first.",
        form: ClientForm(status: .conflict, oauth: "invalid_request", rpc: .failedPrecondition))

    /// Users cannot sign up by themselves.
    package static let signUpClosed = IdentityError(
        code: "signUpClosed", message: "Accounts are created by invitation only.",
        hint: "Ask the operator for an invitation.", form: .forbidden)

    /// Only users with an address of other domains can sign up.
    package static let signUpDomain = IdentityError(
        code: "signUpDomain", message: "An account needs an email address of another domain.",
        hint: "Use the address of your organization, or ask the operator for an invitation.", form: .forbidden)

    /// A hook of the operator has denied the sign-up.
    package static let signUpDenied = IdentityError.signUpDenied("")

    /// Returns a ``signUpDenied`` error with the text of the hook for the user; empty for none.
    package static func signUpDenied(_ text: String) -> IdentityError {
        IdentityError(
            code: "signUpDenied", message: text.isEmpty ? "The operator has not accepted this sign-up." : text,
            form: .forbidden, pageKey: text.isEmpty ? "signUpDeclined" : nil, detail: text.isEmpty ? nil : text)
    }

    /// The user has not accepted the required terms of the operator, or has accepted another version.
    package static let termsRequired = IdentityError.termsRequired(version: "…")

    /// Returns a ``termsRequired`` error with the required version.
    package static func termsRequired(version: String) -> IdentityError {
        IdentityError(
            code: "termsRequired", message: "Version '\(version)' of the terms of use must be accepted.",
            hint: "Show them, and send that version as 'acceptedTerms'.",
            form: .badRequest, field: "acceptedTerms")
    }

    /// The new password is refused.
    package static let weakPassword = IdentityError.weakPassword("it is too short")

    /// Returns a ``weakPassword`` error with the reason, which is shown to the user who chose the password.
    ///
    /// - Parameter pageKey: The key of the same reason on pages.
    package static func weakPassword(_ reason: String, pageKey: String? = nil) -> IdentityError {
        IdentityError(
            code: "weakPassword", message: "The password cannot be used: \(reason).",
            hint: "Use 8 characters or more. A sentence is easy to remember.", form: .badRequest, pageKey: pageKey,
            field: "password")
    }

    /// The mailed link was used before, has expired, was replaced by a newer one, or never existed.
    package static let invalidLink = IdentityError(
        code: "invalidLink", message: "This link has expired or was already used.", hint: "Request a new one.",
        form: .badRequest)

    /// The mailed link was sent without a proof of the account's owner, which the configuration requires.
    package static let ownerProofRequired = IdentityError(
        code: "ownerProofRequired", message: "The link alone does not verify the address.",
        hint: "Send the account's password too, sign in first, or open the link's page.",
        form: ClientForm(status: .forbidden, oauth: "access_denied", rpc: .failedPrecondition))
}

/// Errors of logins and second factors.
extension IdentityError {
    /// The address and the password do not match, or no account has the address; the response does not say which.
    package static let invalidCredentials = IdentityError(
        code: "invalidCredentials", message: "The email address or the password is wrong.",
        hint: "Check both, or reset the password.",
        form: .invalidGrant)

    /// The account is suspended.
    ///
    /// Only a client that has proved the account's credentials gets this error and the next two.
    package static let accountSuspended = IdentityError(
        code: "accountSuspended", message: "This account is suspended",
        hint: "Ask the app's operator.",
        form: ClientForm(
            status: .forbidden, oauth: "account_suspended", oauthStatus: .badRequest, rpc: .permissionDenied))

    /// An administrator has signed in without the second factor or the passkey that the account has, or needs.
    package static let administrationNeedsFactor = IdentityError(
        code: "administrationNeedsFactor", message: "An administrator must sign in with a second factor or a passkey.",
        hint: "Sign in with the one that the account has, or set one up at /account.",
        form: ClientForm(status: .forbidden, oauth: "access_denied", rpc: .permissionDenied))

    /// The owner of a lost second factor cannot have it removed without an administrator.
    package static let factorIsKept = IdentityError(
        code: "factorIsKept", message: "Only an administrator can remove the second factor of this account.",
        hint: "Ask the app's operator.",
        form: ClientForm(status: .forbidden, oauth: "access_denied", rpc: .permissionDenied))

    /// The account may not sign in.
    package static let accountClosed = IdentityError(
        code: "accountClosed", message: "This account cannot sign in", hint: "Ask the app's operator.",
        form: ClientForm(
            status: .forbidden, oauth: "account_closed", oauthStatus: .badRequest, rpc: .permissionDenied))

    /// The configuration requires a verified address, and the account that signs in has none.
    package static let addressUnverified = {
        var error = emailUnverified.with(
            message: "The email address is not verified", hint: "Open the link in the email, or request another one.")
        error.pageKey = "addressUnverified"
        return error
    }()

    /// The client made too many attempts in a short time.
    package static let tooManyAttempts = IdentityError(
        code: "tooManyAttempts", message: "There were too many attempts.", hint: "Wait before you try again.",
        retryAfter: .seconds(60),
        form: ClientForm(
            status: .tooManyRequests, oauth: "temporarily_unavailable", rpc: .resourceExhausted,
            errorCode: "RATE_LIMIT_EXCEEDED"))

    /// The password is correct, but the login needs a code of the second factor.
    ///
    /// It is 403, since a 401 would request another password. No RFC names this OAuth error; other servers use this
    /// name.
    package static let secondFactorRequired = IdentityError(
        code: "mfaRequired", message: "A code from the authenticator app is also required.",
        hint: "Send the login again, with the code as 'otp'.",
        form: ClientForm(status: .forbidden, oauth: "mfa_required", oauthStatus: .badRequest, rpc: .failedPrecondition))

    /// The code is wrong, was used before, or came after too many wrong codes; the response does not say which.
    package static let invalidCode = IdentityError(
        code: "invalidCode", message: "The code is invalid or has expired.",
        hint: "Wait for the next code, or use a recovery code.",
        form: .invalidGrant)

    /// The error for a request whose access token is valid: 403 instead of 401.
    ///
    /// Clients take a 401 as a refusal of the token (RFC 6750 §3.1), refresh it, and would send a wrong password twice.
    package var withinSession: IdentityError {
        guard [.invalidCredentials, .invalidCode, .invalidSignInCode, .invalidPasskey].contains(self) else {
            return self
        }
        var error = self
        error.form = .forbidden
        return error
    }

    /// Returns a ``signInAgain`` error with the challenge of RFC 9470 §3.
    ///
    /// The access token is valid, and a refresh would not help.
    package static func signInAgain(maximumAge: Duration) -> IdentityError {
        let challenge =
            #"Bearer error="insufficient_user_authentication", "#
            + #"error_description="A recent authentication is required", max_age="\#(maximumAge.components.seconds)""#
        return IdentityError(
            code: "signInAgain", message: "This requires a recent sign-in.",
            hint:
                "Sign in again, or send the password, a passkey or the code of a provider to /api/auth/reauthenticate.",
            form: ClientForm(
                status: .unauthorized, oauth: "insufficient_user_authentication", rpc: .unauthenticated,
                challenge: challenge))
    }

    /// The account has no second factor, or the setup has expired.
    package static let noSecondFactor = IdentityError(
        code: "noSecondFactor", message: "There is no second factor.", hint: "Set one up first.",
        form: ClientForm(status: .conflict, oauth: "invalid_request", rpc: .failedPrecondition))
}

/// Errors of OAuth clients and tokens.
extension IdentityError {
    /// The refresh token is invalid or has expired (RFC 6749 §5.2, invalid_grant).
    package static let invalidGrant = IdentityError(
        code: "invalidGrant", message: "The session has ended.", hint: "Sign in again.",
        form: ClientForm(
            status: .unauthorized, oauth: "invalid_grant", oauthStatus: .badRequest, rpc: .unauthenticated,
            errorCode: "INVALID_REFRESH_TOKEN"))

    /// The request has no valid access token (RFC 6750 §3.1, invalid_token).
    public static let invalidToken = IdentityError(
        code: "invalidToken", message: "A valid access token is needed.", hint: "Sign in, or refresh the token.",
        form: ClientForm(
            status: .unauthorized, oauth: "invalid_token", rpc: .unauthenticated,
            challenge: #"Bearer error="invalid_token""#))

    /// The request has a token with a proof (RFC 9449 §7.1), which is not valid.
    package static let invalidBoundToken = IdentityError(
        code: "invalidToken", message: invalidToken.message, hint: invalidToken.hint,
        form: ClientForm(
            status: .unauthorized, oauth: "invalid_token", rpc: .unauthenticated,
            challenge: #"DPoP error="invalid_token""#))

    /// Returns the error of a proof that is not valid (RFC 9449 §5 and §7.1).
    package static func invalidProof(_ message: String) -> IdentityError {
        IdentityError(
            code: "invalidProof", message: message, hint: "Check the clocks of both machines, the URL and the key.",
            form: ClientForm(
                status: .unauthorized, oauth: "invalid_dpop_proof", oauthStatus: .badRequest, rpc: .unauthenticated,
                challenge: #"DPoP error="invalid_dpop_proof""#))
    }

    /// Returns the error of a proof without a recent nonce of the server (RFC 9449 §8 and §9).
    package static func staleProofNonce(next nonce: String) -> IdentityError {
        var error = IdentityError(
            code: "staleProofNonce", message: "The proof lacks a recent nonce.",
            hint: "Send another proof with the nonce of the field DPoP-Nonce.",
            form: ClientForm(
                status: .unauthorized, oauth: "use_dpop_nonce", oauthStatus: .badRequest, rpc: .unauthenticated,
                challenge: #"DPoP error="use_dpop_nonce""#))
        error.proofNonce = nonce
        return error
    }

    /// The resource has another host than the issuer (RFC 7033 §4.2).
    package static let noSuchResource = IdentityError(
        code: "noSuchResource", message: "This server is not the issuer of this resource.",
        hint: "Ask the host of the resource.", form: .notFound)

    /// The access token lacks a scope that the route requires (RFC 6750 §3.1, insufficient_scope).
    package static let insufficientScope = IdentityError(
        code: "insufficientScope", message: "The access token lacks the required scope.",
        hint: "Sign in again and request the scope, if the account is allowed to have it.",
        form: ClientForm(status: .forbidden, oauth: "insufficient_scope", rpc: .permissionDenied))

    /// The client is not registered, or failed to authenticate (RFC 6749 §5.2, invalid_client).
    package static let invalidClient = IdentityError(
        code: "invalidClient", message: "The client is not registered here, or its secret is wrong.",
        hint: "Check client_id and client_secret.",
        form: ClientForm(
            status: .unauthorized, oauth: "invalid_client", rpc: .unauthenticated,
            challenge: #"Basic realm="oauth", charset="UTF-8""#))

    /// Returns an ``invalidClient`` error with the reason why the client's assertion is refused.
    package static func refusedAssertion(_ reason: String) -> IdentityError {
        invalidClient.with(message: "The client's assertion is refused: \(reason).")
    }

    /// The connection has not the certificate of the client (RFC 8705 §2).
    package static let refusedCertificate = invalidClient.with(
        message: "The connection does not show a valid certificate of this client.",
        hint: "Use the 'mtls_endpoint_aliases' of the metadata, with the certificate of the registration.")

    /// The keys at the `jwks_uri` of a client cannot be read, so that nothing that it signs can be checked.
    package static let unreadableKeys = IdentityError(
        code: "unreadableKeys", message: "The keys at the client's jwks_uri cannot be read.",
        hint: "It must be a JSON Web Key Set with public keys and a status of 200, without a redirect.",
        form: invalidClient.form)

    /// Returns ``unreadableKeys`` for the operator, with the client and the reason.
    package static func unreadableKeys(of id: String, because reason: String) -> IdentityError {
        unreadableKeys.with(
            message: "the keys at the jwks_uri of the client '\(id)' cannot be read: \(reason)",
            hint: "Ask the developers of the client.")
    }

    /// Returns an `invalid_client` error with the reason why the document at a `client_id` cannot be used.
    package static func unusableDocument(_ reason: String) -> IdentityError {
        IdentityError(
            code: "unusableDocument", message: "The document at the client_id cannot be used: \(reason).",
            hint: "Correct the document. This server reads it again after a minute.", form: invalidClient.form)
    }

    /// Returns an `invalid_grant` error with the reason why the assertion of a grant is refused (RFC 7523 §3.1).
    package static func refusedGrant(_ reason: String) -> IdentityError {
        IdentityError(
            code: "refusedAssertion", message: "The assertion is refused: \(reason).", form: .invalidGrant)
    }

    /// The client is not allowed to use this grant (RFC 6749 §5.2, unauthorized_client).
    package static let unauthorizedClient = IdentityError(
        code: "unauthorizedClient", message: "The client is not allowed to use this grant.",
        hint: "The server's settings 'clients' and 'first_party_grants' list the grants of each client.",
        form: ClientForm(status: .badRequest, oauth: "unauthorized_client", rpc: .permissionDenied))

    /// The server does not support the grant (RFC 6749 §5.2, unsupported_grant_type).
    package static let unsupportedGrantType = IdentityError(
        code: "unsupportedGrantType", message: "This server does not support the grant_type.",
        hint: "/.well-known/oauth-authorization-server lists those it supports.",
        form: ClientForm(status: .badRequest, oauth: "unsupported_grant_type", rpc: .invalidArgument))

    /// The token has no session, so that it stays valid until it expires (RFC 7009 §2.2.1, unsupported_token_type).
    package static let unsupportedTokenType = IdentityError(
        code: "unsupportedTokenType", message: "A token of the client itself cannot be revoked.",
        hint: "It ends when it expires. To end it now, remove the client's grant client_credentials.",
        form: ClientForm(status: .badRequest, oauth: "unsupported_token_type", rpc: .invalidArgument))

    /// The scope is malformed, cannot be granted, or exceeds the original grant (RFC 6749 §5.2, invalid_scope).
    package static let invalidScope = IdentityError(
        code: "invalidScope",
        message: "The scope is malformed, or more than the account and the client are allowed to have.",
        hint: "Request less; /.well-known/oauth-authorization-server lists the server's scopes.",
        form: ClientForm(status: .badRequest, oauth: "invalid_scope", rpc: .invalidArgument))
}
