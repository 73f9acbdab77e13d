// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchJOSE

/// The public key of a credential (RFC 9052 §7, RFC 9053 §7), with its algorithm.
///
/// WebAuthn Level 3 §5.8.5: a key has its algorithm and the numbers of its type, no other parameter, and no compressed
/// point.
package struct COSEKey: Sendable {
    /// The algorithm, by its number in the COSE registry.
    package let algorithm: Algorithm
    private let key: Key

    /// An algorithm of credentials.
    package enum Algorithm: Int64, Sendable, CaseIterable {
        /// ECDSA on P-256 over SHA-256.
        case es256 = -7
        /// Ed25519.
        case eddsa = -8
        /// RSASSA-PKCS1-v1_5 over SHA-256.
        case rs256 = -257
    }

    /// Decodes a key.
    ///
    /// - Throws: `WebAuthnError.malformedPublicKey`, also if the numbers form no key or a weak one, or
    ///   `.unsupportedAlgorithm`.
    package init(_ bytes: [UInt8]) throws(WebAuthnError) {
        let value: CBORValue
        do throws(CBORError) { value = try CBORValue(decoding: bytes) } catch { throw .malformedPublicKey }
        try self.init(value)
    }

    init(_ value: CBORValue) throws(WebAuthnError) {
        guard let type = value[1]?.integer, let number = value[3]?.integer else { throw .malformedPublicKey }
        guard let algorithm = Algorithm(rawValue: number) else { throw .unsupportedAlgorithm }
        self.algorithm = algorithm
        let jwk: JSONObject
        switch (algorithm, type) {
        case (.es256, 2):
            try value.require([1, 3, -1, -2, -3])
            guard value[-1]?.integer == 1 else { throw .malformedPublicKey }
            jwk = ["kty": "EC", "crv": "P-256", "x": try value.number(-2), "y": try value.number(-3)]
        case (.eddsa, 1):
            try value.require([1, 3, -1, -2])
            guard value[-1]?.integer == 6 else { throw .malformedPublicKey }
            jwk = ["kty": "OKP", "crv": "Ed25519", "x": try value.number(-2)]
        case (.rs256, 3):
            try value.require([1, 3, -1, -2])
            jwk = ["kty": "RSA", "n": try value.number(-1), "e": try value.number(-2)]
        default: throw .malformedPublicKey
        }
        let names: [Algorithm: SignatureAlgorithm] = [.es256: .es256, .eddsa: .eddsa, .rs256: .rs256]
        do throws(JOSEError) { key = try Key(jwk: jwk, algorithm: names[algorithm]) } catch {
            throw .malformedPublicKey
        }
    }

    /// Whether a signature for `data` was made with this key; an ECDSA signature is in DER (WebAuthn Level 3 §6.5.5).
    package func isValidSignature(_ signature: [UInt8], for data: [UInt8]) -> Bool {
        guard algorithm == .es256 else { return key.isValidSignature(signature, for: data) }
        guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return key.isValidSignature(Array(parsed.rawRepresentation), for: data)
    }
}

extension CBORValue {
    /// Requires that a map has exactly these keys.
    fileprivate func require(_ keys: [Int64]) throws(WebAuthnError) {
        guard let map, Set(map.keys) == Set(keys.map { .integer($0) }) else { throw .malformedPublicKey }
    }

    /// Returns the number with a key, in the form of a JSON Web Key.
    fileprivate func number(_ key: Int64) throws(WebAuthnError) -> JSONValue {
        guard let bytes = self[key]?.bytes else { throw .malformedPublicKey }
        return .string(Base64URL.encode(bytes))
    }
}
