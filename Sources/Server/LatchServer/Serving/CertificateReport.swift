// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// The validity of a server's certificate, for an operator's check.
package struct CertificateReport: Sendable, Hashable {
    /// The time from which the certificate and its chain are valid.
    package let start: Date
    /// The earliest time at which one of them expires.
    package let end: Date
    /// Whether the certificate is for the given host.
    package let isForHost: Bool
}

extension Server.TLS {
    /// Loads certificate and key as a server does, and reports their validity.
    ///
    /// - Parameter host: A name or an IP address, without brackets.
    /// - Throws: `ServerError.badCertificate`, also for a key that does not belong to the certificate, or
    ///   `.tlsUnavailable`.
    package func report(forHost host: String) throws(ServerError) -> CertificateReport {
        let context = try TLSContext(self, offersHTTP2: false)
        guard let validity = context.validity else { throw .badCertificate("its dates cannot be read") }
        return CertificateReport(
            start: Date(timeIntervalSince1970: Double(validity.start)),
            end: Date(timeIntervalSince1970: Double(validity.end)), isForHost: context.isFor(host))
    }
}
