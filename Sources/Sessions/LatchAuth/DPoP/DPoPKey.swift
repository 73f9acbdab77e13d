// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchFoundation
package import LatchHTTP
public import LatchJOSE

/// A key that stays on this device; the tokens that are bound to it are useless without it (RFC 9449).
///
/// Each message proves that its sender holds the key, so that a stolen token is useless to an attacker. `Tokens` carry
/// the key, and a store keeps it in the same record. Its description is redacted.
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
    /// It is one reference, so that tokens with a key are copied as fast as others.
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

    /// The algorithms of proofs, which are asymmetric (RFC 9449 §4.2).
    static let algorithms: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .ps256, .ps384, .ps512, .rs256, .rs384, .rs512,
    ]

    /// Creates a key for proofs from a private key.
    ///
    /// - Parameters:
    ///   - key: The private key, for any asymmetric algorithm.
    ///   - clock: The clock that dates the proofs.
    ///   - random: The source of the proofs' identifiers.
    /// - Throws: `AuthError.invalidCredential` if the key cannot sign, or is a shared secret.
    public init(_ key: Key, clock: WallClock = .system, random: RandomSource = .system) throws(AuthError) {
        guard key.canSign, Self.algorithms.contains(key.algorithm), let publicKey = key.publicKey else {
            throw .invalidCredential("a key for proofs must be a private one")
        }
        do {
            // A proof contains the whole public key, so a key ID would only make the message longer.
            var jwk = try key.jwkWithSecretsForStorage()
            jwk["kid"] = nil
            storage = Storage(
                try Key(jwk: jwk, algorithm: key.algorithm),
                publicJWK: JSONObject(publicKey.jwk.filter { !["kid", "alg", "use"].contains($0.key) }), clock: clock,
                random: random)
        } catch {
            throw .invalidCredential("its key cannot be used")
        }
    }

    /// Generates a key.
    ///
    /// - Throws: `AuthError.invalidCredential` for an algorithm of shared secrets or an unknown one.
    public static func generate(
        _ algorithm: SignatureAlgorithm = .es256, clock: WallClock = .system, random: RandomSource = .system
    ) throws(AuthError) -> DPoPKey {
        let key: Key
        do { key = try Key.generate(algorithm) } catch { throw .invalidCredential("its key cannot be generated") }
        return try DPoPKey(key, clock: clock, random: random)
    }

    /// The algorithm of the proofs.
    package var algorithm: SignatureAlgorithm { storage.key.algorithm }

    /// The thumbprint of the public key (RFC 7638).
    ///
    /// It is the `cnf.jkt` of a bound token, and the `dpop_jkt` of an authorization request (RFC 9449 §6.1, §10).
    public var thumbprint: String { storage.thumbprint }

    /// The public key as a JSON Web Key, with its required members only.
    package var publicJWK: JSONObject { storage.publicJWK }

    /// Sets the field `DPoP` to a proof for the request in its current form, and replaces an earlier proof.
    ///
    /// - Parameter accessToken: The token in the request; nil at a token endpoint.
    package func prove(_ request: inout HTTPRequest, accessToken: String?) throws(AuthError) {
        let entry = storage.nonces.entry(of: request.origin)
        request.fields[.dpop] = try proof(for: request, accessToken: accessToken, entry: entry)
        request.context[DPoPMark.self] = DPoPMark(sent: storage.clock.now, entry: entry)
    }

    /// Stores the nonce and the clock offset in a response for later proofs.
    ///
    /// - Returns: Whether the response refuses the proof, and the next one would be better.
    package func learn(from response: HTTPResponse, to request: HTTPRequest) -> Bool {
        guard let mark = request.context[DPoPMark.self] else { return false }
        let error = response.dpopError
        let entry = storage.nonces.update(from: response, of: request.origin, mark, at: storage.clock.now, after: error)
        switch error {
        case .useNonce: return entry.nonce != nil && entry.nonce != mark.entry.nonce
        case .invalidProof: return abs(entry.clockOffset - mark.entry.clockOffset) > 2
        case nil: return false
        }
    }

    /// Creates a proof for a request with the nonce and the clock offset of its origin.
    func proof(
        for request: HTTPRequest, accessToken: String?, entry: DPoPNonceCache.Entry
    ) throws(AuthError) -> String {
        let now = storage.clock.now.addingTimeInterval(entry.clockOffset)
        var claims: JSONObject = [
            "jti": .string(storage.random.identifier()), "htm": .string(request.method.rawValue),
            "htu": .string("\(request.origin)\(request.pathWithoutQuery)"),
        ]
        claims["iat"] = .integer(Int64(now.timeIntervalSince1970.rounded(.down)))
        claims["ath"] = accessToken.map { .string(DPoPProof.hash(of: $0)) }
        claims["nonce"] = entry.nonce.map { .string($0) }
        let header: JSONObject = ["typ": .string(DPoPProof.type), "jwk": .object(publicJWK)]
        do {
            return try JWS.sign(JSONValue.object(claims).serialized(), with: storage.key, header: header)
        } catch {
            throw .invalidCredential("its key does not sign")
        }
    }
}

/// The data of a message's proof that its response needs.
struct DPoPMark: HTTPContextKey {
    static var defaultValue: DPoPMark? { nil }

    /// The date of the proof by this device's clock.
    let sent: Date
    let entry: DPoPNonceCache.Entry
}

extension DPoPKey: Codable {
    /// Encodes the key with its private members as a JSON Web Key, for a store that keeps secrets.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(storage.key.jwkWithSecretsForStorage()).encode(to: encoder)
    }

    /// Decodes a key that ``encode(to:)`` has encoded; its clock is the system's.
    ///
    /// - Throws: `AuthError.invalidCredential` if the key cannot be used for proofs.
    public init(from decoder: any Decoder) throws {
        let jwk = try JSONValue(from: decoder).objectValue ?? [:]
        let key: Key
        do { key = try Key(jwk: jwk) } catch { throw AuthError.invalidCredential("its key cannot be read") }
        try self.init(key)
    }
}

extension DPoPKey: Hashable {
    /// Compares the thumbprints, because a public key identifies its private key.
    public static func == (one: DPoPKey, other: DPoPKey) -> Bool { one.thumbprint == other.thumbprint }

    /// Hashes the thumbprint.
    public func hash(into hasher: inout Hasher) { hasher.combine(thumbprint) }
}

extension DPoPKey: Redacting {
    /// The algorithm and the thumbprint, which is public.
    public var description: String { "DPoPKey(\(algorithm), \(thumbprint), redacted)" }
}
