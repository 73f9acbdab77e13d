// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

/// The prepared contexts of a key, one pool for each scheme.
struct RSASchemes: Sendable {
    /// Two rows, one for each padding, of three digests each; a pool that is never asked stays empty.
    private let pools: [EVPContextPool]

    /// Lays out the pools in the order in which the subscript counts.
    init(_ key: EVPKey, for operation: EVPContextPool.Operation) {
        pools = RSA.Signing.Padding.allCases.flatMap { padding in
            RSA.Signing.Hash.allCases.map { hash in
                EVPContextPool(key, for: operation) { configure($0, padding: padding, hash: hash) }
            }
        }
    }

    /// The pool of a scheme.
    subscript(padding: RSA.Signing.Padding, hash: RSA.Signing.Hash) -> EVPContextPool {
        let row = padding == .pkcs1v15 ? 0 : RSA.Signing.Hash.allCases.count
        switch hash {
        case .sha256: return pools[row]
        case .sha384: return pools[row + 1]
        case .sha512: return pools[row + 2]
        }
    }
}

/// Fixes a context to one scheme, so that a signature cannot choose another (RFC 8725 §3.1).
private func configure(_ context: OpaquePointer, padding: RSA.Signing.Padding, hash: RSA.Signing.Hash) -> Bool {
    let digest =
        switch hash {
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    let scheme = padding == .pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
    guard EVP_PKEY_CTX_set_rsa_padding(context, scheme) == 1,
        EVP_PKEY_CTX_set_signature_md(context, digest) == 1
    else { return false }
    guard padding == .pss else { return true }
    // RFC 7518 §3.5: the salt is as long as the digest.
    return EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
}

extension RSA.Signing.Hash {
    /// Digests `data` into memory of the stack and lends it.
    func withDigest<Result, Failure: Error>(
        of data: some Collection<UInt8>,
        _ body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .sha256: try LatchCrypto.withDigest(SHA256.self, of: data, body)
        case .sha384: try LatchCrypto.withDigest(SHA384.self, of: data, body)
        case .sha512: try LatchCrypto.withDigest(SHA512.self, of: data, body)
        }
    }
}
#endif
