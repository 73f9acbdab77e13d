// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import LatchServer
import Testing

/// An authority, and a server's and a client's certificates for which it vouches, made by the openssl command.
final class TestKeys: Sendable {
    static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    let folder: String

    init() async throws {
        let place = FileManager.default.temporaryDirectory.appending(path: "latch-keys-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        folder = place.path
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try await openssl(
            ["req", "-x509"] + key + ["-days", "2", "-subj", "/CN=authority"]
                + ["-addext", "basicConstraints=critical,CA:TRUE"]
                + ["-keyout", path("authority.key"), "-out", path("authority.pem")])
        for name in ["server", "client"] {
            try await openssl(
                ["req"] + key + ["-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
                    + ["-keyout", path(name + ".key"), "-out", path(name + ".csr")])
            try await openssl([
                "x509", "-req", "-in", path(name + ".csr"), "-copy_extensions", "copyall", "-days", "2",
                "-CA", path("authority.pem"), "-CAkey", path("authority.key"), "-CAcreateserial",
                "-out", path(name + ".pem"),
            ])
        }
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: folder) } catch { print("left behind: \(folder)") }
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path(name)))) }

    /// A transport that trusts the authority, and shows the client's certificate or none.
    func transport(showingCertificate: Bool = false) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = path("authority.pem")
        if showingCertificate {
            configuration.tls.clientCertificates = [
                try ClientCertificate(pemFile: path("client.pem"), keyFile: path("client.key"), for: "127.0.0.1")
            ]
        }
        return CurlTransport(configuration: configuration)
    }

    /// The TLS files of our own server.
    func tls() throws -> Server.TLS { Server.TLS(certificate: try bytes("server.pem"), key: try bytes("server.key")) }

    private func openssl(_ arguments: [String]) async throws {
        let (ending, _) = try await ChildProcess.run("/usr/bin/openssl", arguments)
        try #require(ending == .exited(0))
    }
}
