// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import CLatchTLSShim

/// The certificate authorities whose client certificates are trusted.
///
/// ```swift no-check
/// let authorities = try CertificateAuthorities(pem: bytes)
/// guard let certificate = request.clientCertificate, authorities.verify(certificate) else { return forbidden }
/// ```
public final class CertificateAuthorities: @unchecked Sendable {  // libcrypto locks the store.
    /// The `X509_STORE`.
    private let store: UnsafeMutableRawPointer

    /// Reads certificates of authorities in PEM; an intermediate certificate is trusted without its root.
    ///
    /// - Throws: `ServerError.badAuthorities` without a certificate, or for a malformed one.
    public init(pem: [UInt8]) throws(ServerError) {
        guard let store = latch_tls_authorities_make(pem, pem.count) else { throw .badAuthorities }
        self.store = store
    }

    deinit { latch_tls_authorities_free(store) }

    /// Returns whether a certificate is valid now, is for clients, and has a chain to an authority (RFC 5280 §6).
    ///
    /// Revocation is not checked.
    public func verify(_ certificate: PresentedCertificate) -> Bool {
        let all = certificate.chain.reduce(into: certificate.der) { $0 += $1 }
        return latch_tls_authorities_verify(store, all, all.count) != 0
    }
}

#endif
