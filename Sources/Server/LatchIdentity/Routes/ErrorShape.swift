// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The members by which an error is told: each surface has those that its clients read.
enum ErrorShape: Sendable {
    /// `message`, `code` and `hint`, as the backends of seeds 001 and 002 have them.
    case message
    /// The same with seed 004's `detail` and `error_code`.
    case detail
    /// RFC 6749 §5.2 with seed 004's `detail` and `error_code`.
    case oauth

    /// The content of an error.
    ///
    /// - Parameters:
    ///   - told: Code, message and hint as a client may see them.
    ///   - retryAfter: In seconds.
    func body(_ told: IdentityError, retryAfter: Int?) -> JSONObject {
        var body: JSONObject = [:]
        switch self {
        case .message, .detail:
            body["message"] = .string(told.message)
            body["code"] = .string(told.code)
            if let hint = told.hint { body["hint"] = .string(hint) }
            if case .message = self { return body }
        case .oauth:
            body["error"] = .string(OAuthErrorName.of(told))
            body["error_description"] = .string(Self.description(told))
        }
        body["detail"] = .string(told.message)
        body["error_code"] = .string(Self.seedCode(told))
        if let retryAfter { body["retry_after"] = .integer(Int64(retryAfter)) }
        return body
    }

    /// RFC 6749 §5.2: visible ASCII and spaces without `"` and `\`.
    private static func description(_ told: IdentityError) -> String {
        let text = told.hint.map { "\(told.message) \($0)" } ?? told.message
        return String(
            text.unicodeScalars.map { scalar -> Character in
                switch scalar.value {
                case 0x22: "'"
                case 0x20...0x21, 0x23...0x5B, 0x5D...0x7E: Character(scalar)
                default: "-"
                }
            })
    }

    /// Seed 004's names where it has one; otherwise the stable code, spelled like them.
    private static func seedCode(_ told: IdentityError) -> String {
        switch told.code {
        case IdentityError.invalidCredentials.code: "INVALID_CREDENTIALS"
        case IdentityError.invalidGrant.code: "INVALID_REFRESH_TOKEN"
        case IdentityError.insufficientScope.code: "INSUFFICIENT_SCOPE"
        case IdentityError.tooManyAttempts.code: "RATE_LIMIT_EXCEEDED"
        default: told.code.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
        }
    }
}

/// The names of RFC 6749 §5.2, and RFC 6750 §3.1 where a bearer token is the reason.
enum OAuthErrorName {
    static func of(_ error: IdentityError) -> String {
        switch error.code {
        case IdentityError.invalidCredentials.code, IdentityError.invalidGrant.code, IdentityError.invalidCode.code:
            "invalid_grant"
        // No RFC names it; this is the name that clients know from other servers.
        case IdentityError.secondFactorRequired.code: "mfa_required"
        case IdentityError.unknownApp.code: "invalid_client"
        case IdentityError.grantNotAllowed.code: "unauthorized_client"
        case IdentityError.unsupportedGrant.code: "unsupported_grant_type"
        case IdentityError.invalidScope.code: "invalid_scope"
        case IdentityError.invalidToken.code: "invalid_token"
        case IdentityError.insufficientScope.code: "insufficient_scope"
        case IdentityError.invalidInput.code, IdentityError.weakPassword.code, IdentityError.notJSON.code,
            IdentityError.contentTooLarge.code, "malformedRequest", "unsupportedMediaType":
            "invalid_request"
        // RFC 6749 §5.2 has no name for "not now"; this one is that of §4.1.2.1.
        default: "temporarily_unavailable"
        }
    }
}
