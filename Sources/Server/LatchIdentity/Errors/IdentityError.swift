// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchHTTP
import LatchRPC

/// An error of the auth server: of its store, its configuration, or a request.
///
/// Each error is declared once, together with the `ClientForm` that HTTP, OAuth and RPC clients receive.
public struct IdentityError: CodedError {
    /// The stable, machine-readable name of the error.
    public let code: String
    /// A description of what happened.
    public internal(set) var message: String
    /// Advice on what to do next.
    public internal(set) var hint: String?
    /// The time after which the same request may be repeated, if known.
    public internal(set) var retryAfter: Duration?
    /// The form in which clients receive the error; by default it only says that the server is unavailable.
    var form = ClientForm.serverError
    /// The exhausted rate limit, for the RateLimit fields of the response.
    var limit: RateLimit?

    /// The key of the error's texts on pages, for a code with several texts; nil uses the code.
    var pageKey: String?
    /// The variable part of the message, which the text on a page repeats.
    var detail: String?
    /// The refused member of the content; nil without one, for several, or if the client must not know it.
    var field: String?

    /// The failure at an identity provider, for the log: the provider's name, the part, and the code of the cause.
    ///
    /// An example is `google:token:invalidClient`. Nil for other errors.
    var upstreamFailure: String?

    /// Returns the same error with another message, hint or waiting time.
    func with(message: String, hint: String? = nil, retryAfter: Duration? = nil) -> IdentityError {
        var error = self
        (error.message, error.hint, error.retryAfter) = (message, hint, retryAfter)
        return error
    }

    /// Returns the same error about a member of the content.
    func at(_ field: String?) -> IdentityError {
        var error = self
        error.field = field
        return error
    }

    /// Returns the same error for the passwords of a change, with the names that its request uses for them.
    func at(newPassword: String, oldPassword: String? = nil) -> IdentityError {
        if self == .weakPassword { return at(newPassword) }
        return self == .invalidCredentials ? at(oldPassword) : self
    }
}

extension IdentityError {
    /// Whether the server fails the request for an internal reason, not because the client has disconnected.
    var isFailureOfServer: Bool { form.status.isServerError && self != .cancelled }

    /// Message and hint in the characters of RFC 6749 §5.2: visible ASCII and spaces, without `"` and `\`.
    var oauthDescription: String {
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
struct ClientForm: Sendable {
    /// The status on the JSON surfaces.
    let status: HTTPStatus
    /// The `error` parameter (RFC 6749 §5.2, RFC 6750 §3.1).
    let oauth: String
    /// The status at the OAuth endpoints, if it differs (RFC 6749 §5.2: 400 unless client authentication failed).
    var oauthStatus: HTTPStatus?
    let rpc: RPCCode
    /// The challenge of a 401 response (RFC 9110 §15.5.2).
    var challenge = "Bearer"
    /// The `error_code` that Lazi clients expect; nil derives it from the error's code.
    var errorCode: String?
    /// Whether clients see code, message and hint; otherwise they see ``IdentityError/unavailable``.
    var isDisclosed = true

    /// The form of internal failures: 503, which clients retry, not 500, after which they give up.
    static let serverError = ClientForm(
        status: .serviceUnavailable, oauth: "temporarily_unavailable", rpc: .unavailable, isDisclosed: false)
    /// The form of temporary failures whose message names no path and no table.
    static let temporarilyUnavailable = ClientForm(
        status: .serviceUnavailable, oauth: "temporarily_unavailable", rpc: .unavailable)
    /// The form of malformed requests.
    static let badRequest = ClientForm(status: .badRequest, oauth: "invalid_request", rpc: .invalidArgument)
    /// The form of requests that the account is not allowed to make.
    static let forbidden = ClientForm(status: .forbidden, oauth: "access_denied", rpc: .permissionDenied)
    /// The form of grants that are invalid or have expired (RFC 6749 §5.2).
    static let invalidGrant = ClientForm(
        status: .unauthorized, oauth: "invalid_grant", oauthStatus: .badRequest, rpc: .unauthenticated)
    /// The form of requests for an object that does not exist.
    static let notFound = ClientForm(status: .notFound, oauth: "invalid_request", rpc: .notFound)
}
