// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP

/// A refusal of a session in the response to a refresh, classified by its probable author.
///
/// A 401 may come from the issuer, or from a gateway, a filter or a portal in front of it. Only the issuer ends a
/// session. If the session doubts a refusal, it ends some minutes later. If it mistakes a gateway's refusal for the
/// issuer's, it loses the user.
package enum RefreshRefusal: Sendable, Hashable {
    /// The issuer's refusal: `invalid_grant` (RFC 6749 §5.2), or words that say that the refresh token or its session
    /// has ended.
    case issuer
    /// A refusal that may come from a gateway: any other 401 or 403 except a filter's page.
    ///
    /// Also a 400 that is empty, or whose code refuses a user, a token or a session and names no mistake in the
    /// request.
    case doubtful
}

extension HTTPResponse {
    /// The refusal of the session, if this is the response to a refresh; nil if the response refuses nothing.
    ///
    /// An outage refuses nothing, whatever its content. Nor does the failed authentication of a client.
    package var refreshRefusal: RefreshRefusal? {
        guard status.isSuccess || status.isClientError, !isTemporary else { return nil }
        let words = IssuerErrorText(self)
        if let words, words.isAboutRequest { return nil }
        if let words, !hasForeignChallenge, words.endSession(status) { return .issuer }
        guard words?.oauthCode != "invalid_request" else { return nil }
        if status == .unauthorized || status == .forbidden { return isOfFilter(words) ? nil : .doubtful }
        // RFC 6749 §5.2 has one code with this status for a refresh token, but issuers have many. A proxy sends a page.
        guard status == .badRequest else { return nil }
        return isEmpty || words?.refusesByCode == true ? .doubtful : nil
    }

    /// The meaning for the session, if this is the response to a refresh and not a success.
    package var refreshFailure: IssuerFailure.Kind {
        switch refreshRefusal {
        case .issuer: return .ended
        case .doubtful: return .doubted
        case nil: break
        }
        // The content comes from a gateway, and says nothing about the issuer.
        if status == 502 || status == 504 { return .unanswered }
        // RFC 6749 §5.2: 400 is also the status of mistakes in the request, which do not end the session.
        guard [400, 401, 403].contains(status.rawValue), let words = IssuerErrorText(self), words.oauthCode != nil
        else {
            return .failed
        }
        return words.requirement.map { .userRequired($0) } ?? (status == .badRequest ? .rejected : .failed)
    }

    /// The outcome of a request to end a session at its server, if this is the response to it.
    ///
    /// Only the server can confirm or refuse: its success is empty or JSON, and its refusal names the session. The page
    /// of a portal, the 403 of a filter, a redirect or an outage says nothing about the session, so the request is
    /// repeated.
    package var revocationOutcome: RevocationOutcome {
        guard status.isSuccess || status.isClientError, !isTemporary else { return .unavailable }
        let words = IssuerErrorText(self)
        if status.isSuccess, words?.oauthCode == nil {
            return isEmpty || (try? JSONValue(parsing: body.bytesWithoutMark)) != nil ? .confirmed : .unavailable
        }
        // RFC 7009 §2.2.1. A new configuration of the client or the server can correct the other errors of a request.
        if words?.oauthCode == "unsupported_token_type" { return .refused }
        // The request carries an access token, whose expiry does not mean that the session has ended.
        return refreshRefusal == .issuer && words?.oauthCode != "expired_token" ? .refused : .unavailable
    }

    /// Whether the login that refreshes a session of cookies was refused, so that repeating it could lock the account.
    ///
    /// A login has no standard code, and many words for a wrong password. Any JSON object therefore counts, unless the
    /// response requests another scheme. HTML and an empty response may come from a gateway.
    package var refusesLogin: Bool {
        guard status == .unauthorized || status == .forbidden, !hasForeignChallenge else { return false }
        return IssuerErrorText(self) != nil
    }

    /// Whether the response offers only authentication schemes that no session of this kind has.
    ///
    /// Gateways and web servers use schemes such as `Basic`, `Negotiate`, `Key` and `AzureApiManagementKey`.
    package var hasForeignChallenge: Bool {
        guard fields[.wwwAuthenticate] != nil else { return false }
        let challenges = challenges()
        return challenges.isEmpty || !challenges.allSatisfy { $0.isScheme("Bearer") || $0.isScheme("DPoP") }
    }

    /// Whether the response comes from a filter in front of the issuer, which does not know the session.
    ///
    /// A filter sends a page with 403, a page with a challenge for another scheme, or Cloudflare's problem details.
    /// Frameworks of issuers also send a page with 401, but without such a challenge.
    private func isOfFilter(_ words: IssuerErrorText?) -> Bool {
        if words?.isOfCloudflare == true { return true }
        let start = body.bytesWithoutMark.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return start == UInt8(ascii: "<") && (status == .forbidden || hasForeignChallenge)
    }

    /// Whether the server requests the same request later: 408, 425 and 429, or a proxy that requires authentication
    /// (407).
    private var isTemporary: Bool { [407, 408, 425, 429].contains(status.rawValue) }

    private var isEmpty: Bool { body.bytesWithoutMark.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }
}

/// The texts and codes in a refusal that is a JSON object.
private struct IssuerErrorText {
    private let members: JSONObject
    private let texts: [String]

    /// Returns nil for any content except an object.
    init?(_ response: HTTPResponse) {
        guard let object = (try? JSONValue(parsing: response.body.bytesWithoutMark))?.objectValue else { return nil }
        // FastAPI puts a program's error object into `detail`.
        members = object["detail"]?.objectValue ?? object
        let nested = [members["error"] ?? .null] + (members["errors"]?.arrayValue?.prefix(10) ?? [])
        texts = ([members] + nested.compactMap(\.objectValue)).flatMap(Self.texts)
    }

    private static func texts(in members: JSONObject) -> [String] {
        [
            "error", "error_description", "message", "detail", "msg", "reason", "title", "code", "error_code", "status",
        ].compactMap { members[$0]?.stringValue }
    }

    /// The code of an OAuth error: one word, unlike the sentences that some gateways put there.
    var oauthCode: String? {
        members["error"]?.stringValue.flatMap { $0.isEmpty || $0.utf8.contains(UInt8(ascii: " ")) ? nil : $0 }
    }

    /// Whether a code in one word refuses the user, the token or the session, and none names a mistake in the request.
    ///
    /// It may be an OAuth code or another: `invalid_token`, `access_denied`, Firebase's `TOKEN_EXPIRED`,
    /// `NotAuthorizedException` of AWS.
    var refusesByCode: Bool {
        let nested = members["error"]?.objectValue ?? [:]
        let codes = [
            members["error"], members["error_code"], members["__type"], nested["message"], nested["code"],
            nested["status"],
        ].compactMap { $0?.stringValue }.filter { !$0.isEmpty && !$0.utf8.contains(UInt8(ascii: " ")) }
        return codes.contains { RefusedUser.isNamed(by: $0) } && !codes.contains { RequestMistake.isNamed(by: $0) }
    }

    /// Whether the response comes from Cloudflare instead of the issuer.
    var isOfCloudflare: Bool { members["cloudflare_error"]?.boolValue == true }

    private var suberror: String? { StepUpRequirement.suberror(in: members) }

    /// Whether the request or its client was refused, or the user is required, so that the refresh token stays valid.
    var isAboutRequest: Bool {
        // Microsoft Entra: the refresh token was issued to another client of its family.
        oauthCode.map(Self.requestCodes.contains) == true || requirement != nil || suberror == "client_mismatch"
    }

    /// The requirement of an issuer that continues the session after the user has acted.
    var requirement: StepUpRequirement? {
        oauthCode.flatMap { StepUpRequirement(errorCode: $0, suberror: suberror, claims: members["claims"]) }
    }

    /// Whether the words say that the refresh token or its session has ended; in a success, only the code counts.
    func endSession(_ status: HTTPStatus) -> Bool {
        // RFC 8628 §3.5 has the second code for device codes. With another status it may mean an access token.
        if let code = oauthCode?.lowercasedASCII(),
            code == "invalid_grant" || code == "expired_token" && status == .badRequest
        {
            return true
        }
        return (status.isSuccess ? [oauthCode].compactMap(\.self) : texts).contains { SessionEnd.isSaid(by: $0) }
    }

    /// The codes that are not about the user (RFC 6749 §5.2, RFC 7009 §2.2.1, RFC 8707 §2, RFC 9449 §12.2).
    ///
    /// `invalid_request` is missing, because some servers use it for an invalid refresh token.
    private static let requestCodes: Set<String> = [
        "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope", "invalid_target",
        "unsupported_token_type", "invalid_dpop_proof", "use_dpop_nonce", "temporarily_unavailable", "server_error",
        "slow_down",
    ]
}

/// The words of issuers for an ended session: `Refresh token expired`, `INVALID_REFRESH_TOKEN`, `session_not_found`.
///
/// Gateways, filters and frameworks mention keys, access tokens and authentication, but not refresh tokens or sessions.
private enum SessionEnd {
    private static let subjects = [" refresh token", " refreshtoken", " refresh jwt ", " session "]

    private static let predicates = [
        "invalid", "expired", "revoked", "unknown", "used", "reused", "reuse", "replayed", "ended", "terminated",
        "inactive",
        "unrecognized", "blacklisted", "rejected", "bad", "wrong", "deleted", "rotated", "consumed", "not valid",
        "not active",
        "not found", "not exist", "not recognized", "no longer", "no such", "doesn t exist", "isn t valid", "over",
    ].map { " \($0) " }

    /// Words for mistakes in the request, forged requests, limits, and access tokens.
    private static let exceptions = [
        "missing", "required", "provided", "must", "csrf", "xsrf", "access token", "limit", "quota", "too many",
    ].map { " \($0) " }

    static func isSaid(by text: String) -> Bool {
        let words = text.separateWords
        func has(_ list: [String]) -> Bool { list.contains { words.utf8.contains($0.utf8) } }
        return has(subjects) && has(predicates) && !has(exceptions)
    }
}

/// The words in codes for a user, a token or a session that the server refuses.
private enum RefusedUser {
    private static let parts = [
        " token", " jwt", " grant", " session", " user", " account", " credential", " password", " auth", " login",
        " access", " denied", " expired", " revoked", " disabled", " signed out", " forbidden",
    ]

    static func isNamed(by code: String) -> Bool {
        let words = code.separateWords
        return parts.contains { words.utf8.contains($0.utf8) }
    }
}

/// The words in codes for a wrong or badly timed request, which another refresh token would not correct.
private enum RequestMistake {
    private static let parts = [
        " request", " missing", " required", " parameter", " argument", " grant type", " client", " scope", " target",
        " validation", " malformed", " format", " unsupported", " method", " csrf", " captcha", " limit", " quota",
        " too many", " slow", " server", " internal", " temporarily", " unavailable", " timeout", " maintenance",
        " resource", " api key", " project", " nonce", " proof", " idempotency", " throttl", " lambda",
        " configuration",
        " input", " json", " param", " body", " parse", " database", " unexpected", " gateway", " conflict", " blocked",
        " modification",
    ]

    static func isNamed(by code: String) -> Bool {
        let words = code.separateWords
        return parts.contains { words.utf8.contains($0.utf8) }
    }
}

extension String {
    /// The words of a sentence, a code or a name in lowercase, with a space on either side of each.
    fileprivate var separateWords: String {
        var words = " "
        var last: Unicode.Scalar = " "
        for scalar in unicodeScalars.prefix(500) {
            let isLetter = scalar.properties.isAlphabetic
            let isNewWord = !isLetter || last.properties.isLowercase && scalar.properties.isUppercase
            if isNewWord, last != " " { words += " " }
            if isLetter { words.unicodeScalars.append(scalar) }
            last = isLetter ? scalar : " "
        }
        if last != " " { words += " " }
        return words.lowercasedASCII()
    }
}

extension HTTPError: IssuerError {
    package var isRejection: Bool { false }

    package var isDoubtfulEnd: Bool { response?.refreshRefusal == .doubtful }

    package var mayHaveArrived: Bool {
        guard !isUnsent else { return false }
        return [HTTPError.timeout, .offline, .cancelled, .malformedMessage, .undecodable].contains { $0.code == code }
    }
}
