// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

// The errors of sign-ins at an authorization server, and of its metadata.

extension OAuthError {
    /// The user, or the server's policy, denied the authorization (RFC 6749 §4.1.2.1).
    public static let accessDenied = OAuthError(
        code: "accessDenied", message: "The authorization was denied.",
        hint: "Sign in again and allow the access, or ask the server's administrator.")

    /// The server needs an interaction with the user that the request did not allow (OpenID Connect Core §3.1.2.6).
    public static let interactionRequired = OAuthError(
        code: "interactionRequired", message: "The server requires the user to sign in or to consent.",
        hint: "Repeat the request with a page that the user sees.")

    /// The server does not support the response type, the scopes, the request object or another feature of the request.
    public static let unsupportedRequest = OAuthError(
        code: "unsupportedRequest", message: "The server does not support this authorization request.",
        hint: "Compare the request with the server's metadata.")

    /// The response belongs to no attempt of this program, or to an attempt that has ended (RFC 6749 §10.12).
    public static let stateMismatch = OAuthError(
        code: "stateMismatch",
        message: "The response belongs to no sign-in that was begun here, or to one that has ended.",
        hint: "Start the sign-in again. If that fails, the opened link may come from someone else.")

    /// The response comes from another issuer than expected (RFC 9207 §2.4, RFC 8414 §3.3).
    public static let issuerMismatch = issuerMismatch(expected: "", actual: "")

    /// The authorization response is malformed.
    public static let invalidAuthorizationResponse = invalidAuthorizationResponse("its form is wrong")

    /// The user's authentication is too old or too weak for the request (OpenID Connect Core §3.1.2.1).
    public static let insufficientAuthentication = OAuthError(
        code: "insufficientAuthentication", message: "The user's authentication is older or weaker than requested.",
        hint: "Sign in again, with the factors that the server asks for.")

    /// The ID token is not valid (OpenID Connect Core §3.1.3.7).
    public static let invalidIDToken = invalidIDToken("its form is wrong")

    /// The ID token of a refresh is for another user than that of the sign-in (OpenID Connect Core §12.2).
    public static let differentUser = OAuthError(
        code: "differentUser", message: "The server refreshed the session with another user's tokens.",
        hint: "Sign in again, and report it to the server's operator.")

    /// The server's message that a session has ended is not valid (OpenID Connect Back-Channel Logout §2.6).
    public static let invalidLogoutToken = invalidLogoutToken("its form is wrong")

    /// The response about the user is not valid (OpenID Connect Core §5.3.4).
    public static let invalidUserInfo = invalidUserInfo("its form is wrong")

    /// The server publishes no metadata.
    public static let discoveryFailed = discoveryFailed("the issuer", status: nil)

    /// The metadata of the server is not usable.
    public static let invalidMetadata = invalidMetadata("its form is wrong")

    /// The server lacks an endpoint that the operation needs.
    public static let missingEndpoint = missingEndpoint("endpoint")

    /// No redirect URI is known: the configuration has none, and the call names none.
    public static let missingRedirectURI = OAuthError(
        code: "missingRedirectURI", message: "No redirect URI is configured.",
        hint: "Set `redirectURI` of the configuration, or pass one to `begin`.")

    /// The server publishes no keys, so that its ID tokens cannot be verified.
    public static let keysNotPublished = OAuthError(
        code: "keysNotPublished", message: "The server publishes no keys, so its ID tokens cannot be verified.",
        hint: "Request no scope `openid`, or complete the server's description by `keySetURL`.")

    /// The client's key or secret cannot sign a value that the server requires.
    public static let unsuitableClientKey = OAuthError(
        code: "unsuitableClientKey", message: "The client's key or secret cannot sign its assertion.",
        hint: "Use a private key, or a secret of at least 32 bytes.")

    /// The URL of a published request object is too long, or does not protect an object without a signature.
    public static let unsuitableRequestURI = OAuthError(
        code: "unsuitableRequestURI", message: "The URL of the request object cannot be sent to the server.",
        hint: "Publish the object at an https URL of at most 512 ASCII characters.")

    /// The user ended the sign-in, for example by closing the window.
    public static let cancelled = OAuthError(
        code: "cancelled", message: "The sign-in was canceled.", hint: "To sign in, start over.")

    /// The user did not finish the sign-in in time.
    public static let signInTimedOut = OAuthError(
        code: "signInTimedOut", message: "The sign-in was not finished in time.", hint: "Start over.")

    /// A sign-in in a browser could not begin, or its page was opened twice.
    public static let browserUnavailable = browserUnavailable("no program opens URLs here")

    static func issuerMismatch(expected: String, actual: String) -> OAuthError {
        let (expected, actual) = (printable(expected), printable(actual))
        return OAuthError(
            code: "issuerMismatch",
            message: actual.isEmpty
                ? "No issuer is named, but '\(expected)' was expected."
                : "The issuer '\(actual)' is named, but '\(expected)' was expected.",
            hint: "Compare the two, character by character. If they are different servers, do not continue.")
    }

    static func invalidAuthorizationResponse(_ reason: String) -> OAuthError {
        OAuthError(
            code: "invalidAuthorizationResponse", message: "The authorization response is not valid: \(reason).",
            hint: "Start the sign-in again.")
    }

    static func invalidIDToken(_ reason: String) -> OAuthError {
        OAuthError(
            code: "invalidIDToken", message: "The server's ID token is not valid: \(reason).",
            hint: "Check this machine's clock, and the issuer and the client ID of the configuration.")
    }

    static func invalidLogoutToken(_ reason: String) -> OAuthError {
        OAuthError(
            code: "invalidLogoutToken", message: "The logout token is not valid: \(reason).",
            hint: "Respond with 400, and end no session.")
    }

    static func invalidUserInfo(_ reason: String) -> OAuthError {
        OAuthError(
            code: "invalidUserInfo", message: "The server's response about the user is not valid: \(reason).",
            hint: "Check the configured issuer.")
    }

    static func discoveryFailed(_ issuer: String, status: HTTPStatus?) -> OAuthError {
        OAuthError(
            code: "discoveryFailed", message: "\(printable(issuer)) publishes no metadata of an authorization server.",
            hint: "Check the issuer, including a path and a final slash, or describe the server's endpoints by hand.",
            status: status)
    }

    static func invalidMetadata(_ reason: String) -> OAuthError {
        OAuthError(
            code: "invalidMetadata", message: "The metadata of the authorization server is not valid: \(reason).",
            hint: "Check the issuer, or describe the server's endpoints by hand.")
    }

    static func missingEndpoint(_ name: String) -> OAuthError {
        OAuthError(
            code: "missingEndpoint", message: "The authorization server has no \(name).",
            hint: "Use a grant that the server supports, or complete its description.")
    }

    package static func browserUnavailable(
        _ reason: String, hint: String = "Open the URL by hand, or sign in with a device code."
    ) -> OAuthError {
        OAuthError(
            code: "browserUnavailable", message: "The sign-in in a browser failed: \(reason).", hint: hint)
    }

    /// Returns the message of a token's error as part of a sentence.
    static func clause(of error: JOSEError) -> String {
        String(decoding: error.message.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    }

    /// Returns untrusted text without characters that a terminal could act on.
    static func printable(_ text: String) -> String { sanitized(text, upTo: 200) ?? "" }

    /// Creates the error from an authorization response (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6).
    init(authorizationError code: String, message: String?) {
        let error: OAuthError =
            switch code {
            // The second and third code are LinkedIn's.
            case "access_denied", "user_cancelled_authorize", "user_cancelled_login": .accessDenied
            case "login_required", "interaction_required", "consent_required", "account_selection_required",
                "insufficient_user_authentication", "unmet_authentication_requirements":
                .interactionRequired
            case "unsupported_response_type", "request_not_supported", "request_uri_not_supported",
                "registration_not_supported", "invalid_request_object", "invalid_request_uri":
                .unsupportedRequest
            default: Self.codes[code] ?? .refused
            }
        let message = message.flatMap { Self.sanitized($0, upTo: 200) }
        self.init(
            code: error.code, message: message.map { "\(error.message) (\($0))" } ?? error.message, hint: error.hint,
            issuerCode: Self.sanitized(code, upTo: 64), issuerMessage: message)
    }
}
