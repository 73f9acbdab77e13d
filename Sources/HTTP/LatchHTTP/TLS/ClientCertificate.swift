// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// A client certificate and the hosts that may receive it.
///
/// The client presents it when such a host requests a certificate in the handshake. Other hosts, including targets of
/// redirects, never see it.
public struct ClientCertificate: Sendable, CustomStringConvertible, CustomReflectable {
    /// The container formats of certificates and keys.
    package enum Content: Sendable {
        /// PEM (RFC 7468): the certificate with its chain, and the private key.
        case pem(certificate: [UInt8], key: [UInt8])
        /// PKCS#12 (RFC 7292).
        case pkcs12([UInt8])

        fileprivate static func checked(certificate: [UInt8], key: [UInt8]) throws(HTTPError) -> Content {
            guard certificate.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
                throw .invalidTLSPolicy("the client certificate contains no PEM certificate")
            }
            guard key.firstRange(of: Array("PRIVATE KEY-----".utf8)) != nil else {
                throw .invalidTLSPolicy("there is no PEM private key for the client certificate")
            }
            return .pem(certificate: certificate, key: key)
        }
    }

    /// The hosts that may receive the certificate.
    package let hosts: [HostPattern]
    package let content: Content
    package let passphrase: String?

    /// Creates a client certificate from a chain and a key in PEM, which may be in the same text.
    ///
    /// - Parameters:
    ///   - certificate: The PEM text with the certificate and its chain.
    ///   - key: The PEM text with the private key.
    ///   - passphrase: The passphrase of the key; nil if the key is not encrypted.
    ///   - hosts: The host patterns; at least one.
    /// - Throws: `HTTPError.invalidTLSPolicy`. The first request throws it if the key cannot be decrypted or does not
    ///   match the certificate.
    public init(
        pem certificate: [UInt8], key: [UInt8], passphrase: String? = nil, for hosts: String...
    ) throws(HTTPError) {
        try self.init(try .checked(certificate: certificate, key: key), passphrase: passphrase, for: hosts)
    }

    /// Creates a client certificate from a PKCS#12 container (`.p12`, `.pfx`).
    ///
    /// - Throws: `HTTPError.invalidTLSPolicy`. The first request throws it if the passphrase is wrong.
    public init(pkcs12: [UInt8], passphrase: String, for hosts: String...) throws(HTTPError) {
        try self.init(.pkcs12(pkcs12), passphrase: passphrase, for: hosts)
    }

    /// Creates a client certificate from PEM files, which are read immediately.
    ///
    /// - Parameters:
    ///   - pemFile: The path of the file with the certificate and its chain.
    ///   - keyFile: The path of the key's file; nil if the key is in the certificate's file.
    ///   - passphrase: The passphrase of the key; nil if the key is not encrypted.
    ///   - hosts: The host patterns; at least one.
    /// - Throws: `HTTPError.fileUnavailable` and `HTTPError.invalidTLSPolicy`.
    public init(
        pemFile: String, keyFile: String? = nil, passphrase: String? = nil, for hosts: String...
    ) throws(HTTPError) {
        let content = try Content.checked(
            certificate: try Self.bytes(of: pemFile), key: try Self.bytes(of: keyFile ?? pemFile))
        try self.init(content, passphrase: passphrase, for: hosts)
    }

    /// Creates a client certificate from a PKCS#12 file, which is read immediately.
    ///
    /// - Throws: `HTTPError.fileUnavailable` and `HTTPError.invalidTLSPolicy`.
    public init(pkcs12File: String, passphrase: String, for hosts: String...) throws(HTTPError) {
        try self.init(.pkcs12(try Self.bytes(of: pkcs12File)), passphrase: passphrase, for: hosts)
    }

    private init(_ content: Content, passphrase: String?, for hosts: [String]) throws(HTTPError) {
        guard !hosts.isEmpty else { throw .invalidTLSPolicy("a client certificate has no host") }
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

    /// The hosts, without the key material.
    public var description: String {
        "ClientCertificate(for: \(hosts.map(\.description).joined(separator: ", ")))"
    }

    /// A mirror with nothing but the hosts.
    public var customMirror: Mirror { Mirror(self, children: ["hosts": hosts]) }

    private static func bytes(of path: String) throws(HTTPError) -> [UInt8] {
        do throws(FileError) {
            guard let bytes = try AtomicFile(path).read() else { throw FileError("open", path, number: 2) }
            return bytes
        } catch {
            throw .fileUnavailable("The client certificate could not be read: \(error).")
        }
    }
}
