// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchHTTP
import LatchRPC

/// An error of the auth server: of its store, its configuration, or a request.
///
/// Each error is declared once, together with the ``ClientForm`` that HTTP, OAuth and RPC clients receive.
public struct IdentityError: CodedError {
    /// The stable, machine-readable name of the error.
    public let code: String
    /// A description of what happened.
    public let message: String
    /// Advice on what to do about it.
    public let hint: String?
    /// The time after which the same request may be repeated, if known.
    public let retryAfter: Duration?
    /// The form in which clients receive the error.
    let form: ClientForm
    /// The exhausted rate limit, for the RateLimit fields of the response.
    var limit: AttemptLimiter.Limit?

    /// Creates an error; without a form, clients learn only that the server is unavailable.
    init(
        code: String, message: String, hint: String? = nil, retryAfter: Duration? = nil, form: ClientForm = .serverError
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.retryAfter = retryAfter
        self.form = form
    }

    /// Returns the same error with another message, hint or waiting time.
    func with(message: String, hint: String? = nil, retryAfter: Duration? = nil) -> IdentityError {
        IdentityError(code: code, message: message, hint: hint, retryAfter: retryAfter, form: form)
    }
}

/// The form in which clients receive an error on each surface.
struct ClientForm: Sendable {
    /// The status on the JSON surfaces.
    let status: HTTPStatus
    /// The `error` parameter (RFC 6749 §5.2, RFC 6750 §3.1).
    let oauthError: String
    /// The status at the OAuth endpoints (RFC 6749 §5.2: 400 unless client authentication failed).
    let oauthStatus: HTTPStatus
    /// The code of an RPC.
    let rpcCode: RPCCode
    /// The challenge of a 401 response (RFC 9110 §15.5.2).
    let challenge: String
    /// The `error_code` that Lazi clients expect; nil derives it from the error's code.
    let errorCode: String?
    /// Whether clients see code, message and hint; otherwise they see ``IdentityError/unavailable``.
    let isDisclosed: Bool

    /// Creates a form; the OAuth status is that of the JSON surfaces unless given.
    init(
        _ status: HTTPStatus, oauth: String, oauthStatus: HTTPStatus? = nil, rpc: RPCCode, challenge: String = "Bearer",
        errorCode: String? = nil, isDisclosed: Bool = true
    ) {
        self.status = status
        oauthError = oauth
        self.oauthStatus = oauthStatus ?? status
        rpcCode = rpc
        self.challenge = challenge
        self.errorCode = errorCode
        self.isDisclosed = isDisclosed
    }

    /// The form of internal failures: 503, which clients retry, and not 500, on which they give up.
    static let serverError = ClientForm(
        .serviceUnavailable, oauth: "temporarily_unavailable", rpc: .unavailable, isDisclosed: false)
    /// The form of transient failures whose message names no path and no table.
    static let temporarilyUnavailable = ClientForm(
        .serviceUnavailable, oauth: "temporarily_unavailable", rpc: .unavailable)
    /// The form of malformed requests.
    static let badRequest = ClientForm(.badRequest, oauth: "invalid_request", rpc: .invalidArgument)
    /// The form of requests that the account may not make.
    static let forbidden = ClientForm(.forbidden, oauth: "access_denied", rpc: .permissionDenied)
    /// The form of requests for an object that does not exist.
    static let notFound = ClientForm(.notFound, oauth: "invalid_request", rpc: .notFound)
}
