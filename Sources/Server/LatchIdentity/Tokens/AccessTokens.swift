// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchJOSE
import Synchronization

/// Makes and checks access tokens: JWTs after RFC 9068, signed with ES256.
final class AccessTokens: Sendable {
    /// What a valid access token says.
    struct Content: Sendable {
        let accountID: String
        let deviceID: [UInt8]
        let scopes: Scopes
    }

    /// What depends on the issuer, made once when that becomes known.
    private struct Issuing: Sendable {
        let issuer: String
        let audience: String
        let verifier: JWTVerifier
    }

    /// For how long a token is valid; a reload changes it for new tokens only.
    let lifetime: Duration
    /// The newest first; it signs.
    private let keys: [Key]
    private let audience: String?
    private let clock: WallClock
    private let random: RandomSource
    /// Nil until the issuer is known, which without a configured one is when the server has its port.
    private let issuing: Mutex<Issuing?>

    /// - Parameter keys: The first one signs, all of them verify.
    init(keys: [Key], configuration: IdentityConfiguration, clock: WallClock, random: RandomSource) {
        lifetime = configuration.accessTokenLifetime
        self.keys = keys
        audience = configuration.audience
        self.clock = clock
        self.random = random
        issuing = Mutex(nil)
        if let issuer = configuration.issuer { adopt(issuer) }
    }

    /// The `iss` of tokens; nil until it is known.
    var issuer: String? { issuing.withLock { $0?.issuer } }

    /// The public keys (RFC 7517 §5).
    var jwks: JSONValue { KeySet(keys.compactMap(\.publicKey)).jwks() }

    /// Takes the issuer if there is none yet.
    func adopt(_ issuer: String) {
        let audience = audience ?? issuer
        let verifier = JWTVerifier(
            keys: KeySet(keys.compactMap(\.publicKey)), algorithms: [.es256], issuer: issuer, audience: audience,
            type: "at+jwt", leeway: .zero, clock: clock)
        issuing.withLock { current in
            guard current == nil else { return }
            current = Issuing(issuer: issuer, audience: audience, verifier: verifier)
        }
    }

    /// A token for a device of an account, with the account's roles as they are now.
    ///
    /// - Throws: `IdentityError.notReady` without an issuer, `.signingFailed` where the key does not work.
    func issue(
        to account: Account, on device: Device, scopes: Scopes
    ) throws(IdentityError) -> String {
        guard let issuing = issuing.withLock({ $0 }), let key = keys.first else { throw .notReady }
        let now = clock.now.timeIntervalSince1970.rounded(.down)
        // RFC 9068 §2.2 and §2.2.3; `sid` names the device (OpenID Connect Front-Channel Logout 1.0 §3). `id` repeats `sub` for
        // clients of seed 002, whose backend sends it so.
        var claims: JSONObject = [
            "iss": .string(issuing.issuer), "sub": .string(account.id), "aud": .string(issuing.audience),
            "iat": .integer(Int64(now)), "exp": .integer(Int64(now + lifetime.inSeconds)),
            "jti": .string(Base64URL.encode(random.bytes(16))), "sid": .string(Base64URL.encode(device.id)),
            "client_id": .string(device.appID ?? RegisteredApp.firstPartyID), "scope": .string(scopes.text),
            "id": .string(account.id), "email": .string(account.email.text),
        ]
        if let name = account.name { claims["name"] = .string(name) }
        claims["roles"] = .array(account.roles.map { .string($0) })
        claims["permissions"] = .array(account.permissions.map { .string($0) })
        do throws(JOSEError) {
            return try JWT.sign(Claims(claims), with: key, type: "at+jwt")
        } catch {
            throw .signingFailed
        }
    }

    /// Who the token speaks for; nil when it is not ours, not valid now, or not an access token.
    ///
    /// Checks signature, `typ`, issuer, audience and times with no leeway: the clock is the one that issued it. Why a
    /// token is refused is not told, since only somebody who forges tokens would want to know.
    func verify(_ text: String) -> Content? {
        guard let verifier = issuing.withLock({ $0?.verifier }) else { return nil }
        do throws(JOSEError) {
            let claims = try verifier.verify(text)
            guard let subject = claims.subject, let session = claims.string("sid") else { return nil }
            return Content(
                accountID: subject, deviceID: try Base64URL.decode(session),
                scopes: Scopes(parsing: claims.string("scope") ?? ""))
        } catch {
            return nil
        }
    }
}
