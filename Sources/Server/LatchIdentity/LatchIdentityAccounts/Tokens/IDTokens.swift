// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage
package import LatchJOSE
import Synchronization

/// ID tokens, and the other tokens that a client reads.
extension AccessTokenIssuer {
    /// Returns the ID token of a session (OpenID Connect Core §2).
    ///
    /// What the scopes say about the user is at the userinfo endpoint (§5.4), and in the token only for a client with
    /// `id_token_claims`.
    ///
    /// - Parameters:
    ///   - client: Nil for a client that is no longer registered.
    ///   - nonce: The nonce of the authorization request; nil for other grants.
    ///   - code: The authorization code; nil for other grants.
    ///   - sessionID: The value of `sid`.
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` if the key does not work.
    func issueIDToken(
        of issued: IssuedTokens, to client: OAuthClient, nonce: String?, code: String?, sessionID: String
    ) throws(IdentityError) -> String {
        let (keys, found) = state.withLock { ($0.keys, $0.context) }
        let (clientID, algorithm) = (client.id, client.idTokenAlgorithm)
        guard let context = found, let key = Self.signer(algorithm, among: keys, at: clock.now)?.key else {
            throw .notReady
        }
        let now = clock.now.timeIntervalSince1970.rounded(.down)
        var claims: JSONObject = [
            "iss": .string(context.issuer), "sub": .string(issued.account.id), "aud": .string(clientID),
            "azp": .string(clientID), "iat": .integer(Int64(now)), "exp": .integer(Int64(now + lifetime.inSeconds)),
            "sid": .string(sessionID),
            "at_hash": .string(Self.hash(of: issued.accessToken, for: algorithm)),
        ]
        for (name, value) in Self.authentication(of: issued.device) { claims[name] = value }
        claims["nonce"] = nonce.map { .string($0) }
        claims["c_hash"] = code.map { .string(Self.hash(of: $0, for: algorithm)) }
        for (name, value) in UserClaims.roles(of: issued.account, for: client) { claims[name] = value }
        let scopes = client.idTokenHasClaims ? issued.scopes : []
        let named = issued.device.details.claims.idToken
        for (name, value) in userClaims.ofAccount(issued.account, scopes, named: named, for: client) {
            claims[name] = value
        }
        do throws(JOSEError) {
            return try JWT.sign(Claims(claims), with: key)
        } catch {
            throw .signingFailed
        }
    }

    /// The time for which a signed response is valid, in seconds (JARM §2.1).
    private static let responseLifetime = 600.0

    /// Returns the JWT with the parameters of an authorization response (JARM §2.1), with the algorithm of the client's
    /// ID tokens.
    ///
    /// - Parameter parameters: The parameters, among them the issuer.
    /// - Throws: `IdentityError.notReady` without an issuer or a key, `.signingFailed` if the key does not work.
    package func signResponse(
        _ parameters: [(name: String, value: String)], to client: OAuthClient
    ) throws(IdentityError) -> String {
        let keys = state.withLock { $0.keys }
        guard let key = Self.signer(client.signerOfResponses, among: keys, at: clock.now)?.key else { throw .notReady }
        var claims: JSONObject = ["aud": .string(client.id)]
        for (name, value) in parameters { claims[name] = .string(value) }
        let end = (clock.now.timeIntervalSince1970 + Self.responseLifetime).rounded(.down)
        claims["exp"] = .integer(Int64(end))
        do throws(JOSEError) { return try JWT.sign(Claims(claims), with: key) } catch { throw .signingFailed }
    }

    /// Returns a JWT with the content of a response, for a client that wants it signed (OpenID Connect Core §5.3.2,
    /// RFC 9701 §5).
    ///
    /// It has no `exp`, so that no client takes it for an ID token.
    ///
    /// - Parameter type: The `typ` of the JWT; nil for one without.
    /// - Throws: `IdentityError.notReady` without an issuer or a key, `.signingFailed` if the key does not work.
    package func signContent(
        _ content: JSONObject, to client: OAuthClient, with algorithm: SignatureAlgorithm, type: String? = nil
    ) throws(IdentityError) -> String {
        let (keys, found) = state.withLock { ($0.keys, $0.context) }
        guard let context = found, let key = Self.signer(algorithm, among: keys, at: clock.now)?.key else {
            throw .notReady
        }
        var claims = content
        claims["iss"] = .string(context.issuer)
        claims["aud"] = .string(client.id)
        claims["iat"] = .integer(Int64(clock.now.timeIntervalSince1970.rounded(.down)))
        do throws(JOSEError) {
            return try JWT.sign(Claims(claims), with: key, type: type)
        } catch {
            throw .signingFailed
        }
    }

    /// Returns a logout token (OpenID Connect Back-Channel Logout §2.4), signed as the client's ID tokens are.
    ///
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` if the key does not work.
    func issueLogoutToken(
        of accountID: String, sessionID: String, to client: OAuthClient
    ) throws(IdentityError) -> String {
        let (keys, found) = state.withLock { ($0.keys, $0.context) }
        guard let context = found,
            let key = Self.signer(client.idTokenAlgorithm, among: keys, at: clock.now)?.key
        else { throw .notReady }
        let now = Int64(clock.now.timeIntervalSince1970.rounded(.down))
        let claims: JSONObject = [
            "iss": .string(context.issuer), "aud": .string(client.id), "iat": .integer(now),
            // §2.4: two minutes are enough for one that is sent at once.
            "exp": .integer(now + 120), "jti": .string(Base64URL.encode(random.bytes(16))),
            "sub": .string(accountID), "sid": .string(sessionID),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        do throws(JOSEError) {
            return try JWT.sign(Claims(claims), with: key, type: "logout+jwt")
        } catch {
            throw .signingFailed
        }
    }

    /// Returns the left half of the hash that belongs to the algorithm of an ID token (OpenID Connect Core §3.3.2.11).
    private static func hash(of text: String, for algorithm: SignatureAlgorithm) -> String {
        // Ed25519 hashes by SHA-512 (RFC 8032 §5.1).
        let half =
            algorithm == .eddsa
            ? Array(SHA512.hash(data: Array(text.utf8))).prefix(32) : Array(text.digest).prefix(16)
        return Base64URL.encode(half)
    }

    /// Returns the client and the session of a valid or expired ID token; nil for any other text.
    ///
    /// A token from before the introduction of sessions of browsers has none.
    package func hint(_ text: String) -> (clientID: String, sessionID: String?)? {
        do {
            // An audience of the token itself, which is then verified like any other.
            guard let clientID = try JWT(unverified: text).claims.audience.first,
                let claims = authenticClaims(of: text, type: "JWT", audience: clientID), claims.subject != nil
            else { return nil }
            return (clientID, claims.string("sid"))
        } catch {
            return nil
        }
    }

    /// Returns the subject of a valid or expired ID token that was issued to a client; nil for any other text.
    private func subject(ofIDToken text: String, for clientID: String) -> String? {
        authenticClaims(of: text, type: "JWT", audience: clientID)?.subject
    }

    /// Returns the account that an ID token names as the expected one (OpenID Connect Core §3.1.2.1).
    ///
    /// An expired token counts, and so does one whose key has ended, although it proves nothing then. An expected
    /// account can only exclude other accounts. Nil for any text that is not an ID token of the client.
    package func expectedAccount(ofIDToken text: String, for clientID: String) -> String? {
        if let subject = subject(ofIDToken: text, for: clientID) { return subject }
        guard let issuer = state.withLock({ $0.context?.issuer }), let claims = try? JWT(unverified: text).claims,
            claims.issuer == issuer, claims.audience.contains(clientID)
        else { return nil }
        return claims.subject
    }

    /// Returns the device of a valid or expired access token while its key is kept; nil for any other text.
    ///
    /// Use it only to sign that device out. A token of an exchange has none, since its client has signed in no device.
    ///
    /// - Parameter ofClient: Whether the client of the token has authenticated. Otherwise a token for a resource server
    ///   counts as none: who has received it is not its client, and must not end its session.
    package func device(of text: String, ofClient: Bool) -> [UInt8]? {
        guard let context = state.withLock({ $0.context }) else { return nil }
        let audiences = [context.audience, context.userInfo] + (ofClient ? Array(context.others.keys) : [])
        let claims = audiences.lazy.compactMap { self.authenticClaims(of: text, type: "at+jwt", audience: $0) }.first
        guard let claims, claims["act"] == nil else { return nil }
        return claims.string("sid").flatMap { try? Base64URL.decode($0) }
    }

    /// Returns the claims of a valid or expired token of this issuer while its key is kept.
    private func authenticClaims(of text: String, type: String, audience: String) -> Claims? {
        let (keys, found) = state.withLock { ($0.keys, $0.context) }
        guard let context = found else { return nil }
        let verifier = JWTVerifier(
            keys: KeySet(keys.compactMap(\.key.publicKey)), algorithms: SignatureAlgorithm.ofSigningKeys,
            issuer: context.issuer,
            audience: audience, type: type, leeway: .seconds(10 * 365 * 86_400), clock: clock)
        return try? verifier.verify(text)
    }
}
