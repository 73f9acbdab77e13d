// SPDX-License-Identifier: Apache-2.0

/// The requirements of a TLS connection in addition to a valid certificate.
public struct TLSPolicy: Sendable {
    /// A version of TLS.
    public enum Version: Sendable, Comparable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// The minimum version; versions before TLS 1.2 must not be used (RFC 8996).
    public var minimumVersion: Version = .tls12
    /// The pins; a host without pins is validated by its certificate chain alone.
    ///
    /// Of several that match a host, the most specific one applies.
    public var pins: [PublicKeyPins] = []
    /// The client certificates; of several that match a host, the most specific one is presented.
    public var clientCertificates: [ClientCertificate] = []

    /// Creates a policy with TLS 1.2 or later, no pins and no client certificate.
    public init() {}

    /// Whether the policy depends on the host.
    package var isPerHost: Bool { !pins.isEmpty || !clientCertificates.isEmpty }

    /// Returns the pins of a host, or nil if it has none.
    package func pins(for host: String) -> PublicKeyPins? {
        pins.filter { $0.hosts.matches(host) }.max { $0.hosts.rank < $1.hosts.rank }
    }

    /// Returns the client certificate for a host, or nil if it has none.
    package func clientCertificate(for host: String) -> ClientCertificate? {
        clientCertificates
            .flatMap { certificate in certificate.hosts.map { (hosts: $0, certificate: certificate) } }
            .filter { $0.hosts.matches(host) }
            .max { $0.hosts.rank < $1.hosts.rank }?
            .certificate
    }
}
