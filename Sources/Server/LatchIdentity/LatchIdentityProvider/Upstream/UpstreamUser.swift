// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
package import LatchFoundation
import LatchHTTP
import LatchIdentityAccounts
package import LatchIdentityStorage
package import LatchJOSE
package import LatchOAuth

/// The user of a finished sign-in at an identity provider.
package struct UpstreamUser: Sendable {
    package var identity: UpstreamIdentity
    /// Whether the provider reports that it has verified the address.
    package var isEmailVerified = false
    /// The name; nil if the provider reports none.
    package var name: String?
    /// The time at which the user authenticated there; nil if the provider does not report it.
    package var authenticatedAt: Date?
}

extension UpstreamClient {
    /// Finishes a sign-in and returns its user.
    ///
    /// - Parameters:
    ///   - part: The current part of the sign-in, or the part that has thrown the error.
    ///   - isKnown: Returns whether an identity has an account. Such an identity needs no address from the provider.
    /// - Throws: `OAuthError`, `HTTPError` if the provider cannot be reached, `IdentityError.tenantNotAllowed` and
    ///   `.upstreamMisconfigured`, and the errors of `isKnown`.
    package func user(
        of response: AuthorizationResponse, to attempt: AuthorizationAttempt, noting part: inout UpstreamPart,
        isKnown: (UpstreamIdentity) async throws -> Bool
    ) async throws -> UpstreamUser {
        part = .discovery
        let server = try await authorization.server()
        part = .token
        let granted = try await authorization.finish(response, of: attempt)
        let tokens = granted.tokens
        part = .userInfo
        switch provider.kind {
        case .github: return try await gitHubUser(tokens, isKnown: isKnown)
        case .facebook: return try await facebookUser(tokens)
        case .openID, .microsoft, .google, .apple:
            part = .idToken
            guard let claims = granted.idTokenClaims else { throw OAuthError.invalidIDToken }
            try checkTenant(claims)
            var user = try user(claims)
            // OpenID Connect Core §5.4: with a code, the claims of a scope may be only at the UserInfo endpoint.
            let isComplete = user.identity.email != nil && claims[verificationClaim] != nil
            if !isComplete, server.userInfoEndpoint != nil, try await !isKnown(user.identity) {
                part = .userInfo
                let info = try await userInfo(of: tokens, isOptional: user.identity.email != nil)
                if let email = Self.email(info?.string("email")) {
                    (user.identity.email, user.isEmailVerified) = (email, info.map(isVerified) == true)
                }
                user.name = user.name ?? Self.name(info?.string("name"))
            }
            // Apple sends the name outside of the token, and only the first time.
            if provider.kind == .apple { user.name = user.name ?? Self.appleName(response["user"]) }
            return user
        }
    }

    /// Returns the provider's claims about the user; nil if it refuses them, since the sign-in does not depend on them.
    ///
    /// - Parameter isOptional: Whether the ID token has an address, so that any failure counts as a refusal.
    private func userInfo(of tokens: Tokens, isOptional: Bool) async throws -> Claims? {
        do {
            return try await authorization.userInfo(of: tokens)
        } catch let error as OAuthError where isOptional || Self.refusals.contains(error.status) {
            return nil
        } catch let error as HTTPError where isOptional && error != .cancelled {
            return nil
        }
    }

    /// The statuses for an app that lacks a permission at the provider.
    private static let refusals: [HTTPStatus?] = [.unauthorized, .forbidden, .notFound]

    /// Returns the user of a verified ID token.
    package func user(_ claims: Claims) throws -> UpstreamUser {
        guard let issuer = claims.issuer, let subject = claims.subject else { throw OAuthError.invalidIDToken }
        return UpstreamUser(
            identity: UpstreamIdentity(
                issuer: issuer, subject: subject, provider: provider.name, email: Self.email(claims.string("email"))),
            isEmailVerified: isVerified(claims), name: Self.name(claims.string("name")),
            authenticatedAt: claims.date("auth_time"))
    }

    /// Whether the claims report that the provider has verified the address.
    ///
    /// Apple writes the flag as text. Microsoft has no such claim. `xms_edov` reports that the owner of the domain was
    /// verified. Without it, any administrator of any directory can choose the address (attack I2).
    private func isVerified(_ claims: Claims) -> Bool {
        let flag = claims[verificationClaim]
        return flag == true || flag == "true" || flag == 1 || flag == "1"
    }

    private var verificationClaim: String { provider.kind == .microsoft ? "xms_edov" : "email_verified" }

    /// Requires that the user belongs to an allowed tenant.
    ///
    /// A tenant is `tid` of Microsoft, which is also in the issuer, or `hd` of Google, the domain of an organization.
    private func checkTenant(_ claims: Claims) throws(IdentityError) {
        guard !provider.tenants.isEmpty else { return }
        let tenant = claims.string(provider.kind == .microsoft ? "tid" : "hd")?.lowercasedASCII()
        guard let tenant, provider.tenants.contains(where: { $0.utf8.elementsEqual(tenant.utf8) }) else {
            throw .tenantNotAllowed
        }
    }

    // MARK: Interfaces without OpenID Connect

    /// The user of GitHub, which is not an OpenID provider: <https://docs.github.com/en/rest/users>.
    ///
    /// The number stays when the login name changes. Another user may then take that name.
    private func gitHubUser(
        _ tokens: Tokens, isKnown: (UpstreamIdentity) async throws -> Bool
    ) async throws -> UpstreamUser {
        let base = "https://api.github.com"
        guard let user = try await get("\(base)/user", tokens).objectValue, let id = user["id"]?.intValue, id > 0 else {
            throw OAuthError.invalidUserInfo
        }
        var found = UpstreamUser(
            identity: UpstreamIdentity(
                issuer: configuration.issuer.absoluteString, subject: String(id), provider: provider.name),
            name: Self.name(user["name"]?.stringValue ?? user["login"]?.stringValue))
        guard try await !isKnown(found.identity) else { return found }
        // A GitHub app may lack the permission. The public address is a text that the user has entered.
        guard let emails = try await get("\(base)/user/emails", tokens, isOptional: true).arrayValue else {
            found.identity.email = Self.email(user["email"]?.stringValue)
            return found
        }
        let primary = emails.first { $0["primary"] == true && $0["email"]?.stringValue != nil }
        found.identity.email = Self.email(primary?["email"]?.stringValue)
        found.isEmailVerified = primary?["verified"] == true
        return found
    }

    /// The user of Facebook: <https://developers.facebook.com/docs/graph-api/reference/user>.
    ///
    /// The ID token contains the nonce, and its subject must be the user that the interface returns.
    private func facebookUser(_ tokens: Tokens) async throws -> UpstreamUser {
        let key = SymmetricKey(data: Array((secret ?? "").utf8))
        // The proof that this server uses the token, and not an attacker with a copy.
        let proof = HMAC<SHA256>.authenticationCode(for: Array(tokens.access.utf8), using: key)
        let url = "https://graph.facebook.com/me?fields=id,name,email&appsecret_proof=\(Hex.encode(Array(proof)))"
        guard let user = try await get(url, tokens).objectValue, let id = user["id"]?.stringValue, !id.isEmpty else {
            throw OAuthError.invalidUserInfo
        }
        let claims = try tokens.idToken.map { try JWT(unverified: $0).claims }
        if let subject = claims?.subject, !subject.utf8.elementsEqual(id.utf8) { throw OAuthError.invalidUserInfo }
        return UpstreamUser(
            identity: UpstreamIdentity(
                issuer: configuration.issuer.absoluteString, subject: id, provider: provider.name,
                email: Self.email(user["email"]?.stringValue)),
            name: Self.name(user["name"]?.stringValue))
    }

    /// Requests JSON with a user's token.
    ///
    /// - Parameter isOptional: Whether to return null if the provider refuses.
    private func get(_ text: String, _ tokens: Tokens, isOptional: Bool = false) async throws -> JSONValue {
        guard let url = URL(string: text) else { throw IdentityError.upstreamMisconfigured }
        let client = Client(baseURL: url, transport: transport, redirects: .none, timeout: Self.timeout)
        var request = try HTTPRequest(
            url: url,
            fields: [.accept: "application/json", .authorization: "Bearer \(tokens.access)", .userAgent: "latch"])
        request.wantsStream = true
        let response = try await client.respond(to: request)
        let bytes = try await response.body.collected(upTo: 256 << 10)
        guard response.status == .ok else {
            if isOptional, Self.refusals.contains(response.status) { return .null }
            throw response.status.isServerError ? OAuthError.serverFailed : OAuthError.invalidUserInfo
        }
        do { return try JSONValue(parsing: bytes) } catch { throw OAuthError.invalidUserInfo }
    }

    // MARK: Third-party texts

    /// Returns an address; nil if it is missing, or email cannot be sent to it.
    private static func email(_ text: String?) -> EmailAddress? {
        guard let text else { return nil }
        do { return try EmailAddress(text) } catch { return nil }
    }

    /// Returns a name that fits an account: fifty characters have at most 200 bytes.
    package static func name(_ text: String?) -> String? {
        text.flatMap { String($0.trimmingSpace()).sanitized(50) }
    }

    private static func appleName(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 4096 else { return nil }
        let user: JSONValue
        do { user = try JSONValue(parsing: text) } catch { return nil }
        let parts = ["firstName", "lastName"].compactMap { user["name"]?[$0]?.stringValue }
        return name(parts.joined(separator: " "))
    }
}
