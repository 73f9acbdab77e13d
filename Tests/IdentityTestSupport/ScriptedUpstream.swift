// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LatchAuth
package import LatchCore
import LatchCrypto
package import LatchHTTP
import LatchIdentity
package import LatchJOSE
import Synchronization

/// An identity provider that follows the specifications, checks its client, and deviates where a test says so.
package final class ScriptedUpstream: Handler {
    /// The deviations of a test; each gets what a correct provider would send.
    package struct Deviations: Sendable {
        package var metadata: @Sendable (inout JSONObject) -> Void = { _ in }
        package var tokenResponse: @Sendable (inout JSONObject) -> Void = { _ in }
        /// Changes the claims of the ID token before it is signed.
        package var claims: @Sendable (inout Claims) -> Void = { _ in }
        /// Signs the ID token; nil signs with the provider's key.
        package var sign: (@Sendable (Claims) throws -> String)?
        /// Responds in place of the provider; nil lets it respond.
        package var response: @Sendable (HTTPRequest) throws -> HTTPResponse? = { _ in nil }
        package var checksVerifier = true
        /// The content of other addresses, such as the interfaces of GitHub.
        package var resources: [String: JSONValue] = [:]

        package init() {}
    }

    private struct Approval {
        let parameters: [String: String]
        let claims: Claims
    }

    private struct State {
        var requests: [HTTPRequest] = []
        var approvals: [String: Approval] = [:]
        /// The claims of the users, by their access tokens.
        var users: [String: Claims] = [:]
        var deviations = Deviations()
    }

    /// The issuer under which the metadata is found.
    package let issuer: String
    /// The issuer that metadata and tokens state.
    package let stated: String
    package let key: Key
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    package init(
        issuer: String = "https://sso.example.com", stated: String? = nil,
        now: @escaping @Sendable () -> Date = { noon }
    ) throws {
        self.issuer = issuer
        self.stated = stated ?? issuer
        self.now = now
        key = try Key.generate(.rs256)
    }

    package func deviate(_ body: (inout Deviations) -> Void) { state.withLock { body(&$0.deviations) } }

    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The hosts that were requested.
    package var hosts: Set<String> { Set(requests.map(\.authority)) }

    /// Plays the user at the provider's page: approves as a user with the given claims, and returns the query of the
    /// redirect.
    package func approve(_ url: String, as claims: Claims) throws -> String {
        let parameters = Self.parameters(url)
        guard parameters["response_type"] == "code", parameters["code_challenge_method"] == "S256",
            parameters["code_challenge"]?.utf8.count == 43, (parameters["state"] ?? "").utf8.count >= 22
        else { throw Broken(part: "authorization request") }
        let code = "code-\(UUID().uuidString)"
        state.withLock { $0.approvals[code] = Approval(parameters: parameters, claims: claims) }
        return FormEncoding.encode([("code", code), ("state", parameters["state"] ?? "")])
    }

    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let deviations = state.withLock { state in
            state.requests.append(request)
            return state.deviations
        }
        if let response = try deviations.response(request) { return response }
        let url = "\(request.origin)\(request.pathWithoutQuery)"
        if let content = deviations.resources[url] {
            guard request.fields[.authorization]?.hasPrefix("Bearer access-") == true else {
                return HTTPResponse(status: .unauthorized)
            }
            return json(content)
        }
        switch url {
        case "\(issuer)/.well-known/openid-configuration": return json(.object(metadata(deviations)))
        case "https://sso.example.com/jwks", "https://appleid.apple.com/auth/keys": return json(KeySet([key]).jwks())
        case "https://sso.example.com/userinfo": return json(.object(userInfo(request)))
        case "https://sso.example.com/token", "https://github.com/login/oauth/access_token",
            "https://graph.facebook.com/oauth/access_token", "https://appleid.apple.com/auth/token":
            return try token(request, deviations)
        case "https://www.facebook.com/.well-known/oauth/openid/jwks/": return json(KeySet([key]).jwks())
        default: return HTTPResponse(status: .notFound)
        }
    }

    private func metadata(_ deviations: Deviations) -> JSONObject {
        let base = "https://sso.example.com"
        var metadata: JSONObject = [
            "issuer": .string(stated), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/jwks"),
            "userinfo_endpoint": .string(base + "/userinfo"), "id_token_signing_alg_values_supported": ["RS256"],
        ]
        deviations.metadata(&metadata)
        return metadata
    }

    /// Returns what the provider says of the token's user: an address and its verification where the claims have none.
    private func userInfo(_ request: HTTPRequest) -> JSONObject {
        let claims = state.withLock { $0.users[request.fields[.authorization] ?? ""] } ?? [:]
        let subject = claims.subject ?? ""
        var info: JSONObject = ["sub": .string(subject)]
        if claims["email"] == nil {
            (info["email"], info["email_verified"]) = (.string("\(subject)@example.org"), true)
        }
        return info
    }

    private func token(_ request: HTTPRequest, _ deviations: Deviations) throws -> HTTPResponse {
        let form = Self.parameters("?" + (request.body.text ?? ""))
        let approval = state.withLock { $0.approvals.removeValue(forKey: form["code"] ?? "") }
        let challenge = Base64URL.encode((form["code_verifier"] ?? "").digest)
        guard let approval, form["redirect_uri"] == approval.parameters["redirect_uri"],
            !deviations.checksVerifier || challenge == approval.parameters["code_challenge"]
        else { return json(["error": "invalid_grant"], status: .badRequest) }
        let access = "access-\(UUID().uuidString)"
        state.withLock { $0.users["Bearer \(access)"] = approval.claims }
        var response: JSONObject = ["access_token": .string(access), "token_type": "Bearer", "expires_in": 600]
        if approval.parameters["scope"]?.split(separator: " ").contains("openid") == true {
            var claims = idToken(approval)
            deviations.claims(&claims)
            response["id_token"] = .string(try deviations.sign?(claims) ?? JWT.sign(claims, with: key))
        }
        deviations.tokenResponse(&response)
        return json(.object(response))
    }

    private func idToken(_ approval: Approval) -> Claims {
        var claims = approval.claims
        claims.issuer = claims.issuer ?? stated
        claims.audience = claims.audience.isEmpty ? [approval.parameters["client_id"] ?? ""] : claims.audience
        claims.issuedAt = now()
        claims.expiry = now().addingTimeInterval(600)
        claims["nonce"] = claims["nonce"] ?? approval.parameters["nonce"].map { .string($0) }
        // The user has just authenticated, unless the test says when.
        claims["auth_time"] = claims["auth_time"] ?? .integer(Int64(now().timeIntervalSince1970))
        return claims
    }

    private func json(_ content: JSONValue, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [.contentType: "application/json"], body: HTTPBody(content.serialized()))
    }

    private struct Broken: Error { let part: String }

    /// Decodes the query of a URL.
    package static func parameters(_ url: String) -> [String: String] {
        let query = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).dropFirst().first ?? ""
        return query.split(separator: "&").reduce(into: [:]) { parameters, pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? "?"
            }
            parameters[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
    }
}
