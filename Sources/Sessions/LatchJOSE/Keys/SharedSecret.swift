// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation
internal import LatchCrypto

/// A secret that signs and verifies alike, prepared for its digest.
struct SharedSecret: Sendable {
    /// The secret as it was given, to be stored again.
    let key: SymmetricKey
    /// The secret with its padded blocks digested, so that a code costs no more than its message.
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
        // RFC 7518 §3.2: a secret as long as the digest or longer.
        guard key.bitCount >= needed else { throw .unsuitableKey("the secret has less than \(needed) bits") }
        self.key = key
    }

    /// The code of `data`, as long as the digest; the prepared state is copied and stays as it is.
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
