// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchJOSE

package struct IDTokenExpectations: Sendable {
    /// The nonce of the authorization request; nil without one, such as for a device code.
    var nonce: String?
    /// The maximum age of the user's authentication.
    var maximumAge: Duration?
    /// The authentication context classes, one of which is required; empty accepts any.
    var contextClasses: [String] = []
    /// The access token that came with the ID token.
    var accessToken: String?
    /// The code that came with the ID token in the authorization response.
    var code: String?
    /// The ID token of the sign-in, if a refresh has returned another one.
    var predecessor: String?
    /// Whether the verification must not wait for a request.
    var isUrgent = false
    /// The seconds by which the issuer's clock is ahead of this device's, according to the response with the token.
    var clockOffset = 0.0
    /// The requests for keys so far when the token arrived from the server; nil if another party passed it on.
    var keyRequests: Int?

    package init(
        nonce: String? = nil, maximumAge: Duration? = nil, contextClasses: [String] = [], accessToken: String? = nil,
        code: String? = nil
    ) {
        (self.nonce, self.maximumAge, self.contextClasses) = (nonce, maximumAge, contextClasses)
        (self.accessToken, self.code) = (accessToken, code)
    }
}

/// A verifier of the tokens that a server signs for this client.
enum TokenVerifier: Sendable {
    /// Verification with the client's secret.
    case shared(JWTVerifier)
    /// Verification with the keys that the server publishes.
    case published(RemoteJWTVerifier)

    /// Verifies a token, and returns it with its header.
    ///
    /// - Parameters:
    ///   - token: The token.
    ///   - clockOffset: The seconds by which the issuer's clock is ahead of this device's.
    ///   - requests: The requests for keys so far when the token arrived from the server; nil for a token that another
    ///     party passed on.
    func verify(_ token: String, clockOffset: Double = 0, after requests: Int? = nil) async throws -> JWT {
        switch self {
        case .shared(let verifier): try verifier.verifiedToken(token, clockOffset: clockOffset)
        case .published(let verifier):
            try await verifier.verifiedToken(token, clockOffset: clockOffset, after: requests)
        }
    }

    /// Verifies a token without a request to the server.
    func verifyWithKnownKeys(_ token: String, clockOffset: Double) throws -> JWT {
        switch self {
        case .shared(let verifier): try verifier.verifiedToken(token, clockOffset: clockOffset)
        case .published(let verifier): try verifier.verifiedTokenWithKnownKeys(token, clockOffset: clockOffset)
        }
    }
}

/// A verifier of ID tokens (OpenID Connect Core §3.1.3.7).
struct IDTokenVerifier: Sendable {
    /// The tolerated difference between the clocks.
    static let leeway: TimeInterval = 30

    let clientID: String
    let issuer: String
    /// Other names of the same issuer.
    let otherIssuers: [String]
    let template: IssuerTemplate?
    let clock: WallClock
    /// The decrypter; nil if the server encrypts nothing.
    let decrypter: JWEDecrypter?
    /// The accepted algorithms.
    let algorithms: ClientAlgorithms
    /// The verifier of the signature, the audience and the times.
    let tokens: TokenVerifier
    /// Returns a verifier of responses about a user, which need not expire, for an audience or for none.
    let userInfo: @Sendable (_ audience: String?) -> TokenVerifier
    /// The verifier of signed authorization responses.
    let responses: TokenVerifier
    /// The keys that the server publishes; nil if the client's secret is the key.
    let keys: RemoteKeySet?

    /// Returns the signed token in an encrypted one; returns a signed token unchanged.
    ///
    /// - Throws: `OAuthError.invalidIDToken` if the token cannot be decrypted, or must be encrypted but is not.
    func opened(_ token: String) throws(OAuthError) -> String {
        guard let decrypter else { return token }
        guard Self.isEncrypted(token) else { throw .invalidIDToken("it is not encrypted") }
        do { return try decrypter.signedToken(in: token) } catch { throw .invalidIDToken(OAuthError.clause(of: error)) }
    }

    /// Whether a token is encrypted: it then has five parts, a signed one three (RFC 7516 §9).
    static func isEncrypted(_ token: String) -> Bool {
        token.utf8.count { $0 == UInt8(ascii: ".") } == 4
    }

    /// Returns the claims of a valid signed ID token.
    ///
    /// - Throws: `OAuthError.invalidIDToken`, `issuerMismatch`, `differentUser` and `insufficientAuthentication`;
    ///   `AuthError.keysUnavailable` if the server's keys cannot be fetched.
    @discardableResult
    func claims(of token: String, _ expectations: IDTokenExpectations) async throws -> Claims {
        let (verified, clockOffset): (JWT, Double)
        do { (verified, clockOffset) = try await self.verified(token, expectations) } catch let error as JOSEError {
            throw OAuthError.invalidIDToken(OAuthError.clause(of: error))
        }
        let claims = verified.claims
        guard !verified.header.isOfOtherType, claims.string("token_use") != "access" else {
            throw OAuthError.invalidIDToken("it is a token of another type")
        }
        try checkIssuer(claims)
        try checkParties(claims)
        // Core §2: `iat` is required; the signature's verification has already refused a future date.
        guard claims.issuedAt != nil else { throw OAuthError.invalidIDToken("it does not state when it was issued") }
        try checkHashes(of: verified, expectations)
        if let nonce = expectations.nonce {
            // Core §3.1.3.7, rule 11: a token with another nonce was replayed or injected.
            guard claims.string("nonce").map({ $0.utf8.elementsEqual(nonce.utf8) }) == true else {
                throw OAuthError.invalidIDToken("its nonce is not that of the request")
            }
        }
        try checkAuthentication(claims, expectations, clockOffset)
        if let predecessor = expectations.predecessor { try checkSuccession(claims, of: predecessor) }
        algorithms.noteIDToken(verified.header.algorithm)
        return claims
    }

    /// Verifies signature, audience and times by the issuer's clock, or else by this device's.
    ///
    /// Also returns the offset of the clock that accepted the token.
    ///
    /// A server in front of the issuer, with another clock, may have dated the response. A token that is valid by
    /// either clock came in that response, so an attacker cannot have kept it.
    private func verified(_ token: String, _ expectations: IDTokenExpectations) async throws -> (JWT, Double) {
        func verified(_ offset: Double) async throws -> JWT {
            guard expectations.isUrgent else {
                return try await tokens.verify(token, clockOffset: offset, after: expectations.keyRequests)
            }
            do { return try tokens.verifyWithKnownKeys(token, clockOffset: offset) } catch JOSEError.unknownKey {
                // This token is lost, but the next refresh will know the key.
                keys?.refetch()
                throw JOSEError.unknownKey
            }
        }
        do {
            return (try await verified(expectations.clockOffset), expectations.clockOffset)
        } catch let error as JOSEError
            where expectations.clockOffset != 0 && (error == .notYetValid || error == .expired)
        {
            return (try await verified(0), 0)
        }
    }

    /// Core §3.1.3.7, rule 2: the issuer, character by character.
    func checkIssuer(_ claims: Claims) throws(OAuthError) {
        let actual = claims.issuer ?? ""
        let expected = template.map { $0.issuer(of: claims.string($0.claim)) } ?? issuer
        guard let expected, ([expected] + otherIssuers).contains(where: { $0.utf8.elementsEqual(actual.utf8) }) else {
            throw .issuerMismatch(expected: expected ?? issuer, actual: actual)
        }
    }

    /// Core §3.1.3.7, rules 4 and 5: a token for several audiences names this client as its authorized party.
    private func checkParties(_ claims: Claims) throws(OAuthError) {
        if let party = claims["azp"], !Self.isMissing(party) {
            guard let text = party.stringValue, text.utf8.elementsEqual(clientID.utf8) else {
                throw .invalidIDToken("it was issued to another client")
            }
        } else if claims.audience.count > 1 {
            throw .invalidIDToken("it has several audiences, and names no authorized party")
        }
        // Core §2: at most 255 ASCII characters.
        guard let subject = claims.subject, !subject.isEmpty, subject.utf8.count <= 255,
            subject.utf8.allSatisfy({ $0 < 0x80 })
        else { throw .invalidIDToken("its subject is missing or malformed") }
    }

    /// Core §3.1.3.8 and §3.3.2.11: checks the hashes of the access token and the code, if the token has them.
    private func checkHashes(of token: JWT, _ expectations: IDTokenExpectations) throws(OAuthError) {
        for (name, text) in [("at_hash", expectations.accessToken), ("c_hash", expectations.code)] {
            guard let text, let hash = token.claims[name], !Self.isMissing(hash) else { continue }
            let expected = Self.halfHash(of: text, token.header.algorithm)
            guard let expected, hash.stringValue == expected else {
                throw .invalidIDToken("its \(name) is not that of the response")
            }
        }
    }

    /// Whether a claim is null or an empty string, so that the rules for a missing claim apply.
    ///
    /// Servers write such values for claims that they do not return, although they should omit them (Core §5.3.2).
    private static func isMissing(_ claim: JSONValue) -> Bool { claim.isNull || claim.stringValue?.isEmpty == true }

    /// Returns the left half of a hash by the hash function of a signature algorithm; nil if the function is not known.
    static func halfHash(of text: String, _ algorithm: SignatureAlgorithm) -> String? {
        let bytes = Array(text.utf8)
        let digest: [UInt8]? =
            switch algorithm {
            case .es256, .rs256, .ps256, .hs256: Array(SHA256.hash(data: bytes))
            case .es384, .rs384, .ps384, .hs384: Array(SHA384.hash(data: bytes))
            // Ed25519 uses SHA-512 internally, which implementations also use here.
            case .es512, .rs512, .ps512, .hs512, .eddsa: Array(SHA512.hash(data: bytes))
            default: nil
            }
        return digest.map { Base64URL.encode($0.prefix($0.count / 2)) }
    }

    /// Core §3.1.3.7, rules 12 and 13: checks the requested context class and time of the authentication.
    ///
    /// - Parameter clockOffset: The offset of the clock that accepted the token, which also applies to these times.
    private func checkAuthentication(
        _ claims: Claims, _ expectations: IDTokenExpectations, _ clockOffset: Double
    ) throws(OAuthError) {
        if !expectations.contextClasses.isEmpty {
            guard let actual = claims.string("acr"),
                expectations.contextClasses.contains(where: { $0.utf8.elementsEqual(actual.utf8) })
            else {
                throw .insufficientAuthentication
            }
        }
        guard let age = expectations.maximumAge else { return }
        // Core §2: `auth_time` is required if a maximum age was requested.
        guard let authenticated = claims.date("auth_time") else {
            throw .invalidIDToken("it does not state when the user authenticated")
        }
        let now = clock.now.addingTimeInterval(clockOffset)
        guard now.timeIntervalSince(authenticated) <= age.inSeconds + Self.leeway else {
            throw .insufficientAuthentication
        }
    }

    /// Checks that the ID token of a refresh has the same user, client and issuer as its predecessor (Core §12.2).
    ///
    /// If both state a time of authentication or an authorized party, these are equal.
    private func checkSuccession(_ claims: Claims, of predecessor: String) throws {
        let old = try JWT(unverified: predecessor).claims
        let names = [issuer] + otherIssuers
        // RFC 7519 §2: byte by byte, unlike Swift's `==`.
        func isSame(_ one: String?, _ other: String?) -> Bool { (one ?? "").utf8.elementsEqual((other ?? "").utf8) }
        let isOneIssuer =
            isSame(claims.issuer, old.issuer)
            || [claims, old].allSatisfy { token in names.contains { isSame($0, token.issuer) } }
        guard isOneIssuer, isSame(claims.subject, old.subject), old.audience.contains(where: { isSame($0, clientID) })
        else {
            throw OAuthError.differentUser
        }
        for name in ["auth_time", "azp"] {
            guard let before = old[name], let after = claims[name], !Self.isMissing(before), !Self.isMissing(after)
            else { continue }
            guard before == after else { throw OAuthError.invalidIDToken("its \(name) is not that of the sign-in") }
        }
    }
}
