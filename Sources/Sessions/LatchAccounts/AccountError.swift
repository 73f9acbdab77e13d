// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

/// What an account backend refuses.
///
/// It carries what the server said. Errors on the way to the server are `HTTPError`, those of the session `AuthError`.
public struct AccountError: CodedError, PatienceError {
    /// The stable name of what went wrong.
    public let code: String
    /// What happened.
    public let message: String
    /// What to do about it.
    public let hint: String?
    /// The status of the answer, where there was one.
    public let status: HTTPStatus?
    /// What the server said, in its words.
    public let serverMessage: String?
    /// How long the server asks to wait (RFC 9110 §10.2.3).
    public let retryAfter: Duration?

    /// An error with its context.
    public init(
        code: String, message: String, hint: String? = nil, status: HTTPStatus? = nil, serverMessage: String? = nil,
        retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.serverMessage = serverMessage
        self.retryAfter = retryAfter
    }
}

extension AccountError {
    /// The e-mail address and the password do not belong together.
    public static let wrongCredentials = AccountError(
        code: "wrongCredentials", message: "The e-mail address or the password is wrong.",
        hint: "Check both, or reset the password.")

    /// There is an account with this e-mail address already.
    public static let emailTaken = AccountError(
        code: "emailTaken", message: "There is an account with this e-mail address already.",
        hint: "Sign in, or reset the password.")

    /// The server wants fewer attempts; `retryAfter` says when the next is welcome.
    public static let tooManyAttempts = AccountError(
        code: "tooManyAttempts", message: "There were too many attempts.", hint: "Wait, then try again.")

    /// The server refused for another reason, which `serverMessage` tells where the server did.
    public static let refused = AccountError(code: "refused", message: "The server refused.")

    /// The server failed.
    public static let serverFailed = AccountError(
        code: "serverFailed", message: "The server failed.", hint: "Try again later.")

    /// The answer lacks what the operation needs, such as an access token or an account's identifier.
    public static let invalidAnswer = AccountError(
        code: "invalidAnswer", message: "The server's answer lacks what was asked for.",
        hint: "Check that the base URL is that of the account backend.")
}

extension AccountError {
    /// The error that an answer stands for.
    init(_ response: HTTPResponse, unauthorized: AccountError = .refused) {
        let kind: AccountError =
            switch response.status.rawValue {
            case 401: unauthorized
            case 409: .emailTaken
            case 429: .tooManyAttempts
            case 500...: .serverFailed
            default: .refused
            }
        let said = Self.message(in: response)
        self.init(
            code: kind.code, message: said.map { "\(kind.message) (\($0))" } ?? kind.message, hint: kind.hint,
            status: response.status, serverMessage: said,
            retryAfter: response.fields[.retryAfter].flatMap(Self.delay))
    }

    /// The digits of `Retry-After` (RFC 9110 §10.2.3); nil for a date, and for what no one can wait.
    private static func delay(_ field: String) -> Duration? { UInt32(field).map { .seconds($0) } }

    /// What the server says in one of the usual places, shortened to what a person would read.
    private static func message(in response: HTTPResponse) -> String? {
        let text: String?
        if let object = (try? JSONValue(parsing: response.body.bytes))?.objectValue {
            let keys = ["message", "detail", "error_description", "error"]
            text = keys.lazy.compactMap { object[$0]?.stringValue }.first
        } else {
            let isText = response.fields[.contentType]?.lowercased().hasPrefix("text/plain") ?? false
            text = isText ? response.body.text : nil
        }
        guard let text, !text.isEmpty else { return nil }
        return String(text.prefix(200))
    }
}
