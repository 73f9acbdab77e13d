// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// The certificate that the client of a request has proved to have.
///
/// Any client can make a certificate. So a handler compares it with a known one, or lets ``CertificateAuthorities``
/// verify it.
public struct PresentedCertificate: Sendable, Hashable, CustomStringConvertible {
    /// The certificate in DER (RFC 5280 §4.1).
    public let der: [UInt8]
    /// The certificates between it and its authority, as the client has sent them.
    public let chain: [[UInt8]]

    /// Creates a certificate.
    public init(der: [UInt8], chain: [[UInt8]] = []) {
        self.der = der
        self.chain = chain
    }

    /// A description without the names in the certificate.
    public var description: String { "PresentedCertificate(\(der.count) bytes)" }
}

extension HTTPRequest {
    /// The certificate that the client has proved to have; nil if it showed none, or was not asked.
    ///
    /// It comes from the server's own TLS (``Server/ClientCertificates``). For a request of a trusted proxy it comes
    /// from the proxy's field (``TrustedProxies/certificateField``), and never from the proxy's connection.
    public var clientCertificate: PresentedCertificate? { context[ClientCertificateKey.self] }
}

/// The context key of the certificate of a request's client.
package enum ClientCertificateKey: HTTPContextKey {
    package static var defaultValue: PresentedCertificate? { nil }
}

/// The context key that says whether the handshake of a request's connection asked for a certificate.
enum CertificateRequested: HTTPContextKey {
    static var defaultValue: Bool { false }
}

/// A filter that refuses the requests which came on a connection whose client was not asked for a certificate.
///
/// A client may send them on its connection to another host with the same certificate and address (RFC 9113 §9.1.1).
/// After 421 it may open a separate connection (RFC 9113 §9.1.2).
struct MisdirectedRequestFilter: Filter {
    /// The host in lower case whose clients are asked.
    let host: String

    func filter(_ request: inout HTTPRequest) -> Filtering<Void> {
        // The connection of a proxy says nothing about the one of its client.
        guard !request.context[CertificateRequested.self], request.context[ProxyAddress.self] == nil,
            HTTPOrigin(scheme: request.scheme, authority: request.authority).host == host
        else { return .proceed(()) }
        return .respond(
            .problem(
                status: 421, code: "misdirected_request",
                detail: "This connection was opened for another host: open one for \(host)."))
    }
}
