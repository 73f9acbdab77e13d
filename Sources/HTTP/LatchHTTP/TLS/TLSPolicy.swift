// SPDX-License-Identifier: Apache-2.0

/// What a transport asks of an encrypted connection, beside a certificate that an authority vouches for.
public struct TLSPolicy: Sendable {
    /// A version of TLS.
    public enum Version: Sendable, Comparable {
        /// RFC 5246.
        case tls12
        /// RFC 8446.
        case tls13
    }

    /// The oldest version that is spoken; what is older than TLS 1.2 is not to be used (RFC 8996).
    public var minimumVersion: Version = .tls12
    /// The keys that hosts may show; for a host that none of them is for, the authorities decide alone.
    ///
    /// Of several that are for a host, the narrowest counts.
    public var pins: [PublicKeyPins] = []
    /// The certificates that hosts are shown, of several for one host the narrowest.
    public var clientCertificates: [ClientCertificate] = []

    /// TLS 1.2 or later, no pins, no certificate of our own.
    public init() {}

    /// Whether there is something that depends on the host.
    package var isPerHost: Bool { !pins.isEmpty || !clientCertificates.isEmpty }

    /// The keys that a host may show; nil where they are not pinned.
    package func pins(for host: String) -> PublicKeyPins? {
        pins.filter { $0.hosts.matches(host) }.max { $0.hosts.rank < $1.hosts.rank }
    }

    /// What a host is shown where it asks; nil where it is to learn nothing.
    package func clientCertificate(for host: String) -> ClientCertificate? {
        clientCertificates
            .flatMap { certificate in certificate.hosts.map { (hosts: $0, certificate: certificate) } }
            .filter { $0.hosts.matches(host) }
            .max { $0.hosts.rank < $1.hosts.rank }?
            .certificate
    }
}
