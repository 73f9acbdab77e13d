// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// The verification of RSASSA-PSS signatures by one key (RFC 8017 §8.1.2), on numbers that are kept between calls.
///
/// OpenSSL checks the padding; the exponentiation before it is done here, since OpenSSL's function for both allocates ten
/// more blocks of memory each time. All inputs are public.
final class PSSVerifier: Sendable {
    /// The numbers of one verification, which belong to the context.
    private final class Numbers: @unchecked Sendable {
        let context, signature, encoded: OpaquePointer

        init?() {
            guard let context = BN_CTX_new() else { return nil }
            BN_CTX_start(context)
            guard let signature = BN_CTX_get(context), let encoded = BN_CTX_get(context) else {
                BN_CTX_free(context)
                return nil
            }
            (self.context, self.signature, self.encoded) = (context, signature, encoded)
        }

        deinit { BN_CTX_free(context) }
    }

    // Read by several threads, and changed by none after they were made.
    private nonisolated(unsafe) let modulus: OpaquePointer
    private nonisolated(unsafe) let exponent: OpaquePointer
    private nonisolated(unsafe) let montgomery: OpaquePointer
    /// The modulus once more, as the check of the padding wants it, for its length.
    private nonisolated(unsafe) let key: OpaquePointer
    private let idle = IdlePool<Numbers>()

    /// - Parameters: The numbers, big-endian and within their bounds.
    init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        let context = BN_CTX_new()
        defer { BN_CTX_free(context) }
        guard let n = BN_bin2bn(modulus, Int32(modulus.count), nil),
            let e = BN_bin2bn(exponent, Int32(exponent.count), nil),
            let montgomery = BN_MONT_CTX_new(), let key = RSA_new()
        else { throw .openSSL("preparing a key") }
        (self.modulus, self.exponent, self.montgomery, self.key) = (n, e, montgomery, key)
        // The key owns the copies that it is given.
        guard BN_MONT_CTX_set(montgomery, n, context) == 1, RSA_set0_key(key, BN_dup(n), BN_dup(e), nil) == 1 else {
            throw .openSSL("preparing a key")
        }
    }

    deinit {
        BN_free(modulus)
        BN_free(exponent)
        BN_MONT_CTX_free(montgomery)
        RSA_free(key)
    }

    /// Returns whether the signature is valid for the digest; false after any failure.
    func verifies(
        _ signature: UnsafeBufferPointer<UInt8>, digest: UnsafeMutableBufferPointer<UInt8>, hash: RSA.Signing.Hash
    ) -> Bool {
        idle.withElement({ Numbers() }) { verifies(signature, digest: digest, hash: hash, $0) } ?? false
    }

    private func verifies(
        _ signature: UnsafeBufferPointer<UInt8>, digest: UnsafeMutableBufferPointer<UInt8>, hash: RSA.Signing.Hash,
        _ numbers: Numbers
    ) -> Bool {
        guard let method = FetchedDigest.of(hash),
            BN_bin2bn(signature.baseAddress, Int32(signature.count), numbers.signature) != nil,
            // RFC 8017 §5.2.2, step 1: the signature is a number less than the modulus.
            BN_cmp(numbers.signature, modulus) < 0,
            BN_mod_exp_mont(numbers.encoded, numbers.signature, exponent, modulus, numbers.context, montgomery) == 1
        else { return false }
        let holds = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: signature.count) { message in
            guard BN_bn2binpad(numbers.encoded, message.baseAddress, Int32(message.count)) == Int32(message.count)
            else {
                return false
            }
            // RFC 7518 §3.5: MGF1 has the same digest, and the salt is as long as it.
            return RSA_verify_PKCS1_PSS_mgf1(
                key, digest.baseAddress, method.pointer, method.pointer, message.baseAddress, RSA_PSS_SALTLEN_DIGEST)
                == 1
        }
        // A failure leaves a note in this thread's queue.
        if !holds { ERR_clear_error() }
        return holds
    }
}

/// A digest of OpenSSL that is looked up once, and not at each use.
private struct FetchedDigest: @unchecked Sendable {
    /// Lives as long as the process.
    let pointer: OpaquePointer

    private static let sha256 = FetchedDigest("SHA256")
    private static let sha384 = FetchedDigest("SHA384")
    private static let sha512 = FetchedDigest("SHA512")

    static func of(_ hash: RSA.Signing.Hash) -> FetchedDigest? {
        switch hash {
        case .sha256: sha256
        case .sha384: sha384
        case .sha512: sha512
        }
    }

    private init?(_ name: String) {
        guard let pointer = EVP_MD_fetch(nil, name, nil) else { return nil }
        self.pointer = pointer
    }
}
#endif
