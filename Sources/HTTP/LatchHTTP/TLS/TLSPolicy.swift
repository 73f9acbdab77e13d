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
    /// The pins; a host without pins is validated only by its certificate chain.
    ///
    /// If several match a host, the most specific one applies.
    public var pins: [PublicKeyPins] = []
    /// The client certificates; if several match a host, the most specific one is presented.
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
        clientCertificateIndex(for: host).map { clientCertificates[$0] }
    }

    /// Returns the index of the client certificate for a host, or nil if it has none.
    package func clientCertificateIndex(for host: String) -> Int? {
        clientCertificates.enumerated()
            .flatMap { index, certificate in certificate.hosts.map { (hosts: $0, index: index) } }
            .filter { $0.hosts.matches(host) }
            .max { $0.hosts.rank < $1.hosts.rank }?
            .index
    }

    /// Returns the requirements of the connections to a host.
    package func requirements(for host: String) -> TLSRequirements {
        TLSRequirements(pins: pins(for: host), certificate: clientCertificateIndex(for: host))
    }
}

/// The requirements of a connection beyond a valid certificate.
///
/// A connection may serve only hosts with equal requirements. HTTP/2 allows a client to use a connection for every name
/// in the server's certificate (RFC 9113 §9.1.1). The pins of such a host would then never be compared.
package struct TLSRequirements: Sendable, Hashable {
    /// The pins, if there are any.
    package let pins: PublicKeyPins?
    /// The index of the client certificate in the policy, if there is one.
    package let certificate: Int?
}
