// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchProcess
import LatchServer
import LatchTesting
import TestSupport
import Testing

/// Keys and certificates of a moment ago, made by the openssl command in a folder of their own.
struct TestIdentity {
    static let isPossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    let folder: String

    /// Makes a key and a certificate that vouches for itself: a server's for this machine, or an authority's.
    func makeCertificate(_ name: String, isAuthority: Bool = false) async throws {
        let extra =
            isAuthority
            ? ["-addext", "basicConstraints=critical,CA:TRUE"]
            : ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
        try await openssl(
            ["req", "-x509"] + Self.key + ["-days", "2", "-subj", "/CN=\(name)"] + extra
                + ["-keyout", path(name + ".key"), "-out", path(name + ".pem")])
    }

    /// Makes a key and a certificate for which another vouches.
    func makeCertificate(_ name: String, vouchedForBy authority: String) async throws {
        try await openssl(
            ["req"] + Self.key + ["-subj", "/CN=\(name)", "-keyout", path(name + ".key"), "-out", path(name + ".csr")])
        try await openssl([
            "x509", "-req", "-in", path(name + ".csr"), "-CA", path(authority + ".pem"), "-CAkey",
            path(authority + ".key"), "-CAcreateserial", "-days", "2", "-out", path(name + ".pem"),
        ])
    }

    /// The pin of a certificate's key.
    func pin(of name: String) async throws -> String {
        let script = """
            openssl x509 -in '\(path(name + ".pem"))' -pubkey -noout | openssl pkey -pubin -outform der |
                openssl dgst -sha256 -binary | openssl base64 -A
            """
        let (ending, output) = try await ChildProcess.run("/bin/sh", ["-c", script])
        try #require(ending == .exited(0))
        return String(decoding: output, as: UTF8.self)
    }

    func openssl(_ arguments: [String]) async throws {
        let (ending, _) = try await ChildProcess.run("/usr/bin/openssl", arguments)
        try #require(ending == .exited(0))
    }

    func path(_ name: String) -> String { folder + "/" + name }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path(name)))) }

    /// Serves "hello" with a certificate of the folder.
    func serving(_ name: String, _ body: (Server.Address) async throws -> Void) async throws {
        var configuration = Server.Configuration.patient
        configuration.tls = Server.TLS(certificate: try bytes(name + ".pem"), key: try bytes(name + ".key"))
        let hello = ClosureHandler { _ in HTTPResponse(status: .ok, body: HTTPBody("hello")) }
        try await TestSupport.serving(hello, configuration: configuration, body)
    }

    private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
}

/// `openssl s_server` on a free port, which answers each GET with a page about the connection.
final class DemandingServer: Sendable {
    let port: Int
    private let process: ChildProcess
    private let rest: Task<[UInt8], Never>

    /// Starts it with a certificate of the folder and further arguments.
    init(_ identity: TestIdentity, _ name: String, _ arguments: [String]) async throws {
        process = try ChildProcess.start(
            "/usr/bin/openssl",
            [
                "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", identity.path(name + ".pem"), "-key",
                identity.path(name + ".key"),
            ] + arguments)
        var port: Int?
        while port == nil, let line = await process.line() {
            if line.hasPrefix("ACCEPT") { port = line.split(separator: ":").last.flatMap { Int($0) } }
        }
        self.port = try #require(port)
        rest = Task { [process] in await process.rest() }
    }

    deinit { process.kill() }

    func request(host: String = "127.0.0.1") -> HTTPRequest {
        HTTPRequest(scheme: "https", authority: "\(host):\(port)", path: "/")
    }
}
