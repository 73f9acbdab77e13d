// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// The validity of a server's certificate, for an operator's check.
package struct CertificateReport: Sendable, Hashable {
    /// The time from which the certificate and those behind it are valid.
    package let start: Date
    /// The time at which the first of them ends.
    package let end: Date
    /// Whether the certificate is for the host that was asked about.
    package let isForHost: Bool
}

extension Server.TLS {
    /// Loads certificate and key as a server does, and reports when and for whom they are valid.
    ///
    /// - Parameter host: A name or an IP address, the latter without brackets.
    /// - Throws: `ServerError.badCertificate`, also for a key that does not belong to the certificate, or `.tlsUnavailable`.
    package func report(forHost host: String) throws(ServerError) -> CertificateReport {
        let context = try TLSContext(self, offersHTTP2: false)
        guard let validity = context.validity else { throw .badCertificate("its dates cannot be read") }
        return CertificateReport(
            start: Date(timeIntervalSince1970: Double(validity.start)),
            end: Date(timeIntervalSince1970: Double(validity.end)), isForHost: context.isFor(host))
    }
}
