// SPDX-License-Identifier: Apache-2.0

import LatchAuth
public import LatchCore
package import LatchFoundation
public import LatchHTTP
import LatchJOSE

/// An error of an authorization server, or of its response.
///
/// It never contains a secret: a server's message that repeats one is left out. Errors of the connection are
/// `HTTPError`, errors of a session `AuthError`.
public struct OAuthError: CodedError, RetryAfterError {
    /// The stable name of the error.
    public let code: String
    /// A description of the failure.
    public let message: String
    /// A suggestion for the user or the developer.
    public let hint: String?
    /// The status of the response, if there was one.
    public let status: HTTPStatus?
    /// The server's own code, such as `invalid_grant`, as received.
    public let issuerCode: String?
    /// The server's second code, `suberror`, such as `consent_required` from Microsoft Entra, as received.
    public let suberror: String?
    /// The server's message; nil if there is none, or if it repeats a secret.
    public let issuerMessage: String?
    /// The pause that the server requests.
    public let retryAfter: Duration?
    /// The refusal of the session, if the request was a refresh.
    private var refusal: RefreshRefusal?
    /// The claims that the next request needs, as Microsoft Entra states them.
    private var claims: JSONValue?
    /// Whether the response refuses the refresh token, but may come from a gateway.
    package private(set) var isDoubtfulEnd = false

    /// Creates an error with its context.
    public init(
        code: String, message: String, hint: String? = nil, status: HTTPStatus? = nil, issuerCode: String? = nil,
        suberror: String? = nil, issuerMessage: String? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.issuerCode = issuerCode
        self.suberror = suberror
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
        code: "invalidRequest", message: "The server rejected the request as malformed.",
        hint: "Compare the request with the server's documentation.")

    /// Client authentication failed (RFC 6749 §5.2); the error says nothing about the user.
    public static let invalidClient = OAuthError(
        code: "invalidClient", message: "The server does not recognize this client, or refuses its authentication.",
        hint: "Check the client ID, the secret, and the method of client authentication.")

    /// The password, code or refresh token is wrong, has expired or was revoked (RFC 6749 §5.2).
    public static let invalidGrant = OAuthError(
        code: "invalidGrant", message: "The server does not accept the password, code or refresh token.",
        hint: "Check the entered credentials, or sign in again.")

    /// The client is not allowed to use this grant (RFC 6749 §5.2).
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
        hint: "Revoke the refresh token. The access token expires by itself.")

    /// The proof of possession was refused (RFC 9449 §5).
    public static let invalidDPoPProof = OAuthError(
        code: "invalidDPoPProof", message: "The server does not accept the proof of possession.",
        hint: "Check this machine's clock, and that the key is the one that the tokens are bound to.")

    /// The proof of possession needs a nonce from the server (RFC 9449 §8).
    public static let useDPoPNonce = OAuthError(
        code: "useDPoPNonce", message: "The server requires its own nonce in the proof of possession.",
        hint: "Repeat the request with the nonce of the response.")
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

    /// The server answered with a status of 5xx.
    public static let serverFailed = OAuthError(
        code: "serverFailed", message: "The server failed.", hint: "Try again later.")

    /// The server requires authentication, but does not say whether of the user or the client (RFC 9110 §15.5.2).
    public static let unauthorized = OAuthError(
        code: "unauthorized", message: "The server requires another authentication.",
        hint: "Check the client ID, the secret, and the tokens of the request.")

    /// The server refused for another reason, which `issuerMessage` may contain.
    public static let refused = OAuthError(
        code: "refused", message: "The server refused the request.",
        hint: "Try again; if it is refused again, sign in again.")

    /// A successful response lacks required content, such as usable tokens (RFC 6749 §5.1).
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
            hint: other.hint, status: status, issuerCode: issuerCode, suberror: suberror,
            issuerMessage: issuerMessage, retryAfter: retryAfter)
    }

    /// Returns this error of a refresh as the refusal of its token, if the response refuses the token.
    ///
    /// - Parameter doubts: Whether a refusal that may come from a gateway counts as doubtful.
    func refusingToken(doubts: Bool) -> OAuthError {
        switch refusal {
        case .issuer: return reclassified(as: .invalidGrant)
        // RFC 6749 §5.2: the failed authentication of a client has the status 401.
        case .doubtful where (doubts || status == .badRequest) && (issuerCode.map { Self.codes[$0] == nil } ?? true):
            var error = self
            error.isDoubtfulEnd = true
            return error
        case .doubtful, nil: return self
        }
    }
}

extension OAuthError {
    /// Creates the error from a response in any format.
    ///
    /// RFC 6749 §5.2 requires `error` and `error_description`. Some servers send `detail`, a list of errors, HTML, or
    /// nothing. The status then determines the error.
    ///
    /// - Parameter secrets: The secrets of the request; a message that repeats one is left out.
    package init(_ response: HTTPResponse, hiding secrets: [String] = [], now: Date) {
        let members = Self.members(of: response)
        let issuerCode = (members["error"] ?? members["error_code"])?.stringValue.flatMap {
            Self.sanitized($0, upTo: 64)
        }
        let suberror = StepUpRequirement.suberror(in: members).flatMap { Self.sanitized($0, upTo: 64) }
        let error = Self.error(for: response.status, issuerCode: issuerCode, suberror: suberror)
        let message = Self.message(in: members).flatMap { Self.sanitized($0, upTo: 200, hiding: secrets) }
        self.init(
            code: error.code, message: message.map { "\(error.message) (\($0))" } ?? error.message, hint: error.hint,
            status: response.status, issuerCode: issuerCode, suberror: suberror, issuerMessage: message,
            retryAfter: response.retryDelay(now: now) ?? Self.delay(members["retry_after"]))
        refusal = response.refreshRefusal
        claims = members["claims"]
    }

    /// Creates the error from a response that reports it with a success status, as GitHub does; nil if it reports none.
    init?(inSuccess response: HTTPResponse, hiding secrets: [String], now: Date) {
        var refused = response
        refused.status = .badRequest
        self.init(refused, hiding: secrets, now: now)
        if issuerCode == nil { return nil }
    }

    /// Returns the members of the response; FastAPI puts a program's error object into `detail`.
    private static func members(of response: HTTPResponse) -> JSONObject {
        guard let json = try? JSONValue(parsing: response.body.bytesWithoutMark), let members = json.objectValue else {
            return [:]
        }
        return members["detail"]?.objectValue ?? members
    }

    /// Returns the error for a status and a code.
    ///
    /// The status of an unavailable server takes precedence over a code, because an outage must not end a session.
    private static func error(for status: HTTPStatus, issuerCode: String?, suberror: String?) -> OAuthError {
        switch status.rawValue {
        case 429: return .tooManyRequests
        case 503: return .temporarilyUnavailable
        case 500...: return .serverFailed
        case 300..<400:
            return .invalidResponse(
                "it is a redirect, and secrets are never sent to a redirect's target", status: status)
        default: break
        }
        guard let issuerCode else { return status == .unauthorized ? .unauthorized : .refused }
        if StepUpRequirement(errorCode: issuerCode, suberror: suberror) != nil { return .interactionRequired }
        // Microsoft Entra: the refresh token was issued to another client of its family.
        if issuerCode == "invalid_grant", suberror == "client_mismatch" { return .unauthorizedClient }
        if let known = codes[issuerCode] ?? codes[issuerCode.lowercasedASCII()] { return known }
        return status == .unauthorized ? .unauthorized : .refused
    }

    /// The codes of RFC 6749 §5.2, RFC 7009 §2.2.1, RFC 9449 §12.2, and the codes of the Lazi backend.
    static let codes: [String: OAuthError] = [
        "invalid_request": .invalidRequest, "invalid_client": .invalidClient, "invalid_grant": .invalidGrant,
        "unauthorized_client": .unauthorizedClient, "unsupported_grant_type": .unsupportedGrantType,
        "invalid_scope": .invalidScope, "invalid_target": .invalidTarget,
        "unsupported_token_type": .unsupportedTokenType,
        "invalid_dpop_proof": .invalidDPoPProof, "use_dpop_nonce": .useDPoPNonce,
        "temporarily_unavailable": .temporarilyUnavailable, "server_error": .serverFailed,
        // Codes of glewlwyd and GitHub.
        "invalid_code": .invalidGrant, "bad_verification_code": .invalidGrant, "bad_refresh_token": .invalidGrant,
        "INVALID_CREDENTIALS": .invalidGrant, "INVALID_REFRESH_TOKEN": .invalidGrant,
        "INSUFFICIENT_SCOPE": .invalidScope, "RATE_LIMIT_EXCEEDED": .tooManyRequests,
    ]

    /// Returns the server's message from one of the usual members.
    private static func message(in members: JSONObject) -> String? {
        let text = ["error_description", "detail", "message", "msg"].lazy.compactMap { members[$0]?.stringValue }.first
        // Facebook and Google's APIs put the message into an object.
        return text ?? members["error"]?["message"]?.stringValue ?? members["detail"]?.arrayValue.map(list)
    }

    /// Returns the names and reasons of a list of errors, without `input`, which repeats the request.
    private static func list(_ errors: [JSONValue]) -> String {
        let lines = errors.prefix(5).compactMap { error -> String? in
            guard let reason = error["msg"]?.stringValue else { return nil }
            return (error["loc"]?.arrayValue?.last?.stringValue).map { "\($0): \(reason)" } ?? reason
        }
        return lines.joined(separator: "; ")
    }

    /// Returns untrusted text as one printable line; nil if the line is empty or repeats a secret.
    ///
    /// A secret of fewer than 16 letters a to z counts only after a quotation mark, a colon or an equals sign. The
    /// reason is that a sentence about a wrong password contains the word "password", which may be the password. Any
    /// other secret counts anywhere.
    package static func sanitized(_ text: String, upTo limit: Int, hiding secrets: [String] = []) -> String? {
        guard
            !secrets.contains(where: { repeats($0, in: text) || repeats(FormEncoding.encodeValue($0), in: text) }),
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

    /// Whether a text quotes a secret, and does not just contain the same letters by chance.
    private static func repeats(_ secret: String, in text: String) -> Bool {
        guard !secret.isEmpty, text.utf8.contains(secret.utf8) else { return false }
        guard secret.utf8.count < 16, secret.utf8.allSatisfy({ (0x61...0x7A).contains($0) }) else { return true }
        return ["\"", "'", "`", "=", ":", ": ", "\u{201C}", "\u{2018}"].contains {
            text.utf8.contains("\($0)\(secret)".utf8)
        }
    }

    /// Returns the seconds in a member; the field `Retry-After` takes precedence.
    private static func delay(_ value: JSONValue?) -> Duration? {
        value?.seconds.map { .seconds(min($0, RetryAfter.longest.inSeconds)) }
    }
}

extension OAuthError: IssuerError {
    /// Whether the issuer may have processed the request: a gateway answered instead, or the response cannot be read.
    package var mayHaveArrived: Bool {
        // A server that redirects has not processed the request.
        let isUnreadable = code == Self.invalidResponse.code && !(300..<400).contains(status?.rawValue ?? 0)
        return isUnreadable || status == 502 || status == 504
    }

    /// Whether the issuer itself has rejected the request (RFC 6749 §5.2).
    package var isRejection: Bool { status == .badRequest && issuerCode != nil || self == .invalidTarget }

    /// Whether the server will not revoke the token or does not know it (RFC 7009 §2.2.1).
    var isFinalForToken: Bool {
        status == .badRequest
            && ["unsupported_token_type", "invalid_token", "invalid_grant"].contains { $0 == issuerCode }
    }

    /// The requirement of a server that continues the session after the user has acted; nil for other errors.
    var requirement: StepUpRequirement? {
        guard self == .interactionRequired else { return nil }
        return issuerCode.flatMap { StepUpRequirement(errorCode: $0, suberror: suberror, claims: claims) }
            ?? StepUpRequirement()
    }
}
