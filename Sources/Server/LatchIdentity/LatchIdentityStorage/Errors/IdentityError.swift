// SPDX-License-Identifier: Apache-2.0

public import LatchCore
package import LatchHTTP
package import LatchRPC

/// An error of the auth server: of its store, its configuration, or a request.
///
/// Each error is declared once, together with the `ClientForm` that HTTP, OAuth and RPC clients receive.
public struct IdentityError: CodedError {
    /// The stable, machine-readable name of the error.
    public let code: String
    /// A description of what happened.
    public package(set) var message: String
    /// Advice on what to do next.
    public package(set) var hint: String?
    /// The time after which the same request may be repeated, if known.
    public package(set) var retryAfter: Duration?
    /// The form in which clients receive the error; by default it only says that the server is unavailable.
    package var form = ClientForm.serverError
    /// The exhausted rate limit, for the RateLimit fields of the response.
    package var limit: RateLimit?
    /// The nonce for the next proof of the client's key (RFC 9449 §8.1); nil for other errors.
    package var proofNonce: String?

    /// The key of the error's texts on pages, for a code with several texts; nil uses the code.
    package var pageKey: String?
    /// The variable part of the message, which the text on a page repeats.
    package var detail: String?
    /// The refused member of the content; nil without one, for several, or if the client must not know it.
    package var field: String?

    /// The failure at an identity provider, for the log: the provider's name, the part, and the code of the cause.
    ///
    /// An example is `google:token:invalidClient`. Nil for other errors.
    package var upstreamFailure: String?

    package init(
        code: String, message: String, hint: String? = nil, retryAfter: Duration? = nil,
        form: ClientForm = ClientForm.serverError, limit: RateLimit? = nil, pageKey: String? = nil,
        detail: String? = nil, field: String? = nil, upstreamFailure: String? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.retryAfter = retryAfter
        self.form = form
        self.limit = limit
        self.pageKey = pageKey
        self.detail = detail
        self.field = field
        self.upstreamFailure = upstreamFailure
    }

    /// Returns the same error with another message, hint or waiting time.
    package func with(message: String, hint: String? = nil, retryAfter: Duration? = nil) -> IdentityError {
        var error = self
        (error.message, error.hint, error.retryAfter) = (message, hint, retryAfter)
        return error
    }

    /// Returns the same error about a member of the content.
    package func at(_ field: String?) -> IdentityError {
        var error = self
        error.field = field
        return error
    }

    /// Returns the same error for the passwords of a change, with the names that its request uses for them.
    package func at(newPassword: String, oldPassword: String? = nil) -> IdentityError {
        if self == .weakPassword { return at(newPassword) }
        return self == .invalidCredentials ? at(oldPassword) : self
    }
}

extension IdentityError {
    /// Whether the server fails the request for an internal reason, not because the client has disconnected.
    package var isFailureOfServer: Bool { form.status.isServerError && self != .cancelled }

    /// Message and hint in the characters of RFC 6749 §5.2: visible ASCII and spaces, without `"` and `\`.
    package var oauthDescription: String {
        let text = hint.map { "\(message) \($0)" } ?? message
        let visible = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.value {
            case 0x22: "'"
            case 0x20...0x21, 0x23...0x5B, 0x5D...0x7E: scalar
            default: "-"
            }
        }
        return String(String.UnicodeScalarView(visible))
    }
}

/// The form in which clients receive an error on each surface.
package struct ClientForm: Sendable {
    /// The status on the JSON surfaces.
    package let status: HTTPStatus
    /// The `error` parameter (RFC 6749 §5.2, RFC 6750 §3.1).
    package let oauth: String
    /// The status at the OAuth endpoints, if it differs (RFC 6749 §5.2: 400 unless client authentication failed).
    package var oauthStatus: HTTPStatus?
    package let rpc: RPCCode
    /// The challenge of a 401 response (RFC 9110 §15.5.2).
    package var challenge = "Bearer"
    /// The `error_code` that Lazi clients expect; nil derives it from the error's code.
    package var errorCode: String?
    /// Whether clients see code, message and hint; otherwise they see ``IdentityError/unavailable``.
    package var isDisclosed = true

    package init(
        status: HTTPStatus, oauth: String, oauthStatus: HTTPStatus? = nil, rpc: RPCCode, challenge: String = "Bearer",
        errorCode: String? = nil, isDisclosed: Bool = true
    ) {
        self.status = status
        self.oauth = oauth
        self.oauthStatus = oauthStatus
        self.rpc = rpc
        self.challenge = challenge
        self.errorCode = errorCode
        self.isDisclosed = isDisclosed
    }

    /// The form of internal failures: 503, which clients retry, not 500, after which they give up.
    static let serverError = ClientForm(
        status: .serviceUnavailable, oauth: "temporarily_unavailable", rpc: .unavailable, isDisclosed: false)
    /// The form of temporary failures whose message names no path and no table.
    package static let temporarilyUnavailable = ClientForm(
        status: .serviceUnavailable, oauth: "temporarily_unavailable", rpc: .unavailable)
    /// The form of malformed requests.
    package static let badRequest = ClientForm(status: .badRequest, oauth: "invalid_request", rpc: .invalidArgument)
    /// The form of requests that the account is not allowed to make.
    package static let forbidden = ClientForm(status: .forbidden, oauth: "access_denied", rpc: .permissionDenied)
    /// The form of grants that are invalid or have expired (RFC 6749 §5.2).
    package static let invalidGrant = ClientForm(
        status: .unauthorized, oauth: "invalid_grant", oauthStatus: .badRequest, rpc: .unauthenticated)
    /// The form of requests for an object that does not exist.
    package static let notFound = ClientForm(status: .notFound, oauth: "invalid_request", rpc: .notFound)
}
