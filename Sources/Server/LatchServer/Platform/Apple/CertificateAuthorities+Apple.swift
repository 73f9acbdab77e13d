// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

/// The certificate authorities whose client certificates are trusted, which this platform does not support.
public final class CertificateAuthorities: Sendable {
    /// Throws an error, since certificates are not verified on this platform.
    ///
    /// - Throws: `ServerError.tlsUnavailable`.
    public init(pem: [UInt8]) throws(ServerError) { throw .tlsUnavailable }

    /// Returns false.
    public func verify(_ certificate: PresentedCertificate) -> Bool { false }
}

#endif
