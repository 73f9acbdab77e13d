// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// The keys of an issuer, found by their names (RFC 7517 §5).
public struct KeySet: Sendable {
    /// The keys, in order.
    public let keys: [Key]

    /// Far more keys than an issuer has in use, and few enough to try each on a token that names none.
    private static let mostKeys = 200

    /// A set of these keys.
    public init(_ keys: [Key]) { self.keys = keys }

    /// A set of a JSON Web Key Set, as an issuer publishes it.
    ///
    /// Keys of a kind or for a use that is not known here are left out, as RFC 7517 §5 asks.
    ///
    /// - Throws: `JOSEError.unsuitableKey` where the text is no key set, or one that is dangerous to use: with two keys of one
    ///   name, or with shared secrets beside public keys.
    public init(jwks bytes: [UInt8]) throws(JOSEError) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes, limits: JSONLimits(depth: 16, bytes: 1 << 20))
        } catch {
            throw .unsuitableKey("the key set is not JSON")
        }
        try self.init(jwks: value)
    }

    /// A set of a JSON Web Key Set that was read before.
    ///
    /// - Throws: As ``init(jwks:)-([UInt8])``.
    public init(jwks value: JSONValue) throws(JOSEError) {
        guard let list = value["keys"]?.arrayValue, list.count <= Self.mostKeys else {
            throw .unsuitableKey("the key set has no list of keys, or too long a one")
        }
        var keys: [Key] = []
        var names: Set<[String]> = []
        for entry in list {
            guard let jwk = entry.objectValue else {
                throw .unsuitableKey("the key set holds something else than keys")
            }
            guard jwk["use"] == nil || jwk["use"] == "sig" else { continue }
            // RFC 7517 §4.5: a name stands for one key, or for one of each kind.
            if let id = jwk["kid"]?.stringValue, !names.insert([jwk["kty"]?.stringValue ?? "", id]).inserted {
                throw .unsuitableKey("two keys of the set have one name")
            }
            do { keys.append(try Key(jwk: jwk)) } catch JOSEError.unsuitableKey { continue }
        }
        // RFC 8725 §3.1: a set that mixes both invites a public key to be taken for a secret.
        let secrets = keys.count { $0.publicKey == nil }
        guard secrets == 0 || secrets == keys.count else {
            throw .unsuitableKey("the set mixes secrets and public keys")
        }
        self.keys = keys
    }

    /// The key of that name.
    ///
    /// The first one, where keys of several kinds share it.
    public subscript(id: String) -> Key? { keys.first { $0.id == id } }

    /// The public halves as a JSON Web Key Set, fit to be published; shared secrets are left out.
    public func jwks() -> JSONValue {
        ["keys": .array(keys.compactMap(\.publicKey).map { .object($0.jwk) })]
    }

    /// The keys that may have signed a token: those of the name that it gives, or all where it or the key has none, and of
    /// them those whose own algorithm is the one that the token names.
    func candidates(id: String?, algorithm: SignatureAlgorithm) -> [Key] {
        keys.filter { key in
            key.algorithm == algorithm && key.canVerify && (id == nil || key.id == nil || key.id == id)
        }
    }
}
