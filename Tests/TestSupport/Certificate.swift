// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess
public import LatchServer

/// A certificate for 127.0.0.1 and localhost, created by the openssl command in a temporary folder.
public final class Certificate: Sendable {
    private let folder: URL

    /// Creates a self-signed certificate, or one of a certificate authority of its own.
    public init(ofAuthority hasAuthority: Bool = false) async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "latch-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let new = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        var signing: [String] = []
        if hasAuthority {
            signing = [
                "-CA", authorityPath, "-CAkey", path("authority-key.pem"), "-addext", "basicConstraints=CA:FALSE",
            ]
            try await Self.openssl(
                new + ["-subj", "/CN=A test authority", "-keyout", path("authority-key.pem"), "-out", authorityPath])
        }
        try await Self.openssl(
            new + signing + [
                "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
                "-keyout", keyPath, "-out", certificatePath,
            ])
    }

    deinit {
        do { try FileManager.default.removeItem(at: folder) } catch { print("left behind: \(folder.path)") }
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    public var certificatePath: String { path("cert.pem") }
    public var keyPath: String { path("key.pem") }
    /// The certificate of the authority, if there is one.
    public var authorityPath: String { path("authority.pem") }

    /// Returns the certificate and its key for a server.
    public func tls(asking clients: Server.ClientCertificates = .ignored) throws -> Server.TLS {
        Server.TLS(
            certificate: try Self.bytes(certificatePath), key: try Self.bytes(keyPath), clientCertificates: clients)
    }

    public static func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }

    /// Runs the openssl command and returns its output.
    @discardableResult
    public static func openssl(_ arguments: [String]) async throws -> String {
        let (ending, output) = try await ChildProcess.run("/usr/bin/env", ["openssl"] + arguments)
        guard ending == .exited(0) else { throw CocoaError(.executableLoad) }
        return String(decoding: output, as: UTF8.self)
    }
}
