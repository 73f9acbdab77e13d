// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchIdentityStorage
import LatchServer

/// The name that the certificate of a client has (RFC 8705 §2.1.2).
public struct CertificateName: Sendable, Hashable {
    /// The kinds of names.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The subject, as RFC 4514 writes it.
        case subject = "tls_client_auth_subject_dn"
        /// An alternative name that is a host.
        case dns = "tls_client_auth_san_dns"
        /// An alternative name that is a URI.
        case uri = "tls_client_auth_san_uri"
        /// An alternative name that is an IP address.
        case ip = "tls_client_auth_san_ip"
        /// An alternative name that is an email address.
        case email = "tls_client_auth_san_email"
    }

    /// The kind of the name.
    public let kind: Kind
    /// The name, as it is registered.
    public let text: String

    /// Creates a name; nil if it cannot be the name of a certificate.
    public init?(_ kind: Kind, _ text: String) {
        let isValid =
            switch kind {
            case .subject: DistinguishedName(text) != nil
            case .ip: IPAddress(text) != nil
            case .dns, .uri, .email:
                (1...1000).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            }
        guard isValid else { return nil }
        (self.kind, self.text) = (kind, text)
    }

    /// Returns whether a certificate has the name.
    func isName(of certificate: X509Certificate) -> Bool {
        switch kind {
        case .subject: DistinguishedName(text) == DistinguishedName(subjectOf: certificate)
        // The name is compared as a text: a wildcard is none here.
        case .dns: certificate.dnsNames.contains { $0.lowercasedASCII() == text.lowercasedASCII() }
        case .uri: certificate.uris.contains { $0.utf8.elementsEqual(text.utf8) }
        case .ip: certificate.addresses.contains { [4, 16].contains($0.count) && Self.address($0) == IPAddress(text) }
        case .email: certificate.emails.contains { $0.utf8.elementsEqual(text.utf8) }
        }
    }

    private static func address(_ bytes: [UInt8]) -> IPAddress { IPAddress(networkBytes: bytes) }
}

extension PresentedCertificate {
    /// Returns whether the certificate has a name, which only an authority can vouch for; false for malformed DER.
    package func has(_ name: CertificateName) -> Bool { parsed.map(name.isName) ?? false }

    /// The public key as SubjectPublicKeyInfo in PEM; nil for malformed DER.
    package var publicKeyPEM: String? { parsed.map { PEMBlock(label: "PUBLIC KEY", content: $0.publicKey).text } }

    private var parsed: X509Certificate? {
        do throws(DERError) { return try X509Certificate(der: der) } catch { return nil }
    }
}

extension ClientField {
    /// The names in a client's certificate, one of which it has (RFC 8705 §2.1.2).
    static let certificateNames = CertificateName.Kind.allCases.map { kind in
        ClientField(
            name: kind.rawValue,
            form: .text(
                read: { text, client throws(OAuthClient.WordError) in
                    guard client.certificateName == nil else {
                        throw OAuthClient.WordError(reason: "has more than one name of a certificate: keep one")
                    }
                    guard let name = CertificateName(kind, text) else {
                        throw OAuthClient.WordError(
                            reason: "has a '\(kind.rawValue)' that cannot be the name of a certificate")
                    }
                    client.certificateName = name
                }, write: { $0.certificateName?.kind == kind ? $0.certificateName?.text : nil })
        ).registrable()
    }
}
