// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchCore
public import LatchHTTP
public import LatchJOSE

/// A key that stays on this device and makes tokens worthless without it (RFC 9449).
///
/// Each message proves anew that its sender holds the key, so a token that somebody else has read is of no use to him.
/// `Tokens` carry the key with them, and a store keeps it in the same record. It prints redacted.
///
/// ```swift
/// let key = try DPoPKey.generate()
/// let client = Client(baseURL: issuer, interceptors: [DPoPInterceptor(key)])   // at the token endpoint
/// let tokens = Tokens(access: access, refresh: refresh, tokenType: .dpop, key: key)
/// ```
///
/// Copies are one key: what a server asked to see in a proof is known to all of them.
public struct DPoPKey: Sendable {
    /// What all copies have in common.
    ///
    /// One reference, so that tokens with a key are copied as quickly as any.
    private final class Content: Sendable {
        let key: Key
        let publicJWK: JSONObject
        let thumbprint: String
        let memory = DPoPMemory()
        let clock: WallClock
        let random: RandomSource

        init(_ key: Key, publicJWK: JSONObject, clock: WallClock, random: RandomSource) {
            self.key = key
            self.publicJWK = publicJWK
            thumbprint = key.thumbprint
            self.clock = clock
            self.random = random
        }
    }

    private let content: Content
    private var memory: DPoPMemory { content.memory }

    /// Those with which a proof may be signed: asymmetric ones only (RFC 9449 §4.2).
    static let algorithms: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .ps256, .ps384, .ps512, .rs256, .rs384, .rs512,
    ]

    /// A key for proofs.
    ///
    /// - Parameters:
    ///   - clock: Dates the proofs.
    ///   - random: Gives each proof its name.
    /// - Throws: `AuthError.invalidCredential` where the key cannot sign, or is a shared secret.
    public init(_ key: Key, clock: WallClock = .system, random: RandomSource = .system) throws(AuthError) {
        guard key.canSign, Self.algorithms.contains(key.algorithm), let half = key.publicKey else {
            throw .invalidCredential("a key for proofs has to be a private one")
        }
        do {
            // A proof carries its key whole, so a name for it would only make the message longer.
            var jwk = try key.jwkWithSecretsForStorage()
            jwk["kid"] = nil
            content = Content(
                try Key(jwk: jwk, algorithm: key.algorithm), publicJWK: Self.numbers(of: half), clock: clock,
                random: random)
        } catch {
            throw .invalidCredential("its key cannot be used")
        }
    }

    /// A fresh key.
    ///
    /// - Throws: `AuthError.invalidCredential` for an algorithm that is for shared secrets, or not known.
    public static func generate(
        _ algorithm: SignatureAlgorithm = .es256, clock: WallClock = .system, random: RandomSource = .system
    ) throws(AuthError) -> DPoPKey {
        let key: Key
        do { key = try Key.generate(algorithm) } catch { throw .invalidCredential("its key cannot be made") }
        return try DPoPKey(key, clock: clock, random: random)
    }

    /// The algorithm of the proofs.
    public var algorithm: SignatureAlgorithm { content.key.algorithm }

    /// The thumbprint of the public half (RFC 7638): what a token that is bound to the key says as `cnf.jkt`, and an
    /// authorization request as `dpop_jkt` (RFC 9449 §6.1, §10).
    public var thumbprint: String { content.thumbprint }

    /// The public half as a JSON Web Key, with its numbers and nothing else.
    public var publicJWK: JSONObject { content.publicJWK }

    /// Gives the whole key away as a JSON Web Key, secret and all, to whoever stores it.
    ///
    /// - Throws: `JOSEError.unsuitableKey` where its numbers cannot be read.
    public func jwkWithSecretsForStorage() throws(JOSEError) -> JSONObject {
        try content.key.jwkWithSecretsForStorage()
    }

    /// The members that make a public key, without those that name it or say what it is for.
    private static func numbers(of key: Key) -> JSONObject {
        JSONObject(key.jwk.filter { !["kid", "alg", "use"].contains($0.key) })
    }

    /// A proof for one message, to be sent in its field `DPoP`.
    ///
    /// Whoever sends requests through a client needs ``DPoPInterceptor`` and not this: it also repeats what a server
    /// refuses for want of a nonce.
    ///
    /// - Parameters:
    ///   - target: Where the message goes; query and fragment are left out (RFC 9449 §4.2).
    ///   - accessToken: The token that the message carries; nil at a token endpoint.
    ///   - nonce: What the server asked for; nil takes what its origin has asked of this key before.
    /// - Throws: `AuthError.invalidCredential` where signing fails, `HTTPError.invalidURL` for a target that is none.
    public func proof(
        _ method: HTTPMethod, _ target: URL, accessToken: String? = nil, nonce: String? = nil
    ) throws -> DPoPProof {
        let request = try HTTPRequest(method: method, url: target)
        return try proof(for: request, accessToken: accessToken, knowing: memory.knowledge(of: request.origin), nonce)
    }

    /// Sets the field `DPoP` to a proof for the request as it is, in place of an earlier one.
    ///
    /// - Parameter accessToken: The token that it carries; nil at a token endpoint.
    func prove(_ request: inout HTTPRequest, accessToken: String?) throws(AuthError) {
        let known = memory.knowledge(of: request.origin)
        let proof = try proof(for: request, accessToken: accessToken, knowing: known, nil)
        request.fields[.dpop] = proof.text
        request.context[DPoPMark.self] = DPoPMark(sent: content.clock.now, known: known)
    }

    /// Remembers what an answer asks of later proofs.
    ///
    /// - Returns: Whether it refuses the proof for something that the next one would do better.
    func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        guard let mark = request.context[DPoPMark.self] else { return false }
        let refusal = response.proofRefusal
        let known = memory.learn(from: response, of: request.origin, mark, at: content.clock.now, after: refusal)
        switch refusal {
        case .nonce: return known.nonce != nil && known.nonce != mark.known.nonce
        case .proof: return abs(known.clockOffset - mark.known.clockOffset) > 2
        case nil: return false
        }
    }

    private func proof(
        for request: HTTPRequest, accessToken: String?, knowing known: DPoPMemory.Knowledge, _ nonce: String?
    ) throws(AuthError) -> DPoPProof {
        let now = content.clock.now.addingTimeInterval(known.clockOffset)
        var claims = Claims(["jti": .string(content.random.identifier()), "htm": .string(request.method.rawValue)])
        claims["htu"] = .string(DPoPProof.target(of: request))
        claims["iat"] = .integer(Int64(now.timeIntervalSince1970.rounded(.down)))
        claims["ath"] = accessToken.map { .string(DPoPProof.hash(of: $0)) }
        claims["nonce"] = (nonce ?? known.nonce).map { .string($0) }
        let header: JSONObject = ["typ": .string(DPoPProof.type), "jwk": .object(publicJWK)]
        do {
            let payload = JSONValue.object(claims.members).serialized()
            let text = try JWS.sign(payload, with: content.key, header: header)
            return try DPoPProof(claims, thumbprint: thumbprint, text: text)
        } catch {
            throw .invalidCredential("its key does not sign")
        }
    }
}

/// What a message was proved with, for whoever sees the answer.
struct DPoPMark: HTTPContextKey {
    static var defaultValue: DPoPMark? { nil }

    /// When, by this device's clock.
    let sent: Date
    let known: DPoPMemory.Knowledge
}
