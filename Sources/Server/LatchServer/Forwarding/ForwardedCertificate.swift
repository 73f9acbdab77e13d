// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchHTTP

extension HTTPRequest {
    /// The maximum size of a field with a certificate.
    private static let largestCertificate = 16 << 10

    /// Returns the certificate (DER) that the client has proved to a trusted proxy; nil if the request has none.
    ///
    /// ```swift no-check
    /// let resource = try ProtectedResource(
    ///     url: url, authorizationServers: [issuer], clientCertificate: { $0.forwardedClientCertificate() })
    /// ```
    ///
    /// The field counts only if the server's configuration trusts the proxy (``TrustedProxies``), and only if it occurs
    /// once. The proxy must remove the field from the requests of clients (RFC 9440 §4).
    ///
    /// - Parameter field: The name of the field. Its value is a byte sequence (RFC 9440 §2.2), or a percent-encoded
    ///   certificate in PEM, as `$ssl_client_escaped_cert` of nginx.
    public func forwardedClientCertificate(in field: HTTPFieldName = "Client-Cert") -> [UInt8]? {
        let values = fields.values(of: field)
        guard context[ProxyAddress.self] != nil, values.count == 1, let value = values.first,
            value.utf8.count <= Self.largestCertificate
        else { return nil }
        let certificate = value.utf8.first == UInt8(ascii: ":") ? Self.byteSequence(value) : Self.pem(value)
        return certificate?.isEmpty == false ? certificate : nil
    }

    private static func byteSequence(_ value: String) -> [UInt8]? {
        do { return try StructuredItem(parsing: value).value.bytesValue } catch { return nil }
    }

    /// Decodes the only certificate of a text in PEM (RFC 7468 §5).
    private static func pem(_ value: String) -> [UInt8]? {
        let text = PercentEncoding.decode(value.utf8, plusIsSpace: false)
        let (begin, end) = (Array("-----BEGIN CERTIFICATE-----".utf8), Array("-----END CERTIFICATE-----".utf8))
        guard let first = text.firstRange(of: begin), let last = text.firstRange(of: end),
            first.upperBound <= last.lowerBound, text[last.upperBound...].firstRange(of: begin) == nil
        else { return nil }
        let content = text[first.upperBound..<last.lowerBound].filter { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        return Base64Alphabet.standard.decode(content.prefix { $0 != UInt8(ascii: "=") })
    }
}
