// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityAccounts
import LatchIdentityStorage
import LatchJOSE
package import LatchServer

/// The check of the certificates with which clients authenticate (RFC 8705 §2).
///
/// The certificate of a request is known to be the sender's, and nothing else about it. A proxy may have accepted any
/// certificate, as this server's own TLS does.
package struct CertificateAuthentication: Sendable {
    /// The authorities of clients; nil for none.
    private let authorities: CertificateAuthorities?
    private let keys: ClientKeySource

    package init(authorities: CertificateAuthorities?, keys: ClientKeySource) {
        self.authorities = authorities
        self.keys = keys
    }

    /// Returns whether a certificate authenticates a client that is registered for that.
    ///
    /// - Throws: `IdentityError.unreadableKeys`, or a store's error.
    func isAuthentic(
        _ certificate: PresentedCertificate, of registered: VerifiableClient
    ) async throws(IdentityError) -> Bool {
        switch registered.client.authenticationMethod {
        case .tlsClientAuth:
            // A comparison of names costs less than a signature.
            guard let name = registered.client.certificateName, certificate.has(name) else { return false }
            return authorities?.verify(certificate) ?? false
        case .selfSignedTLSClientAuth: return try await hasKey(certificate, of: registered)
        default: return false
        }
    }

    /// Returns whether the key of a certificate is one of the client's (RFC 8705 §2.2).
    ///
    /// The registered certificate in `x5c` has the key of its JWK (RFC 7517 §4.7), so a comparison of keys suffices. The
    /// dates in the certificate do not count: the registration says how long the key is the client's.
    private func hasKey(
        _ certificate: PresentedCertificate, of registered: VerifiableClient
    ) async throws(IdentityError) -> Bool {
        let shown: String
        do throws(JOSEError) {
            guard let pem = certificate.publicKeyPEM else { return false }
            shown = try Key(pem: pem).thumbprint
        } catch {
            return false
        }
        let found = try await keys.verified(by: registered.client, among: registered.keys) { keys throws(JOSEError) in
            guard keys.keys.contains(where: { $0.thumbprint == shown }) else { throw .unknownKey }
        }
        return if case .success? = found { true } else { false }
    }
}
