// SPDX-License-Identifier: Apache-2.0

import LatchAuth
public import LatchCore
public import LatchHTTP
import LatchOAuth

/// An error of an account backend.
///
/// It carries the server's message. Errors of the connection are `HTTPError`, errors of the session `AuthError`.
public struct AccountError: CodedError, RetryAfterError {
    /// The stable name of the error.
    public let code: String
    /// A description of the failure.
    public let message: String
    /// A suggestion for the user or the developer.
    public let hint: String?
    /// The status of the response, if there was one.
    public let status: HTTPStatus?
    /// The sentence in the server's response, for logs; nil if it sent none.
    public let serverMessage: String?
    /// The server's own code of the failure, such as `weakPassword`; nil if it sent none.
    public let serverCode: String?
    /// The member of the request that the server refuses, from the response's `field`; nil if the response names none.
    public let field: String?
    /// The pause that the server requests (RFC 9110 §10.2.3).
    public let retryAfter: Duration?

    /// Creates an error with its context.
    public init(
        code: String, message: String, hint: String? = nil, status: HTTPStatus? = nil, serverMessage: String? = nil,
        serverCode: String? = nil, field: String? = nil, retryAfter: Duration? = nil
    ) {
        self.code = code
        self.message = message
        self.hint = hint
        self.status = status
        self.serverMessage = serverMessage
        self.serverCode = serverCode
        self.field = field
        self.retryAfter = retryAfter
    }

    /// Matches an error with the same code, so that `catch` needs no other import.
    public static func ~= (pattern: AccountError, error: any Error) -> Bool {
        (error as? AccountError)?.code == pattern.code
    }
}

extension AccountError {
    /// The email address or the password is wrong.
    public static let wrongCredentials = AccountError(
        code: "wrongCredentials", message: "The email address or the password is wrong.",
        hint: "Check both, or reset the password.")

    /// The password is right, but the account has a second factor: the request also needs its code.
    public static let secondFactorRequired = AccountError(
        code: "secondFactorRequired", message: "Enter the code from your authenticator app.",
        hint: "Ask the user for the code, and send it along.")

    /// The code of the second factor is wrong or was already used.
    public static let wrongCode = AccountError(
        code: "wrongCode", message: "The code is wrong or was already used.",
        hint: "Wait for the next code, or use a recovery code.")

    /// The code is not that of the email, or the code beside a link has expired.
    public static let wrongMailedCode = AccountError(
        code: "wrongMailedCode", message: "The code is wrong or has expired.",
        hint: "Enter the code from the most recent email.")

    /// The code from the email was used, has expired, or had too many wrong tries.
    public static let mailedCodeExpired = AccountError(
        code: "mailedCodeExpired", message: "The code from the email has expired.", hint: "Request a new one.")

    /// The email address already has an account.
    public static let emailTaken = AccountError(
        code: "emailTaken", message: "An account with this email address already exists.",
        hint: "Sign in, or reset the password.")

    /// The email address is not valid, according to the server.
    public static let invalidEmail = AccountError(
        code: "invalidEmail", message: "The email address is not valid.",
        hint: "Check the spelling; an address has the form name@example.com.")

    /// The client made too many attempts; `retryAfter` may hold the necessary pause.
    public static let tooManyAttempts = AccountError(
        code: "tooManyAttempts", message: "There were too many attempts.", hint: "Wait, then try again.")

    /// The server refused for another reason, which `serverMessage` may contain.
    public static let refused = AccountError(code: "refused", message: "The server refused the request.")

    /// The backend does not have this function: another program answers at the path, or none does.
    public static let notSupported = AccountError(
        code: "notSupported", message: "The server does not offer this.",
        hint: "Compare AccountEndpoints with the paths of the backend.")

    /// The server answered with a status of 5xx.
    public static let serverFailed = AccountError(
        code: "serverFailed", message: "The server failed.", hint: "Try again later.")

    /// The response lacks a required member, such as an access token or an account's identifier.
    public static let invalidResponse = AccountError(
        code: "invalidResponse", message: "The server's response lacks a required member.",
        hint: "Check that the base URL is that of the account backend.")
}

extension AccountError {
    /// Creates the error of a response.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - unauthorized: The error of a status 401 whose code is not known.
    ///   - conflict: The error of a status 409.
    package init(
        _ response: HTTPResponse, unauthorized: AccountError = .refused, conflict: AccountError = .emailTaken
    ) {
        let content = (try? JSONValue(parsing: response.body.bytesWithoutMark))?.objectValue
        // An RPC error has one of sixteen codes in its content. A field has the server's own code, and another the
        // refused member.
        let serverCode = response.fields["latch-code"] ?? content?["code"]?.stringValue
        let error: AccountError =
            switch response.status.rawValue {
            case 400, 422:
                serverCode == "invalidEmail" || Self.isInvalidEmail(content)
                    ? .invalidEmail : Self.mailedCodeError(serverCode) ?? .refused
            case 401, 403:
                Self.credentialError(serverCode) ?? (response.status == .unauthorized ? unauthorized : .refused)
            case 409: serverCode == "tooManyPasskeys" ? .refused : conflict
            case 429: .tooManyAttempts
            case 500...: .serverFailed
            default: .refused
            }
        let message = Self.message(of: response, content)
        self.init(
            code: error.code, message: message.map { "\(error.message) (\($0))" } ?? error.message, hint: error.hint,
            status: response.status, serverMessage: message, serverCode: serverCode,
            field: response.fields["latch-field"] ?? content?["field"]?.stringValue,
            retryAfter: response.retryDelay(now: WallClock.system.now))
    }

    /// Whether the server's own code says that the address is invalid: `invalidEmail`, in any of the usual spellings.
    private static func isInvalidEmail(_ content: JSONObject?) -> Bool {
        let codes = ["code", "error_code", "error"].compactMap { content?[$0]?.stringValue }
        return codes.contains {
            String($0.lowercasedASCII().unicodeScalars.filter(\.properties.isAlphabetic)) == "invalidemail"
        }
    }

    /// Returns the error for the server's own code for a mailed code; nil for any other code.
    private static func mailedCodeError(_ serverCode: String?) -> AccountError? {
        switch serverCode {
        case "invalidCode": .wrongMailedCode
        case "codeEnded": .mailedCodeExpired
        default: nil
        }
    }

    /// Returns the error for the server's own code for a password, a second factor or a passkey; nil for any other
    /// code.
    private static func credentialError(_ serverCode: String?) -> AccountError? {
        switch serverCode {
        case "invalidCredentials": .wrongCredentials
        case "mfaRequired": .secondFactorRequired
        case "invalidCode": .wrongCode
        case "invalidPasskey": .passkeyRefused
        // The password may be right.
        case "accountSuspended", "accountClosed", "emailUnverified", "passwordExpired", "clientTooOld": .refused
        default: nil
        }
    }

    /// Returns the server's message from one of the usual members, shortened for display.
    private static func message(of response: HTTPResponse, _ content: JSONObject?) -> String? {
        let text: String?
        if let content {
            let keys = ["message", "detail", "error_description", "error"]
            text = keys.lazy.compactMap { content[$0]?.stringValue }.first
        } else {
            let isText = response.fields[.contentType]?.lowercasedASCII().utf8.starts(with: "text/plain".utf8) ?? false
            text = isText ? response.body.text : nil
        }
        return text.flatMap { OAuthError.sanitized($0, upTo: 200) }
    }
}

extension HTTPResponse {
    /// Returns the members of a success, which is a JSON object on each route of an account backend.
    ///
    /// Anything else does not come from the backend: a maintenance page, a captive portal's page, or an empty response.
    ///
    /// - Parameters:
    ///   - unauthorized: The error of a status 401 whose code is not known.
    ///   - conflict: The error of a status 409.
    /// - Throws: `AccountError` for a refusal; `invalidResponse` with the status for a success without an object.
    func members(
        unauthorized: AccountError = .refused, conflict: AccountError = .emailTaken
    ) throws(AccountError) -> JSONObject {
        guard status.isSuccess else { throw AccountError(self, unauthorized: unauthorized, conflict: conflict) }
        guard let members = (try? JSONValue(parsing: body.bytesWithoutMark))?.objectValue else {
            let error = AccountError.invalidResponse
            throw AccountError(code: error.code, message: error.message, hint: error.hint, status: status)
        }
        return members
    }
}
