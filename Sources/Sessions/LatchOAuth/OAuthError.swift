// SPDX-License-Identifier: Apache-2.0

import LatchAuth
public import LatchCore
public import LatchHTTP
import LatchJOSE
package import PortableFoundation

/// An error of an authorization server, or of its response.
///
/// It never contains a secret: the server's message is left out where it repeats one. Errors of the connection are
/// `HTTPError`, those of a session `AuthError`.
public struct OAuthError: CodedError, RetryAfterError {
    /// The stable name of the error.
    public let code: String
    /// A description of the failure.
    public let message: String
    /// A suggestion for the user or the developer.
    public let hint: String?
    /// The status of the response, if there was one.
    public let status: HTTPStatus?
    /// The server's own code, such as `invalid_grant`, as it was received.
    public let issuerCode: String?
    /// The server's message; nil if there is none, or if it repeats a secret.
    public let issuerMessage: String?
    /// The pause that the server requests.
    public let retryAfter: Duration?

    /// Creates an error with its context.
    public init(
        code: String, message: String, hint: String? = nil, status: HTTPStatus? = nil, issuerCode: String? = nil,
        issuerMessage: String? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.issuerCode = issuerCode
        self.issuerMessage = issuerMessage
        self.retryAfter = retryAfter
    }

    /// Matches an error with the same code, so that `catch` needs no other import.
    public static func ~= (pattern: OAuthError, error: any Error) -> Bool {
        (error as? OAuthError)?.code == pattern.code
    }
}

// MARK: - Codes of RFC 6749 and its companions

extension OAuthError {
    /// The request lacks a parameter, or has one twice (RFC 6749 §5.2).
    public static let invalidRequest = OAuthError(
        code: "invalidRequest", message: "The server found the request malformed.",
        hint: "Compare the request with the server's documentation.")

    /// Client authentication failed (RFC 6749 §5.2), which is not about the user.
    public static let invalidClient = OAuthError(
        code: "invalidClient", message: "The server does not recognize this client, or refuses its authentication.",
        hint: "Check the client ID, the secret, and the method of client authentication.")

    /// The password, code or refresh token is wrong, has expired or was revoked (RFC 6749 §5.2).
    public static let invalidGrant = OAuthError(
        code: "invalidGrant", message: "The server does not accept the password, code or refresh token.",
        hint: "Check the entered credentials, or sign in again.")

    /// The client may not use this grant (RFC 6749 §5.2).
    public static let unauthorizedClient = OAuthError(
        code: "unauthorizedClient", message: "The server does not allow this client to use the grant.",
        hint: "Allow the grant in the client's registration, or use another one.")

    /// The server does not support the grant (RFC 6749 §5.2).
    public static let unsupportedGrantType = OAuthError(
        code: "unsupportedGrantType", message: "The server does not support this grant.",
        hint: "Use a grant that the server documents.")

    /// A scope is unknown, malformed or more than may be granted (RFC 6749 §5.2).
    public static let invalidScope = OAuthError(
        code: "invalidScope", message: "The server does not grant these scopes.",
        hint: "Request fewer scopes, or documented ones.")

    /// The resource is unknown, malformed or not allowed (RFC 8707 §2).
    public static let invalidTarget = OAuthError(
        code: "invalidTarget", message: "The server does not issue tokens for this resource.",
        hint: "Compare the resource with those that the server documents.")

    /// Tokens of this type cannot be revoked (RFC 7009 §2.2.1).
    public static let unsupportedTokenType = OAuthError(
        code: "unsupportedTokenType", message: "The server does not revoke tokens of this type.",
        hint: "Revoke the refresh token; the access token ends by its expiry.")

    /// The proof of possession was refused (RFC 9449 §5).
    public static let invalidDPoPProof = OAuthError(
        code: "invalidDPoPProof", message: "The server does not accept the proof of possession.",
        hint: "Check this machine's clock, and that the key is the one that the tokens are bound to.")

    /// The proof of possession needs a nonce of the server (RFC 9449 §8).
    public static let useDPoPNonce = OAuthError(
        code: "useDPoPNonce", message: "The server requires its own nonce in the proof of possession.",
        hint: "Repeat the request with the nonce of the response.")
}

// MARK: - Authorization

extension OAuthError {
    /// The user, or the server's policy, denied the authorization (RFC 6749 §4.1.2.1).
    public static let accessDenied = OAuthError(
        code: "accessDenied", message: "The authorization was denied.",
        hint: "Sign in again and allow the access, or ask the server's administrator.")

    /// The server needs an interaction with the user, which the request did not allow (OpenID Connect Core §3.1.2.6).
    public static let interactionRequired = OAuthError(
        code: "interactionRequired", message: "The server needs the user for this.",
        hint: "Repeat the request with a page that the user sees.")

    /// The server does not support the response type, the scopes, the request object or another feature of the request.
    public static let unsupportedRequest = OAuthError(
        code: "unsupportedRequest", message: "The server does not support this authorization request.",
        hint: "Compare the request with the server's metadata.")

    /// The response belongs to no attempt of this program, or to one that has ended (RFC 6749 §10.12).
    public static let stateMismatch = OAuthError(
        code: "stateMismatch",
        message: "The response belongs to no sign-in that was begun here, or to one that has ended.",
        hint: "Begin the sign-in again. If that helps nothing, a link was opened that somebody else has made.")

    /// Another issuer than the expected one has responded (RFC 9207 §2.4, RFC 8414 §3.3).
    public static let issuerMismatch = issuerMismatch(expected: "", actual: "")

    /// The authorization response is malformed.
    public static let invalidAuthorizationResponse = invalidAuthorizationResponse("its form is wrong")

    /// The user's authentication is too old or too weak for the request (OpenID Connect Core §3.1.2.1).
    public static let insufficientAuthentication = OAuthError(
        code: "insufficientAuthentication", message: "The user's authentication is older or weaker than requested.",
        hint: "Sign in again, with the factors that the server asks for.")

    /// The ID token is not valid (OpenID Connect Core §3.1.3.7).
    public static let invalidIDToken = invalidIDToken("its form is wrong")

    /// The ID token of a refresh is another user's than that of the sign-in (OpenID Connect Core §12.2).
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

    /// The client's key or secret cannot sign what the server needs.
    public static let unsuitableClientKey = OAuthError(
        code: "unsuitableClientKey", message: "The client's key or secret cannot sign its assertion.",
        hint: "Use a private key, or a secret of at least 32 bytes.")

    /// The user ended the sign-in, such as by closing the window.
    public static let cancelled = OAuthError(
        code: "cancelled", message: "The sign-in was cancelled.", hint: "Begin again when you want to sign in.")

    /// Nobody finished the sign-in in time.
    public static let signInTimedOut = OAuthError(
        code: "signInTimedOut", message: "Nobody finished the sign-in in time.", hint: "Begin again.")

    /// No browser could be started.
    public static let browserUnavailable = browserUnavailable("no program opens URLs here")

    static func issuerMismatch(expected: String, actual: String) -> OAuthError {
        let actual = printable(actual)
        return OAuthError(
            code: "issuerMismatch",
            message: "The issuer '\(printable(expected))' was expected, and "
                + (actual.isEmpty ? "none is named." : "'\(actual)' is named."),
            hint: "Compare the two, character by character. If they are different servers, do not continue.")
    }

    static func invalidAuthorizationResponse(_ reason: String) -> OAuthError {
        OAuthError(
            code: "invalidAuthorizationResponse", message: "The authorization response is not valid: \(reason).",
            hint: "Begin the sign-in again.")
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

    package static func browserUnavailable(_ reason: String) -> OAuthError {
        OAuthError(
            code: "browserUnavailable", message: "No browser could be started: \(reason).",
            hint: "Open the URL by hand, or sign in with a device code.")
    }

    /// Returns the message of a token's error as a part of a sentence.
    static func clause(of error: JOSEError) -> String {
        String(decoding: error.message.utf8.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
    }

    /// Returns untrusted text without what a terminal could act on.
    static func printable(_ text: String) -> String { sanitized(text, upTo: 200) ?? "" }

    /// Creates the error of an authorization response (RFC 6749 §4.1.2.1, OpenID Connect Core §3.1.2.6).
    init(authorizationError code: String, message: String?) {
        let error: OAuthError =
            switch code {
            // The second is LinkedIn's.
            case "access_denied", "user_cancelled_authorize": .accessDenied
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

// MARK: - Other codes

extension OAuthError {
    /// The client sent too many requests; `retryAfter` may hold the necessary pause.
    public static let tooManyRequests = OAuthError(
        code: "tooManyRequests", message: "The server received too many requests.", hint: "Wait, then try again.")

    /// The server is temporarily unavailable (RFC 7009 §2.2.1, RFC 9110 §15.6.4); `retryAfter` may hold the pause.
    public static let temporarilyUnavailable = OAuthError(
        code: "temporarilyUnavailable", message: "The server is temporarily unavailable.",
        hint: "Try again later: the request had no effect.")

    /// The server failed.
    public static let serverFailed = OAuthError(
        code: "serverFailed", message: "The server failed.", hint: "Try again later.")

    /// The server requires another authentication, without saying whose (RFC 9110 §15.5.2).
    public static let unauthorized = OAuthError(
        code: "unauthorized", message: "The server requires another authentication.",
        hint: "Check the client ID, the secret, and the tokens of the request.")

    /// The server refused for another reason, which `issuerMessage` may contain.
    public static let refused = OAuthError(code: "refused", message: "The server refused the request.")

    /// A successful response without what it should contain, such as usable tokens (RFC 6749 §5.1).
    public static let invalidResponse = OAuthError.invalidResponse("it has no access token")

    /// The tokens have a type that was not requested (RFC 6749 §7.1).
    public static let unacceptableTokenType = OAuthError(
        code: "unacceptableTokenType", message: "The tokens have a type that was not requested.",
        hint: "Check the server's documentation; tokens of an unknown type must not be used.")

    /// The server granted unrequested scopes, and the client refuses them.
    public static let unrequestedScope = OAuthError(
        code: "unrequestedScope", message: "The server granted scopes that were not requested.",
        hint: "Request them, or have them reported instead of refused.")

    /// The server has no revocation endpoint.
    public static let noRevocationEndpoint = OAuthError(
        code: "noRevocationEndpoint", message: "The authorization server has no revocation endpoint.",
        hint: "Set `revocationEndpoint` of the authorization server.")

    /// The tokens include no refresh token.
    public static let noRefreshToken = OAuthError(
        code: "noRefreshToken", message: "The tokens include no refresh token.", hint: "Sign in again.")

    /// The session was created without a token endpoint.
    public static let noTokenEndpoint = OAuthError(
        code: "noTokenEndpoint", message: "The session was created without a token endpoint.",
        hint: "Pass the endpoint to signIn(with:at:), or create the session with init(tokenEndpoint:store:).")

    /// The session was created without an authorization client, which shows the server's page.
    public static let noAuthorizationClient = OAuthError(
        code: "noAuthorizationClient", message: "The session was created without an authorization client.",
        hint: "Create it with init(client:store:).")

    package static func invalidResponse(_ reason: String, status: HTTPStatus? = nil) -> OAuthError {
        OAuthError(
            code: "invalidResponse", message: "The authorization server's response is not valid: \(reason).",
            hint: "Check the issuer and the server's endpoints.", status: status)
    }

    /// Returns this error with another code.
    func reclassified(as other: OAuthError) -> OAuthError {
        OAuthError(
            code: other.code, message: issuerMessage.map { "\(other.message) (\($0))" } ?? other.message,
            hint: other.hint, status: status, issuerCode: issuerCode, issuerMessage: issuerMessage,
            retryAfter: retryAfter)
    }
}

extension OAuthError {
    /// Creates the error of a response in any format.
    ///
    /// RFC 6749 §5.2 requires `error` and `error_description`. Some servers send `detail`, a list of errors, HTML, or
    /// nothing at all; the status decides then.
    ///
    /// - Parameter secrets: The secrets of the request: a message that repeats one is left out.
    package init(_ response: HTTPResponse, hiding secrets: [String] = [], now: Date) {
        let members = Self.members(of: response)
        let issuerCode = (members["error"] ?? members["error_code"])?.stringValue.flatMap {
            Self.sanitized($0, upTo: 64)
        }
        let error = Self.error(for: response.status, issuerCode: issuerCode)
        let message = Self.message(in: members).flatMap { Self.sanitized($0, upTo: 200, hiding: secrets) }
        self.init(
            code: error.code, message: message.map { "\(error.message) (\($0))" } ?? error.message, hint: error.hint,
            status: response.status, issuerCode: issuerCode, issuerMessage: message,
            retryAfter: response.retryDelay(now: now) ?? Self.delay(members["retry_after"]))
    }

    /// Creates the error of a response that reports it with a status of success, as GitHub's do; nil without one.
    init?(inSuccess response: HTTPResponse, hiding secrets: [String], now: Date) {
        var refused = response
        refused.status = .badRequest
        self.init(refused, hiding: secrets, now: now)
        if issuerCode == nil { return nil }
    }

    /// Returns the members of the response; FastAPI puts a program's own object below `detail`.
    private static func members(of response: HTTPResponse) -> JSONObject {
        guard let json = try? JSONValue(parsing: response.body.bytes), let members = json.objectValue else {
            return [:]
        }
        return members["detail"]?.objectValue ?? members
    }

    /// Returns the error of a status and a code; an unavailable server outranks its code, since no outage may end a session.
    private static func error(for status: HTTPStatus, issuerCode: String?) -> OAuthError {
        switch status.rawValue {
        case 429: return .tooManyRequests
        case 503: return .temporarilyUnavailable
        case 500...: return .serverFailed
        case 300..<400: return .invalidResponse("it is a redirect, which no secret may follow", status: status)
        default: break
        }
        if let issuerCode, let known = codes[issuerCode] { return known }
        return status == .unauthorized ? .unauthorized : .refused
    }

    /// The codes of RFC 6749 §5.2, RFC 7009 §2.2.1, RFC 9449 §12.2, and the codes of the Lazi backend.
    private static let codes: [String: OAuthError] = [
        "invalid_request": .invalidRequest, "invalid_client": .invalidClient, "invalid_grant": .invalidGrant,
        "unauthorized_client": .unauthorizedClient, "unsupported_grant_type": .unsupportedGrantType,
        "invalid_scope": .invalidScope, "invalid_target": .invalidTarget,
        "unsupported_token_type": .unsupportedTokenType,
        "invalid_dpop_proof": .invalidDPoPProof, "use_dpop_nonce": .useDPoPNonce,
        "temporarily_unavailable": .temporarilyUnavailable, "server_error": .serverFailed,
        // Those of glewlwyd and of GitHub.
        "invalid_code": .invalidGrant, "bad_verification_code": .invalidGrant, "bad_refresh_token": .invalidGrant,
        "INVALID_CREDENTIALS": .invalidGrant, "INVALID_REFRESH_TOKEN": .invalidGrant,
        "INSUFFICIENT_SCOPE": .invalidScope, "RATE_LIMIT_EXCEEDED": .tooManyRequests,
    ]

    /// Returns the server's message from one of the usual members.
    private static func message(in members: JSONObject) -> String? {
        let text = ["error_description", "detail", "message"].lazy.compactMap { members[$0]?.stringValue }.first
        return text ?? members["detail"]?.arrayValue.map(list)
    }

    /// Returns the names and reasons of a list of errors; `input` is left out, since it repeats the request.
    private static func list(_ errors: [JSONValue]) -> String {
        let lines = errors.prefix(5).compactMap { error -> String? in
            guard let reason = error["msg"]?.stringValue else { return nil }
            return (error["loc"]?.arrayValue?.last?.stringValue).map { "\($0): \(reason)" } ?? reason
        }
        return lines.joined(separator: "; ")
    }

    /// Returns untrusted text in one printable line; nil if nothing is left, or if it repeats a secret.
    package static func sanitized(_ text: String, upTo limit: Int, hiding secrets: [String] = []) -> String? {
        guard
            !secrets.contains(where: {
                !$0.isEmpty && (text.utf8.contains($0.utf8) || text.utf8.contains(FormEncoding.encodeValue($0).utf8))
            }),
            // A JSON Web Token, such as an assertion of the client: `{"` in base64url.
            !text.utf8.contains("eyJ".utf8)
        else {
            return nil
        }
        let scalars = text.unicodeScalars.lazy.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
            default: true
            }
        }
        let sanitized = String(String.UnicodeScalarView(scalars.prefix(limit)))
        return sanitized.isEmpty ? nil : sanitized
    }

    /// Returns the seconds of a member, which the field `Retry-After` outranks.
    private static func delay(_ value: JSONValue?) -> Duration? {
        guard let seconds = value?.intValue, seconds >= 0 else { return nil }
        return .seconds(min(seconds, Int(RetryAfter.longest.components.seconds)))
    }
}

extension OAuthError: IssuerError {
    /// Whether the issuer may have acted: a gateway answered in its place, or the response cannot be read.
    package var mayHaveArrived: Bool { code == Self.invalidResponse.code || status == 502 || status == 504 }

    /// Whether the issuer has rejected the request for a reason of its own (RFC 6749 §5.2).
    package var isRejection: Bool { status == .badRequest && issuerCode != nil || self == .invalidTarget }
}
