// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto
internal import LatchFoundation

/// A shared secret for HMAC, prepared for its digest.
struct HMACSecret: Sendable {
    /// The secret, kept for storing the key.
    let key: SymmetricKey
    /// The prepared HMAC, so that a code costs only the hashing of its message.
    private let prepared: Prepared

    private enum Prepared: Sendable {
        case sha256(HMAC<SHA256>)
        case sha384(HMAC<SHA384>)
        case sha512(HMAC<SHA512>)
    }

    init(_ key: SymmetricKey, algorithm: SignatureAlgorithm) throws(JOSEError) {
        let needed: Int
        switch algorithm {
        case .hs256: (needed, prepared) = (256, .sha256(HMAC(key: key)))
        case .hs384: (needed, prepared) = (384, .sha384(HMAC(key: key)))
        case .hs512: (needed, prepared) = (512, .sha512(HMAC(key: key)))
        default: throw .unsuitableKey("a shared secret does not serve that algorithm")
        }
        // RFC 7518 §3.2: the secret is at least as long as the digest.
        guard key.bitCount >= needed else { throw .unsuitableKey("the secret has less than \(needed) bits") }
        self.key = key
    }

    /// Returns the authentication code of `data`.
    func code(for data: ArraySlice<UInt8>) -> [UInt8] {
        switch prepared {
        case .sha256(let hmac): Self.code(hmac, for: data)
        case .sha384(let hmac): Self.code(hmac, for: data)
        case .sha512(let hmac): Self.code(hmac, for: data)
        }
    }

    private static func code(_ prepared: HMAC<some HashFunction>, for data: ArraySlice<UInt8>) -> [UInt8] {
        var hmac = prepared
        hmac.update(data: data)
        return Array(hmac.finalize())
    }
}
