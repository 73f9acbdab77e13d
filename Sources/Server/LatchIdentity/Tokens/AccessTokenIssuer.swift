// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
import LatchJOSE
import PortableFoundation
import Synchronization

/// An issuer and verifier of access tokens: JWTs after RFC 9068, signed with ES256.
final class AccessTokenIssuer: Sendable {
    /// The claims of a valid access token.
    struct VerifiedClaims: Sendable {
        /// The id of the account, or of the client that acts for itself.
        let subject: String
        /// The device of the session; nil for a token without one.
        let deviceID: [UInt8]?
        let clientID: String?
        let scopes: Scopes
    }

    /// The values that depend on the issuer, created once it is known.
    private struct IssuerContext: Sendable {
        let issuer: String
        let audience: String
        let verifier: JWTVerifier
    }

    /// The lifetime of a token; a reload changes it for new tokens only.
    let lifetime: Duration
    /// The keys, the newest first, which signs.
    private let keys: [Key]
    private let audience: String?
    private let clock: WallClock
    private let random: RandomSource
    /// The issuer's context; nil until the issuer is known, at the latest when the server has its port.
    private let context: Mutex<IssuerContext?>

    /// Creates an issuer.
    ///
    /// - Parameter keys: The first one signs, all of them verify.
    init(keys: [Key], configuration: IdentityConfiguration, clock: WallClock, random: RandomSource) {
        lifetime = configuration.accessTokenLifetime
        self.keys = keys
        audience = configuration.audience
        self.clock = clock
        self.random = random
        context = Mutex(nil)
        if let issuer = configuration.issuer { adopt(issuer) }
    }

    /// The `iss` of tokens; nil until it is known.
    var issuer: String? { context.withLock { $0?.issuer } }

    /// The public keys (RFC 7517 §5).
    var jwks: JSONValue { KeySet(keys.compactMap(\.publicKey)).jwks() }

    /// Sets the issuer if there is none yet.
    func adopt(_ issuer: String) {
        let audience = audience ?? issuer
        let verifier = JWTVerifier(
            keys: KeySet(keys.compactMap(\.publicKey)), algorithms: [.es256], issuer: issuer, audience: audience,
            type: "at+jwt", leeway: .zero, clock: clock)
        context.withLock { current in
            guard current == nil else { return }
            current = IssuerContext(issuer: issuer, audience: audience, verifier: verifier)
        }
    }

    /// Returns a token for a client, with the current roles of the account that it acts for.
    ///
    /// - Parameters:
    ///   - account: Nil for a client that acts for itself, which is then the `sub` (RFC 9068 §2.2).
    ///   - device: The device of the session; nil for a token without one.
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` if the key does not work.
    func issue(
        to clientID: String, scopes: Scopes, for account: Account?, on device: Device?
    ) throws(IdentityError) -> String {
        guard let context = context.withLock({ $0 }), let key = keys.first else { throw .notReady }
        let now = clock.now.timeIntervalSince1970.rounded(.down)
        // RFC 9068 §2.2 and §2.2.3; `sid` is the device (OpenID Connect Front-Channel Logout 1.0 §3).
        var claims: JSONObject = [
            "iss": .string(context.issuer), "sub": .string(account?.id ?? clientID), "aud": .string(context.audience),
            "iat": .integer(Int64(now)), "exp": .integer(Int64(now + lifetime.inSeconds)),
            "jti": .string(Base64URL.encode(random.bytes(16))),
        ]
        if let device { claims["sid"] = .string(device.publicID) }
        claims["client_id"] = .string(clientID)
        claims["scope"] = .string(scopes.text)
        if let account {
            // AuthPackage's backend repeats `sub` as `id`.
            claims["id"] = .string(account.id)
            claims["email"] = .string(account.email.text)
            claims["name"] = account.name.map { .string($0) }
            claims["roles"] = .array(account.roles.map { .string($0) })
            claims["permissions"] = .array(account.permissions.map { .string($0) })
        }
        do throws(JOSEError) {
            return try JWT.sign(Claims(claims), with: key, type: "at+jwt")
        } catch {
            throw .signingFailed
        }
    }

    /// Verifies signature, `typ`, issuer, audience and times of a token; returns nil if it is not valid.
    ///
    /// There is no leeway, since the same clock issued the token.
    func verify(_ text: String) -> VerifiedClaims? {
        guard let verifier = context.withLock({ $0?.verifier }), let claims = try? verifier.verify(text),
            let subject = claims.subject
        else { return nil }
        var deviceID: [UInt8]?
        if claims.members["sid"] != nil {
            guard let id = try? Base64URL.decode(claims.string("sid") ?? "") else { return nil }
            deviceID = id
        }
        return VerifiedClaims(
            subject: subject, deviceID: deviceID, clientID: claims.string("client_id"),
            scopes: Scopes(parsing: claims.string("scope") ?? ""))
    }
}
