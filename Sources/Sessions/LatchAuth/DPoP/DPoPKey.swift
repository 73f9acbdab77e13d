// SPDX-License-Identifier: Apache-2.0

public import LatchCore
package import LatchHTTP
public import LatchJOSE
package import PortableFoundation

/// A key that stays on this device and makes tokens worthless without it (RFC 9449).
///
/// Each message proves anew that its sender holds the key, so a stolen token is of no use to an attacker.
/// `Tokens` carry the key with them, and a store keeps it in the same record. It prints redacted.
///
/// ```swift
/// let key = try DPoPKey.generate()
/// let client = Client(baseURL: url, interceptors: [DPoPInterceptor(key)])   // at the token endpoint
/// let tokens = Tokens(access: "…", refresh: "…", tokenType: .dpop, key: key)
/// ```
///
/// Copies share the nonces that servers require in proofs.
public struct DPoPKey: Sendable {
    /// The state that all copies share.
    ///
    /// It is one reference, so that tokens with a key are copied as quickly as any.
    private final class Storage: Sendable {
        let key: Key
        let publicJWK: JSONObject
        let thumbprint: String
        let nonces = DPoPNonceCache()
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

    private let storage: Storage

    /// The algorithms of proofs: asymmetric ones only (RFC 9449 §4.2).
    static let algorithms: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .ps256, .ps384, .ps512, .rs256, .rs384, .rs512,
    ]

    /// Creates a key for proofs from a private key.
    ///
    /// - Parameters:
    ///   - clock: The clock that dates the proofs.
    ///   - random: The source of the proofs' identifiers.
    /// - Throws: `AuthError.invalidCredential` where the key cannot sign, or is a shared secret.
    public init(_ key: Key, clock: WallClock = .system, random: RandomSource = .system) throws(AuthError) {
        guard key.canSign, Self.algorithms.contains(key.algorithm), let publicKey = key.publicKey else {
            throw .invalidCredential("a key for proofs must be a private one")
        }
        do {
            // A proof carries its whole key, so a key ID would only make the message longer.
            var jwk = try key.jwkWithSecretsForStorage()
            jwk["kid"] = nil
            storage = Storage(
                try Key(jwk: jwk, algorithm: key.algorithm), publicJWK: Self.publicMembers(of: publicKey), clock: clock,
                random: random)
        } catch {
            throw .invalidCredential("its key cannot be used")
        }
    }

    /// Generates a key.
    ///
    /// - Throws: `AuthError.invalidCredential` for an algorithm of shared secrets, or an unknown one.
    public static func generate(
        _ algorithm: SignatureAlgorithm = .es256, clock: WallClock = .system, random: RandomSource = .system
    ) throws(AuthError) -> DPoPKey {
        let key: Key
        do { key = try Key.generate(algorithm) } catch { throw .invalidCredential("its key cannot be generated") }
        return try DPoPKey(key, clock: clock, random: random)
    }

    /// The algorithm of the proofs.
    package var algorithm: SignatureAlgorithm { storage.key.algorithm }

    /// The thumbprint of the public key (RFC 7638): the `cnf.jkt` of a bound token, and the `dpop_jkt` of an
    /// authorization request (RFC 9449 §6.1, §10).
    public var thumbprint: String { storage.thumbprint }

    /// The public key as a JSON Web Key, with its required members only.
    package var publicJWK: JSONObject { storage.publicJWK }

    /// Returns the whole key as a JSON Web Key, including the private members, for a store that keeps secrets.
    ///
    /// - Throws: `JOSEError.unsuitableKey` where its members cannot be read.
    package func jwkWithSecretsForStorage() throws(JOSEError) -> JSONObject {
        try storage.key.jwkWithSecretsForStorage()
    }

    /// Returns the members of a public key without its ID, algorithm and use.
    private static func publicMembers(of key: Key) -> JSONObject {
        JSONObject(key.jwk.filter { !["kid", "alg", "use"].contains($0.key) })
    }

    /// Creates a proof for one message, to be sent in its field `DPoP`.
    ///
    /// Requests through a client need ``DPoPInterceptor`` instead: it also repeats a request that a server refuses
    /// because its nonce is missing.
    ///
    /// - Parameters:
    ///   - target: The URL of the message; query and fragment are left out (RFC 9449 §4.2).
    ///   - accessToken: The token that the message carries; nil at a token endpoint.
    ///   - nonce: The nonce that the server requires; nil takes the last one of its origin.
    /// - Throws: `AuthError.invalidCredential` where signing fails, `HTTPError.invalidURL` for an invalid target.
    package func proof(
        _ method: HTTPMethod, _ target: URL, accessToken: String? = nil, nonce: String? = nil
    ) throws -> DPoPProof {
        let request = try HTTPRequest(method: method, url: target)
        return try proof(for: request, accessToken: accessToken, entry: storage.nonces.entry(of: request.origin), nonce)
    }

    /// Sets the field `DPoP` to a proof for the request as it is, in place of an earlier one.
    ///
    /// - Parameter accessToken: The token that it carries; nil at a token endpoint.
    func prove(_ request: inout HTTPRequest, accessToken: String?) throws(AuthError) {
        let entry = storage.nonces.entry(of: request.origin)
        let proof = try proof(for: request, accessToken: accessToken, entry: entry, nil)
        request.fields[.dpop] = proof.text
        request.context[DPoPMark.self] = DPoPMark(sent: storage.clock.now, entry: entry)
    }

    /// Stores the nonce and the clock offset that a response reveals for later proofs.
    ///
    /// - Returns: Whether it refuses the proof, and the next one would be better.
    func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        guard let mark = request.context[DPoPMark.self] else { return false }
        let error = response.dpopError
        let entry = storage.nonces.update(from: response, of: request.origin, mark, at: storage.clock.now, after: error)
        switch error {
        case .useNonce: return entry.nonce != nil && entry.nonce != mark.entry.nonce
        case .invalidProof: return abs(entry.clockOffset - mark.entry.clockOffset) > 2
        case nil: return false
        }
    }

    private func proof(
        for request: HTTPRequest, accessToken: String?, entry: DPoPNonceCache.Entry, _ nonce: String?
    ) throws(AuthError) -> DPoPProof {
        let now = storage.clock.now.addingTimeInterval(entry.clockOffset)
        var claims = Claims(["jti": .string(storage.random.identifier()), "htm": .string(request.method.rawValue)])
        claims["htu"] = .string(DPoPProof.target(of: request))
        claims["iat"] = .integer(Int64(now.timeIntervalSince1970.rounded(.down)))
        claims["ath"] = accessToken.map { .string(DPoPProof.hash(of: $0)) }
        claims["nonce"] = (nonce ?? entry.nonce).map { .string($0) }
        let header: JSONObject = ["typ": .string(DPoPProof.type), "jwk": .object(publicJWK)]
        do {
            let payload = JSONValue.object(claims.members).serialized()
            let text = try JWS.sign(payload, with: storage.key, header: header)
            return try DPoPProof(claims, thumbprint: thumbprint, text: text)
        } catch {
            throw .invalidCredential("its key does not sign")
        }
    }
}

/// The inputs of a message's proof, kept for its response.
struct DPoPMark: HTTPContextKey {
    static var defaultValue: DPoPMark? { nil }

    /// The date of the proof, by this device's clock.
    let sent: Date
    let entry: DPoPNonceCache.Entry
}

extension DPoPKey: Codable {
    /// Encodes the key with its private members as a JSON Web Key, for a store that keeps secrets.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(jwkWithSecretsForStorage()).encode(to: encoder)
    }

    /// Decodes a key that ``encode(to:)`` encoded; its clock is the system's.
    ///
    /// - Throws: `AuthError.invalidCredential` where it is not a key for proofs.
    public init(from decoder: any Decoder) throws {
        let jwk = try JSONValue(from: decoder).objectValue ?? [:]
        let key: Key
        do { key = try Key(jwk: jwk) } catch { throw AuthError.invalidCredential("its key cannot be read") }
        try self.init(key)
    }
}

extension DPoPKey: Hashable {
    /// Compares the thumbprints: a public key has one private key.
    public static func == (one: DPoPKey, other: DPoPKey) -> Bool { one.thumbprint == other.thumbprint }

    /// Hashes the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}

extension DPoPKey: Redacting {
    /// The algorithm and the thumbprint, which is public.
    public var description: String { "DPoPKey(\(algorithm), \(thumbprint), redacted)" }
}
