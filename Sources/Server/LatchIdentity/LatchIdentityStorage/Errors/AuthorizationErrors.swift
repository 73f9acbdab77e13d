// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchRPC

/// Errors of authorization requests; `ClientForm.oauth` is the `error` at the redirect URI (RFC 6749 §4.1.2.1).
extension IdentityError {
    /// Returns the error of a request without a known client or a registered redirect URI, which the user reads.
    package static func invalidAuthorization(_ problem: String) -> IdentityError {
        IdentityError(
            code: "invalidAuthorization", message: "This sign-in cannot begin",
            hint: "The app that opened this page sent an invalid request: \(problem).",
            form: .badRequest, detail: problem)
    }

    /// Returns the error of a sign-out that would redirect to a URI that is not the client's (attack B10).
    package static func invalidSignOut(_ problem: String) -> IdentityError {
        IdentityError(
            code: "invalidSignOut", message: "This sign-out cannot begin",
            hint: "The app that opened this page sent an invalid request: \(problem).",
            form: .badRequest, detail: problem)
    }

    /// The form of a page is too old, or is not from this server.
    package static let loginEnded = IdentityError(
        code: "loginEnded", message: "This sign-in has ended",
        hint: "It was open for too long, or was finished in another tab. Start over in the app.", form: .badRequest)

    /// The browser sends no cookies, or the page was opened in another browser.
    package static let cookiesMissing = IdentityError(
        code: "cookiesMissing", message: "Your browser did not send this site's cookie",
        hint: "Allow cookies for this site, then sign in here.", form: .badRequest)

    /// A page of another site has sent the form.
    package static let foreignPage = IdentityError(
        code: "foreignPage", message: "This form comes from another site",
        hint: "Nothing has happened. Start over in the app.", form: .forbidden)

    /// A page of another site embeds the page, or loads it without the user's knowledge.
    package static let embeddedPage = IdentityError(
        code: "embeddedPage", message: "This page is not shown inside another one",
        hint: "Open it in a separate window.", form: .forbidden)

    /// The form of a decision was sent before, perhaps by a double click.
    package static let alreadyAnswered = IdentityError(
        code: "alreadyAnswered", message: "You have already answered this page",
        hint: "If the app does not continue, start over there.", form: .badRequest)

    /// The request does not come from a proxy that may describe requests.
    package static let untrustedProxy = IdentityError(
        code: "untrustedProxy", message: "Only a trusted proxy may ask for a decision.",
        hint: "Add the proxy's address to trusted_proxies, and let no client reach this path.", form: .forbidden)

    /// No client stands for the application.
    package static let unknownApplication = IdentityError(
        code: "unknownApplication", message: "This application is not protected by this server.",
        hint: "Add its origin to 'forward_auth' of a client.", form: .forbidden)

    /// The user has no role or scope that the application requires.
    package static let applicationForbidden = IdentityError(
        code: "applicationForbidden", message: "This account may not open this application",
        hint: "Ask its operator for access.", form: .forbidden)

    /// The server issues only codes (RFC 9700 §2.1.2).
    package static let unsupportedResponseType = authorization(
        "unsupportedResponseType", "The response_type must be code.", "unsupported_response_type")

    /// Returns the error of a request object that the client has not signed, or not for this (RFC 9101 §6.1).
    package static func invalidRequestObject(_ problem: String) -> IdentityError {
        IdentityError(
            code: "invalidRequestObject", message: "The request object cannot be used: \(problem).",
            form: ClientForm(status: .badRequest, oauth: "invalid_request_object", rpc: .invalidArgument),
            detail: "its request object cannot be used: \(problem)")
    }

    /// Returns the error for a request object of a client without keys, or for one by reference (OpenID Connect Core §6).
    package static func requestNotSupported(_ name: String) -> IdentityError {
        authorization(
            "requestNotSupported",
            "This client has no keys in 'jwks' to sign requests with, and the server fetches no request objects.", name)
    }

    /// The `request_uri` is unknown, was used before, or has expired (RFC 9101 §6.2).
    package static let invalidRequestURI = authorization(
        "invalidRequestURI", "The request_uri was used before, or has expired.", "invalid_request_uri")

    /// The client must push its requests (RFC 9126 §5).
    package static let pushedRequestRequired = IdentityError.invalidInput(
        "this app must push its authorization requests", hint: "Send them to /oauth/par first.")

    /// The client must prove a key with each request for tokens (RFC 9449 §5.2).
    package static let proofRequired = IdentityError.invalidInput(
        "this client must send a DPoP proof", hint: "Send the field DPoP (RFC 9449).")

    /// The client must show the certificate that its tokens are bound to (RFC 8705 §3).
    package static let certificateRequired = IdentityError.invalidInput(
        "this client must show a certificate", hint: "Use the 'mtls_endpoint_aliases' of the metadata (RFC 8705 §5).")

    /// The user must sign in, and the request does not allow a page.
    package static let loginRequired = authorization("loginRequired", "The user must sign in.", "login_required")

    /// The user has not signed in as the client requires, and cannot (RFC 9470 §7.1).
    package static let unmetAuthentication = authorization(
        "unmetAuthentication", "The user must sign in with a second factor, and has none.",
        "unmet_authentication_requirements")

    /// The user must agree, and the request does not allow a page.
    package static let consentRequired = authorization("consentRequired", "The user must agree.", "consent_required")

    /// The user has not agreed to anything for this client, or has withdrawn it.
    package static let noSuchConsent = IdentityError(
        code: "noSuchConsent", message: "This account has no consent to this app.", form: .notFound,
        pageKey: "noSuchEntry")

    /// The user has refused.
    package static let authorizationDenied = authorization(
        "authorizationDenied", "The user has refused.", "access_denied")

    /// The user came back to a page that was open for too long; the client must start again.
    package static let authorizationEnded = authorization(
        "authorizationEnded", "The sign-in was open for too long.", "temporarily_unavailable")

    /// The resource is not one that this server issues tokens for (RFC 8707 §2).
    package static let invalidTarget = authorization(
        "invalidTarget", "Tokens for this resource are not issued here.", "invalid_target")

    /// Returns the error of rights that the client may not request, or that are more than the grant has (RFC 9396 §5).
    package static func invalidAuthorizationDetails(_ problem: String) -> IdentityError {
        authorization(
            "invalidAuthorizationDetails", "The authorization_details cannot be granted: \(problem).",
            "invalid_authorization_details")
    }

    /// A third-party client names the operator's API, but none of its scopes for the user to agree to.
    package static let scopelessTarget = authorization(
        "scopelessTarget", "The request names a resource but none of its scopes.", "invalid_target")

    /// The client may not exchange the subject token, or it is not a valid access token of a user (RFC 8693 §2.2.2).
    package static let refusedSubject = IdentityError.invalid(
        "subject_token", "is not a valid access token that this client may exchange")

    /// The authorization code is invalid or has expired, or was issued for another request.
    package static let invalidAuthorizationCode = IdentityError(
        code: "invalidAuthorizationCode", message: "The code is invalid or has expired.",
        hint: "Start the sign-in again.",
        form: ClientForm(
            status: .unauthorized, oauth: "invalid_grant", oauthStatus: .badRequest, rpc: .unauthenticated))

    private static func authorization(_ code: String, _ message: String, _ oauth: String) -> IdentityError {
        IdentityError(
            code: code, message: message,
            form: ClientForm(status: .badRequest, oauth: oauth, rpc: .invalidArgument))
    }
}

/// Errors of sign-ins on another device (RFC 8628 §3.5).
extension IdentityError {
    /// The user has not decided yet.
    package static let authorizationPending = device(
        "authorizationPending", "The user has not signed in yet.", "authorization_pending")
    /// The device polls too often: its interval grows by five seconds, for this and all later requests (RFC 8628 §3.5).
    package static let slowDown = device(
        "slowDown", "Poll less often: wait five more seconds between requests.", "slow_down")
    /// The user has refused.
    package static let deviceDenied = device("deviceDenied", "The user has refused.", "access_denied")
    /// The code has expired.
    package static let deviceCodeExpired = device("deviceCodeExpired", "The code has expired.", "expired_token")
    /// The code is not from this server or not for this client, or was used before.
    package static let invalidDeviceCode = device(
        "invalidDeviceCode", "The code is invalid or has expired.", "invalid_grant")

    /// The user code is wrong, was used, or has expired; the page does not say which.
    package static let invalidUserCode = IdentityError(
        code: "invalidUserCode", message: "The code is invalid or has expired.",
        hint: "Compare it with the one on your device, or start over there.", form: .badRequest)

    private static func device(_ code: String, _ message: String, _ oauth: String) -> IdentityError {
        IdentityError(
            code: code, message: message,
            form: ClientForm(status: .badRequest, oauth: oauth, rpc: .failedPrecondition))
    }
}
