// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
public import LatchFoundation
import LatchHTTP
public import LatchJOSE

/// A party other than the server of the sign-in that has claims about the user (OpenID Connect Core §5.6.2).
///
/// Its claims are read only by ``AuthorizationClient/claims(of:verifiedBy:)``.
public struct ClaimSource: Sendable, Redacting {
    /// The place of the claims.
    enum Location: Sendable {
        /// The claims are in a token that the server has sent along (aggregated claims).
        case token(String)
        /// The claims are at a URL, for a caller with the access token (distributed claims).
        case endpoint(URL, accessToken: String?)
    }

    /// The names of the claims that the server attributes to this source.
    public let names: [String]
    /// The URL at which the claims are requested; nil if the server has sent them along.
    public var endpoint: URL? { if case .endpoint(let url, _) = location { url } else { nil } }

    let location: Location
    /// The user, by the name that the server has for the user.
    let subject: String?

    /// The names of the claims and the URL, without the token.
    public var description: String {
        "ClaimSource(\(names.joined(separator: ", "))\(endpoint.map { ", \($0.host() ?? "")" } ?? ""))"
    }
}

extension Claims {
    /// The maximum number of sources.
    private static let greatestSourceCount = 8

    /// The other parties that have claims about the user, at most eight, in the order of the server.
    ///
    /// Sources without a name, a token or a URL are left out.
    public var sources: [ClaimSource] {
        let names = self["_claim_names"]?.objectValue ?? [:]
        let sources = self["_claim_sources"]?.objectValue ?? [:]
        let found = sources.compactMap { id, value -> ClaimSource? in
            let own = names.filter { $0.value.stringValue == id }.map(\.key)
            guard let members = value.objectValue, !own.isEmpty else { return nil }
            if let token = members["JWT"]?.stringValue {
                return ClaimSource(names: own, location: .token(token), subject: subject)
            }
            guard let endpoint = members["endpoint"]?.stringValue.flatMap({ URL(encodingOnce: $0) }) else { return nil }
            let location = ClaimSource.Location.endpoint(endpoint, accessToken: members["access_token"]?.stringValue)
            return ClaimSource(names: own, location: location, subject: subject)
        }
        return Array(found.prefix(Self.greatestSourceCount))
    }
}

extension AuthorizationClient {
    /// Returns the claims of a source, which must be signed (OpenID Connect Core §5.6.2).
    ///
    /// The client never does that automatically: a URL in a token is a URL that another party has chosen. The request
    /// needs https, follows no redirect, and carries only the access token of the source.
    ///
    /// The claims are those that the server attributes to the source. Registered claims such as `sub` are left out. So
    /// is `email_verified` if `email` has another source.
    ///
    /// - Parameters:
    ///   - source: A source of `Claims.sources`.
    ///   - verifiers: The verifiers of tokens of other issuers, by `iss`. Without one, only tokens of this client's
    ///     server are accepted.
    /// - Throws: `OAuthError.invalidUserInfo` if the token is not valid, and the errors of the request and of the
    ///   verifier.
    public func claims(
        of source: ClaimSource, verifiedBy verifiers: [String: any AccessTokenVerifier] = [:]
    ) async throws -> Claims {
        let token =
            switch source.location {
            case .token(let token): token
            case .endpoint(let url, let accessToken): try await claimsToken(at: url, with: accessToken)
            }
        do {
            let issuer = try JWT(unverified: token).claims.issuer
            let claims: Claims
            if let issuer, let verifier = verifiers.first(where: { $0.key.utf8.elementsEqual(issuer.utf8) })?.value {
                claims = try await verifier.verify(token)
            } else {
                claims = try await claimsOfServer(in: token, about: source.subject)
            }
            return claims.limited(to: source.names)
        } catch let error as JOSEError {
            throw OAuthError.invalidUserInfo(OAuthError.clause(of: error))
        }
    }

    /// Verifies a token of a source that the server of this client has signed.
    private func claimsOfServer(in token: String, about subject: String?) async throws -> Claims {
        guard let verifier = try await resolved().idTokens else { throw OAuthError.keysNotPublished }
        let claims = try await verifier.sourceClaims(of: token, after: verifier.keys?.requestsSoFar)
        // The same keys sign tokens about other users.
        guard claims.subject.map({ $0.utf8.elementsEqual((subject ?? "").utf8) }) ?? true else {
            throw OAuthError.invalidUserInfo("it is about another user")
        }
        return claims
    }

    /// Requests the token of a source.
    private func claimsToken(at url: URL, with accessToken: String?) async throws -> String {
        var request = try HTTPRequest(url: url, fields: [.accept: "application/jwt"])
        let isLocal = HTTPOrigin(configuration.issuer)?.isLoopback == true
        guard request.origin.isLoopback ? isLocal : request.scheme == "https" else {
            throw HTTPError.insecureURL
        }
        request.fields[.authorization] = accessToken.map { "Bearer \($0)" }
        let time = timeout ?? Self.claimsTimeout
        request.timeout = time
        request.template = url.path
        let client = Client(
            baseURL: url,
            transport: BoundedResponses(
                transport.nested(in: interceptors), maximumSize: Self.greatestClaimsSize, within: time),
            redirects: RedirectPolicy(maximum: 0))
        let response = try await client.respond(to: request)
        guard response.status == .ok else {
            throw OAuthError(response, hiding: [accessToken].compactMap(\.self), now: clock.now)
        }
        return String(decoding: response.body.bytes, as: UTF8.self)
    }

    /// The maximum size of a source's token, in bytes, and the default timeout of its request.
    private static let (greatestClaimsSize, claimsTimeout) = (256 << 10, Duration.seconds(10))
}

extension IDTokenVerifier {
    /// Returns the claims of a source's token that the server has signed; it may name neither issuer nor audience.
    fileprivate func sourceClaims(of token: String, after requests: Int?) async throws -> Claims {
        let isNamed = try !JWT(unverified: token).claims.audience.isEmpty
        let verified = try await userInfo(isNamed ? clientID : nil).verify(token, after: requests)
        guard !verified.header.isOfOtherType else { throw OAuthError.invalidUserInfo("it is a token of another type") }
        if verified.claims.issuer != nil { try checkIssuer(verified.claims) }
        return verified.claims
    }
}

extension Claims {
    /// The claims that say something about a token or a sign-in, which no other source can say.
    private static let registered: Set<String> = [
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti", "nonce", "at_hash", "c_hash", "azp", "auth_time", "acr", "amr",
        "sid", "events", "cnf", "act", "_claim_names", "_claim_sources",
    ]

    /// Returns the claims with these names, without registered ones.
    fileprivate func limited(to names: [String]) -> Claims {
        var names = Set(names).subtracting(Self.registered)
        // A statement about an address of another source is not this source's.
        for (statement, subject) in [("email_verified", "email"), ("phone_number_verified", "phone_number")]
        where !names.contains(subject) {
            names.remove(statement)
        }
        var members = JSONObject()
        for (name, value) in self.members where names.contains(name) { members[name] = value }
        return Claims(members)
    }
}
