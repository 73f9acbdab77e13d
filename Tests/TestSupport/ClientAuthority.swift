// SPDX-License-Identifier: Apache-2.0

import Foundation
public import LatchHTTP

/// A certificate authority for clients, and clients with certificates, created by the openssl command.
public final class ClientAuthority: Sendable {
    private let folder: URL

    /// A client's certificate with its key.
    public struct Client: Sendable {
        public let certificatePath, keyPath: String
        /// The certificate in DER.
        public let der: [UInt8]

        /// The certificate for our own transport.
        public func credential(for host: String) throws -> ClientCertificate {
            try ClientCertificate(pemFile: certificatePath, keyFile: keyPath, for: host)
        }
    }

    public init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-clients-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try await Certificate.openssl(
            ["req", "-x509"] + Self.key + [
                "-days", "2", "-subj", "/CN=Authority \(UUID().uuidString)", "-addext",
                "basicConstraints=critical,CA:TRUE",
                "-keyout", path("authority.key"), "-out", authorityPath,
            ])
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The certificate of the authority in PEM.
    public var authorityPath: String { path("authority.pem") }

    public func authority() throws -> [UInt8] { try Certificate.bytes(authorityPath) }

    /// Makes a client with a certificate of the authority.
    ///
    /// - Parameters:
    ///   - names: The value of the extension subjectAltName; nil for none.
    ///   - oid: The object identifier of an attribute `odd` that the subject may have, and of an extension; nil for none.
    ///   - days: The number of days until it expires; negative for one that has expired.
    public func client(
        subject: String = "/C=DE/O=Example/CN=notes", names: String? = nil, oid: String? = nil, days: Int = 2
    ) async throws -> Client {
        let name = UUID().uuidString
        var options = ["-subj", subject, "-keyout", path(name + ".key"), "-out", path(name + ".csr")]
        if let names { options += ["-addext", "subjectAltName=\(names)"] }
        if let oid {
            let configuration = "oid_section = oids\n[oids]\nodd = \(oid)\n[req]\ndistinguished_name = dn\n[dn]\n"
            try Data(configuration.utf8).write(to: URL(filePath: path(name + ".cnf")))
            options += ["-config", path(name + ".cnf"), "-addext", "\(oid)=ASN1:UTF8String:x"]
        }
        try await Certificate.openssl(["req", "-new", "-utf8"] + Self.key + options)
        try await Certificate.openssl([
            "x509", "-req", "-in", path(name + ".csr"), "-CA", authorityPath, "-CAkey", path("authority.key"),
            "-copy_extensions", "copy", "-days", "\(days)", "-out", path(name + ".pem"),
        ])
        return try client(named: name)
    }

    /// Makes a client with a certificate for which only the client itself vouches.
    public func stranger(subject: String = "/C=DE/O=Example/CN=notes") async throws -> Client {
        let name = UUID().uuidString
        try await Certificate.openssl(
            ["req", "-x509", "-utf8"] + Self.key + [
                "-days", "2", "-subj", subject, "-keyout", path(name + ".key"), "-out", path(name + ".pem"),
            ])
        return try client(named: name)
    }

    private func client(named name: String) throws -> Client {
        let lines = String(decoding: try Certificate.bytes(path(name + ".pem")), as: UTF8.self).split(separator: "\n")
        let der = Data(base64Encoded: lines.filter { !$0.hasPrefix("-") }.joined()) ?? Data()
        return Client(certificatePath: path(name + ".pem"), keyPath: path(name + ".key"), der: Array(der))
    }
}
