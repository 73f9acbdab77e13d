// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// What an issuer refuses, or what its answer lacks.
///
/// It never holds a secret: what the issuer says is left out where it repeats one that was sent. Errors on the way to the
/// issuer are `HTTPError`, those of a session `AuthError`.
public struct OAuthError: CodedError, PatienceError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// The status of the answer, where there was one.
    public let status: HTTPStatus?
    /// The issuer's own code, such as `invalid_grant`, as it came.
    public let issuerCode: String?
    /// What the issuer said, in its words; nil where it said nothing, or repeated a secret.
    public let issuerMessage: String?
    /// How long the issuer asks to wait.
    public let retryAfter: Duration?

    /// An error with its context.
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
}

// What RFC 6749 §5.2 and its companions give a code for.
extension OAuthError {
    /// The request lacks something, or has something twice (RFC 6749 §5.2).
    public static let invalidRequest = OAuthError(
        code: "invalidRequest", message: "The issuer found the request malformed.",
        hint: "Compare what is sent with what the issuer documents.")

    /// The program could not prove who it is (RFC 6749 §5.2); it says nothing about the person.
    public static let invalidClient = OAuthError(
        code: "invalidClient", message: "The issuer does not know this program, or refuses its proof.",
        hint: "Check the client ID, the secret, and how the issuer wants them sent.")

    /// The password, code or refresh token is wrong, has expired or was revoked (RFC 6749 §5.2).
    public static let invalidGrant = OAuthError(
        code: "invalidGrant", message: "The issuer does not accept the password, code or refresh token.",
        hint: "Check what was entered; where nothing was, sign in again.")

    /// The program may not use this grant (RFC 6749 §5.2).
    public static let unauthorizedClient = OAuthError(
        code: "unauthorizedClient", message: "The issuer does not allow this program to use the grant.",
        hint: "Have the grant allowed in the program's registration, or use another.")

    /// The issuer does not know the grant (RFC 6749 §5.2).
    public static let unsupportedGrantType = OAuthError(
        code: "unsupportedGrantType", message: "The issuer does not support this grant.",
        hint: "Use a grant that the issuer documents.")

    /// A scope is unknown, malformed or more than may be granted (RFC 6749 §5.2).
    public static let invalidScope = OAuthError(
        code: "invalidScope", message: "The issuer does not grant these scopes.",
        hint: "Ask for fewer, or for such as the issuer documents.")

    /// Tokens of this kind cannot be revoked (RFC 7009 §2.2.1).
    public static let unsupportedTokenType = OAuthError(
        code: "unsupportedTokenType", message: "The issuer does not revoke tokens of this kind.",
        hint: "Revoke the refresh token; the access token ends by its expiry.")

    /// The proof of possession was refused (RFC 9449 §5).
    public static let invalidDPoPProof = OAuthError(
        code: "invalidDPoPProof", message: "The issuer does not accept the proof of possession.",
        hint: "Check this machine's clock, and that the key is the one that the tokens are bound to.")

    /// The proof of possession has to hold a value of the issuer's (RFC 9449 §8).
    public static let useDPoPNonce = OAuthError(
        code: "useDPoPNonce", message: "The issuer wants its own nonce in the proof of possession.",
        hint: "Repeat the request with the nonce of the answer.")
}

// What no code of a specification says.
extension OAuthError {
    /// There were too many requests; `retryAfter` says when the next is welcome.
    public static let tooManyRequests = OAuthError(
        code: "tooManyRequests", message: "The issuer wants fewer requests.", hint: "Wait, then try again.")

    /// The issuer cannot answer now (RFC 7009 §2.2.1 and RFC 9110 §15.6.4); `retryAfter` may say until when.
    public static let temporarilyUnavailable = OAuthError(
        code: "temporarilyUnavailable", message: "The issuer cannot answer at the moment.",
        hint: "Try again later: what was asked for has not happened.")

    /// The issuer failed.
    public static let serverFailed = OAuthError(
        code: "serverFailed", message: "The issuer failed.", hint: "Try again later.")

    /// The issuer refused for another reason, which `issuerMessage` tells where the issuer did.
    public static let refused = OAuthError(code: "refused", message: "The issuer refused.")

    /// A success that holds no usable tokens (RFC 6749 §5.1).
    public static let invalidResponse = OAuthError.invalidResponse("it has no access token")

    /// Tokens of a type that this program does not know how to use (RFC 6749 §7.1).
    public static let unacceptableTokenType = OAuthError(
        code: "unacceptableTokenType", message: "The issuer's tokens are of a type that was not asked for.",
        hint: "Check what the issuer documents; tokens of an unknown type must not be used.")

    /// More was granted than was asked for, and that was to be refused.
    public static let unrequestedScope = OAuthError(
        code: "unrequestedScope", message: "The issuer granted scopes that nobody asked for.",
        hint: "Ask for them, or let them be reported instead of refused.")

    /// The provider has no address for revocation.
    public static let noRevocationEndpoint = OAuthError(
        code: "noRevocationEndpoint", message: "The provider names no address where tokens are revoked.",
        hint: "Give the provider its revocation endpoint.")

    /// There is no refresh token to renew with.
    public static let noRefreshToken = OAuthError(
        code: "noRefreshToken", message: "There is no refresh token to renew with.", hint: "Sign in again.")

    package static func invalidResponse(_ why: String, status: HTTPStatus? = nil) -> OAuthError {
        OAuthError(
            code: "invalidResponse", message: "The issuer's answer is no token response: \(why).",
            hint: "Check that the address is that of the token endpoint.", status: status)
    }

    /// The same answer as another kind of error.
    func reclassified(as kind: OAuthError) -> OAuthError {
        OAuthError(
            code: kind.code, message: issuerMessage.map { "\(kind.message) (\($0))" } ?? kind.message, hint: kind.hint,
            status: status, issuerCode: issuerCode, issuerMessage: issuerMessage, retryAfter: retryAfter)
    }

    /// Whether the issuer gave a reason for people and no code for programs.
    var isWordsOnly: Bool { issuerMessage != nil && issuerCode == nil }
}
