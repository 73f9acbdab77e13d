// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchHTTP

/// A refusal of a session by the response to a refresh, and its author as far as the response shows it.
///
/// A 401 may come from the issuer, or from a gateway, a filter or a portal in front of it. Only the issuer ends a session.
/// A doubtful refusal delays an end by some minutes; a gateway's refusal that is mistaken for the issuer's loses a user.
package enum RefreshRefusal: Sendable, Hashable {
    /// The error of a token endpoint (RFC 6749 §5.2), or the `detail` that some have in its place.
    case tokenEndpoint
    /// The JSON of an account backend, such as `{"message": "Invalid refresh token"}`.
    case backend
    /// Anything else, such as HTML, a gateway's JSON, or nothing.
    case doubtful
}

extension HTTPResponse {
    /// The refusal of the session, if this is the response to a refresh; nil if it refuses none.
    ///
    /// An outage refuses nothing, whatever its content, and neither does the failed authentication of a client.
    package var refreshRefusal: RefreshRefusal? {
        guard status.isSuccess || status.isClientError, !isTemporary else { return nil }
        let words = IssuerWords(self)
        if let words, words.isAboutRequest { return nil }
        if words?.oauthCode == "invalid_grant" { return .tokenEndpoint }
        guard status == .unauthorized || status == .forbidden else { return nil }
        guard let words, !isGatewayResponse, words.isSpecific else { return .doubtful }
        return words.isTokenEndpoint ? .tokenEndpoint : .backend
    }

    /// The meaning for the session, if this is the response to a refresh, and not a success.
    package var refreshFailure: IssuerFailure.Kind {
        switch refreshRefusal {
        case .tokenEndpoint, .backend: return .ended
        case .doubtful: return .doubted
        case nil: break
        }
        // A gateway's words, which say nothing about the issuer.
        if status == 502 || status == 504 { return .unanswered }
        // RFC 6749 §5.2: 400 is also the status of mistakes in the request, which end nothing.
        guard [400, 401, 403].contains(status.rawValue), let words = IssuerWords(self), words.oauthCode != nil else {
            return .failed
        }
        return words.requirement.map { .userRequired($0) } ?? (status == .badRequest ? .rejected : .failed)
    }

    /// The outcome of a request to end a session at its server, if this is the response to it.
    ///
    /// Only the server can confirm or refuse: its success is empty or JSON, and its refusal JSON. The page of a portal, the
    /// 403 of a filter, a redirect and an outage say nothing about the session: the request is repeated.
    package var revocationOutcome: RevocationOutcome {
        guard status.isSuccess || status.isClientError, !isTemporary else { return .unavailable }
        let words = IssuerWords(self)
        if status.isSuccess, words?.oauthCode == nil {
            return isEmpty || (try? JSONValue(parsing: body.bytesWithoutMark)) != nil ? .confirmed : .unavailable
        }
        guard let words else { return .unavailable }
        // RFC 7009 §2.2.1. The other errors of a request are mended by another configuration of the client or the server.
        if words.isAboutRequest { return words.oauthCode == "unsupported_token_type" ? .refused : .unavailable }
        return words.isSpecific && !isGatewayResponse ? .refused : .unavailable
    }

    /// Whether the response lets the caller authenticate only by a scheme that no session of this kind has.
    ///
    /// Gateways and web servers have schemes such as `Basic`, `Negotiate`, `Key` and `AzureApiManagementKey`.
    package var hasForeignChallenge: Bool {
        guard fields[.wwwAuthenticate] != nil else { return false }
        let challenges = challenges()
        return challenges.isEmpty || !challenges.allSatisfy { $0.isScheme("Bearer") || $0.isScheme("DPoP") }
    }

    /// Whether the server asks for the same request later: 408, 425 and 429, or a proxy that wants to know the user (407).
    private var isTemporary: Bool { [407, 408, 425, 429].contains(status.rawValue) }

    private var isEmpty: Bool { body.bytesWithoutMark.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) } }

    /// Whether a gateway has marked the response as its own, or asks for a scheme of its own.
    private var isGatewayResponse: Bool {
        // Kong's field for responses that come from no upstream, AWS API Gateway's, and Cloudflare's.
        hasForeignChallenge || fields["x-kong-response-latency"] != nil || fields["x-amzn-errortype"] != nil
            || fields["cf-mitigated"] != nil
    }
}

extension HTTPBody {
    /// The bytes after a byte order mark of UTF-8 (RFC 8259 §8.1).
    package var bytesWithoutMark: [UInt8] {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }
}

/// The texts and codes in a refusal that is a JSON object.
private struct IssuerWords {
    private let members: JSONObject
    private let texts: [String]

    /// Returns nil for anything but an object.
    init?(_ response: HTTPResponse) {
        guard let object = (try? JSONValue(parsing: response.body.bytesWithoutMark))?.objectValue else { return nil }
        // FastAPI puts a program's own object below `detail`.
        members = object["detail"]?.objectValue ?? object
        texts = Self.texts(in: members) + (members["error"]?.objectValue.map(Self.texts) ?? [])
    }

    private static func texts(in members: JSONObject) -> [String] {
        ["error", "error_description", "message", "detail", "msg", "reason", "title", "code", "error_code"]
            .compactMap { members[$0]?.stringValue }
    }

    /// The code of an OAuth error: one word, unlike the sentences that some gateways put there.
    var oauthCode: String? {
        members["error"]?.stringValue.flatMap { $0.isEmpty || $0.utf8.contains(UInt8(ascii: " ")) ? nil : $0 }
    }

    /// Whether the request or its client was refused, or the user is required, so that the refresh token stays valid.
    var isAboutRequest: Bool {
        oauthCode.map(Self.requestCodes.contains) == true || requirement != nil
    }

    /// The requirement of an issuer that continues the session once the user has acted.
    var requirement: StepUpRequirement? {
        oauthCode.flatMap { StepUpRequirement(errorCode: $0, suberror: members["suberror"]?.stringValue) }
    }

    /// Whether a token endpoint may have written it: `invalid_token` is what Spring's says of a refresh token.
    var isTokenEndpoint: Bool {
        if oauthCode == "invalid_token" { return true }
        // Problem details (RFC 9457) have a `detail` too.
        return members["detail"]?.stringValue != nil && members["title"] == nil && members["error"] == nil
            || members["error_code"]?.stringValue != nil
    }

    /// Whether it says more than the status does, and nothing that a gateway is known to say.
    var isSpecific: Bool {
        guard !GatewayWords.members.contains(where: { members[$0] != nil }),
            !texts.contains(where: GatewayWords.contain)
        else { return false }
        return texts.contains { !GatewayWords.isGeneric($0) }
    }

    /// The codes that are not about the user (RFC 6749 §5.2, RFC 7009 §2.2.1, RFC 8707 §2, RFC 9449 §12.2).
    private static let requestCodes: Set<String> = [
        "invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
        "invalid_target", "unsupported_token_type", "invalid_dpop_proof", "use_dpop_nonce", "temporarily_unavailable",
        "server_error", "slow_down",
    ]
}

/// The words of API gateways, from their documentation.
private enum GatewayWords {
    /// Members of their objects: Apigee and WSO2, AWS, Cloudflare.
    static let members = ["fault", "Message", "__type", "cloudflare_error"]

    /// Subjects of theirs in any sentence: the key of an API says nothing about a user.
    private static let subjects = [
        "api key", "apikey", "api-key", "subscription key", "access key", "consumer", "this api ",
        // WSO2's codes.
        "9009",
    ]

    /// Beginnings of their sentences, in lower case.
    private static let beginnings = [
        // Kong.
        "invalid authentication credentials", "your authentication credentials are invalid", "no credentials found for",
        "hmac signature", "no route matched",
        // AWS API Gateway.
        "missing authentication token", "the incoming token has expired", "user is not authorized to access",
        "authorization header requires", "the security token included", "the request signature",
        // Azure API Management and Front Door.
        "access denied due to", "jwt not present", "unauthorized. access token is missing",
        // Google's Extensible Service Proxy, Envoy and API front end.
        "jwt is missing", "jwt is expired", "jwt is not", "jwt issuer is not configured", "jwt verification fails",
        "jwt validation failed", "jwt authentication", "audiences in jwt", "rbac: access denied",
        "method doesn't allow unregistered callers", "request is missing required authentication credential",
        "request had invalid authentication credentials",
        // Spring Security, in front of its token endpoint: the client has not authenticated.
        "full authentication is required",
        // Tyk, Apache APISIX and WSO2.
        "authorization field missing", "key not authori", "missing jwt token", "failed to verify jwt",
        "missing credentials",
        // Cloudflare.
        "error 10", "authentication error",
    ]

    /// What a status says by itself, in letters only; the frameworks' defaults differ in punctuation.
    private static let generic: Set<String> = [
        "", "unauthorized", "unauthorised", "unauthenticated", "forbidden", "forbiddenresource", "accessdenied",
        "notauthorized", "permissiondenied", "authenticationrequired", "badrequest", "notfound", "error", "true",
        "unauthorizedexception", "forbiddenexception", "unauthorizederror", "forbiddenerror", "httpexception",
    ]

    static func contain(_ text: String) -> Bool {
        let text = text.lowercasedASCII()
        return subjects.contains { text.utf8.contains($0.utf8) }
            || beginnings.contains { text.utf8.starts(with: $0.utf8) }
    }

    static func isGeneric(_ text: String) -> Bool {
        let letters = text.lowercasedASCII().unicodeScalars.filter(\.properties.isAlphabetic)
        return generic.contains(String(String.UnicodeScalarView(letters)))
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
