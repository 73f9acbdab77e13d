// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A certificate by which this client shows who it is, for the hosts that may know that.
///
/// A server asks for it in the handshake; the others, also those that a redirect leads to, learn nothing of it.
public struct ClientCertificate: Sendable, CustomStringConvertible, CustomReflectable {
    /// The two containers in which certificates and keys are handed out.
    package enum Content: Sendable {
        /// RFC 7468: the certificate with its chain, and the private key.
        case pem(certificate: [UInt8], key: [UInt8])
        /// RFC 7292.
        case pkcs12([UInt8])

        fileprivate static func checked(certificate: [UInt8], key: [UInt8]) throws(HTTPError) -> Content {
            guard certificate.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
                throw .invalidTLSPolicy("there is no PEM certificate in the client certificate")
            }
            guard key.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil else {
                throw .invalidTLSPolicy("there is no PEM private key for the client certificate")
            }
            return .pem(certificate: certificate, key: key)
        }
    }

    /// The hosts that it is shown to.
    public let hosts: [HostPattern]
    package let content: Content
    package let passphrase: String?

    /// A certificate with its chain and its key, both in PEM; they may stand in the same text.
    ///
    /// - Parameters:
    ///   - passphrase: Of the key.
    ///   - hosts: See `HostPattern`; at least one.
    /// - Throws: `HTTPError.invalidTLSPolicy`. Whether the key opens and belongs to the certificate shows at the first
    ///   request, which throws the same.
    public init(
        pem certificate: [UInt8], key: [UInt8], passphrase: String? = nil, for hosts: String...
    ) throws(HTTPError) {
        try self.init(try .checked(certificate: certificate, key: key), passphrase: passphrase, for: hosts)
    }

    /// A certificate and its key in one PKCS#12 container (`.p12`, `.pfx`).
    ///
    /// - Throws: `HTTPError.invalidTLSPolicy`, for a wrong passphrase at the first request.
    public init(pkcs12: [UInt8], passphrase: String, for hosts: String...) throws(HTTPError) {
        try self.init(.pkcs12(pkcs12), passphrase: passphrase, for: hosts)
    }

    /// A certificate in PEM, read from files now.
    ///
    /// - Parameter keyFile: Where the key stands; nil where it is in the certificate's file.
    /// - Throws: `HTTPError.fileUnavailable` and `HTTPError.invalidTLSPolicy`.
    public init(
        pemFile: String, keyFile: String? = nil, passphrase: String? = nil, for hosts: String...
    ) throws(HTTPError) {
        let content = try Content.checked(
            certificate: try Self.bytes(of: pemFile), key: try Self.bytes(of: keyFile ?? pemFile))
        try self.init(content, passphrase: passphrase, for: hosts)
    }

    /// A certificate in a PKCS#12 container, read from a file now.
    ///
    /// - Throws: `HTTPError.fileUnavailable` and `HTTPError.invalidTLSPolicy`.
    public init(pkcs12File: String, passphrase: String, for hosts: String...) throws(HTTPError) {
        try self.init(.pkcs12(try Self.bytes(of: pkcs12File)), passphrase: passphrase, for: hosts)
    }

    private init(_ content: Content, passphrase: String?, for hosts: [String]) throws(HTTPError) {
        guard !hosts.isEmpty else { throw .invalidTLSPolicy("a client certificate is for no host") }
        if case .pkcs12(let bytes) = content, bytes.isEmpty {
            throw .invalidTLSPolicy("the client certificate is empty")
        }
        if let passphrase, passphrase.utf8.contains(0) {
            throw .invalidTLSPolicy("the passphrase of the client certificate holds a NUL")
        }
        var patterns: [HostPattern] = []
        for host in hosts { patterns.append(try HostPattern(host)) }
        self.hosts = patterns
        self.content = content
        self.passphrase = passphrase
    }

    /// The hosts, and nothing of what is to stay secret.
    public var description: String {
        "ClientCertificate(for: \(hosts.map(\.description).joined(separator: ", ")))"
    }

    /// Shows no more than `description`.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": hosts]) }

    private static func bytes(of path: String) throws(HTTPError) -> [UInt8] {
        do throws(FileFailure) {
            guard let bytes = try AtomicFile(path).read() else { throw FileFailure("open", path, number: 2) }
            return bytes
        } catch {
            throw .fileUnavailable("The client certificate could not be read: \(error).")
        }
    }
}
