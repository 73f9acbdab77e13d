// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation
import LatchCore
package import LatchHTTP

extension OAuthError {
    /// The error that an answer stands for, whatever shape it has.
    ///
    /// RFC 6749 §5.2 wants `error` and `error_description`. Others send `detail`, a list of what is wrong, HTML, or
    /// nothing at all; the status decides then.
    ///
    /// - Parameter secrets: What was sent and may be told to nobody: words of the issuer that repeat it are left out.
    package init(_ response: HTTPResponse, hiding secrets: [String] = [], now: Date) {
        let members = Self.members(of: response)
        let issuerCode = (members["error"] ?? members["error_code"])?.stringValue.flatMap { Self.safe($0, upTo: 64) }
        let kind = Self.kind(of: response.status, issuerCode: issuerCode)
        let said = Self.words(in: members).flatMap { Self.safe($0, upTo: 200, hiding: secrets) }
        self.init(
            code: kind.code, message: said.map { "\(kind.message) (\($0))" } ?? kind.message, hint: kind.hint,
            status: response.status, issuerCode: issuerCode, issuerMessage: said,
            retryAfter: response.retryDelay(now: now) ?? Self.delay(members["retry_after"]))
    }

    /// The members of the answer; FastAPI puts an object of its program's own below `detail`.
    private static func members(of response: HTTPResponse) -> JSONObject {
        guard let json = try? JSONValue(parsing: response.body.bytes), let members = json.objectValue else {
            return [:]
        }
        return members["detail"]?.objectValue ?? members
    }

    /// The status comes first where it says that the issuer could not decide: no outage may end a session.
    private static func kind(of status: HTTPStatus, issuerCode: String?) -> OAuthError {
        switch status.rawValue {
        case 429: return .tooManyRequests
        case 503: return .temporarilyUnavailable
        case 500...: return .serverFailed
        case 300..<400: return .invalidResponse("it leads elsewhere, and no secret follows it", status: status)
        default: break
        }
        if let issuerCode, let known = codes[issuerCode] { return known }
        // RFC 6749 §5.2 has 401 for a program that cannot prove itself, and says so in `error`. Without it what was
        // refused is what was shown.
        return status == .unauthorized ? .invalidGrant : .refused
    }

    /// RFC 6749 §5.2, RFC 7009 §2.2.1, RFC 9449 §12.2, and the codes of seed 004's backend.
    private static let codes: [String: OAuthError] = [
        "invalid_request": .invalidRequest, "invalid_client": .invalidClient, "invalid_grant": .invalidGrant,
        "unauthorized_client": .unauthorizedClient, "unsupported_grant_type": .unsupportedGrantType,
        "invalid_scope": .invalidScope, "unsupported_token_type": .unsupportedTokenType,
        "invalid_dpop_proof": .invalidDPoPProof, "use_dpop_nonce": .useDPoPNonce,
        "temporarily_unavailable": .temporarilyUnavailable, "server_error": .serverFailed,
        "INVALID_CREDENTIALS": .invalidGrant, "INVALID_REFRESH_TOKEN": .invalidGrant,
        "INSUFFICIENT_SCOPE": .invalidScope, "RATE_LIMIT_EXCEEDED": .tooManyRequests,
    ]

    /// What the issuer says, in one of the usual places.
    private static func words(in members: JSONObject) -> String? {
        let text = ["error_description", "detail", "message"].lazy.compactMap { members[$0]?.stringValue }.first
        return text ?? members["detail"]?.arrayValue.map(list)
    }

    /// A list of what is wrong with the fields; only their names and the reasons, since `input` repeats what was sent.
    private static func list(_ faults: [JSONValue]) -> String {
        let lines = faults.prefix(5).compactMap { fault -> String? in
            guard let reason = fault["msg"]?.stringValue else { return nil }
            return (fault["loc"]?.arrayValue?.last?.stringValue).map { "\($0): \(reason)" } ?? reason
        }
        return lines.joined(separator: "; ")
    }

    /// Text of a stranger as it may stand in a line for people; nil where nothing is left, or where it tells a secret.
    private static func safe(_ text: String, upTo limit: Int, hiding secrets: [String] = []) -> String? {
        guard !secrets.contains(where: { !$0.isEmpty && (text.contains($0) || text.contains(encoded($0))) }) else {
            return nil
        }
        let scalars = text.unicodeScalars.lazy.filter { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
            default: true
            }
        }
        let safe = String(String.UnicodeScalarView(scalars.prefix(limit)))
        return safe.isEmpty ? nil : safe
    }

    private static func encoded(_ text: String) -> String { String(FormEncoding.encode([("", text)]).dropFirst()) }

    /// Seconds of a member; the field `Retry-After` outranks it.
    private static func delay(_ value: JSONValue?) -> Duration? {
        guard let seconds = value?.intValue, seconds >= 0 else { return nil }
        return .seconds(min(seconds, Int(RetryAfter.longest.components.seconds)))
    }
}
