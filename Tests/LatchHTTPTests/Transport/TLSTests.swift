// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchProcess
import LatchTesting
import Testing

@testable import LatchHTTP

@Suite(
    .enabled(if: HTTP2Server.isInstalled, "needs nghttpd (package nghttp2-server) and openssl"),
    .timeLimit(.minutes(10)))
struct TLSTests {
    private func transport(trusting server: HTTP2Server) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = server.certificate
        return CurlTransport(configuration: configuration)
    }

    @Test func `HTTP/2 over TLS is used if the server offers it`() async throws {
        let server = try await HTTP2Server(files: ["hello.txt": "hello"])
        let transport = transport(trusting: server)
        for _ in 0..<3 {
            let response = try await transport.respond(to: server.request(.get, "/hello.txt"))
            expectEqual(response.status, .ok)
            expectEqual(response.body.text, "hello")
            // nghttpd speaks nothing but HTTP/2.
            expectEqual(response.fields["server"]?.hasPrefix("nghttpd"), true)
        }
    }

    @Test func `HTTP/2 over TLS carries many requests at once on one connection`() async throws {
        let server = try await HTTP2Server(files: ["hello.txt": "hello"])
        let transport = transport(trusting: server)
        try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<80 {
                group.addTask { try await transport.respond(to: server.request(.get, "/hello.txt")).body.text }
            }
            for try await text in group { expectEqual(text, "hello") }
        }
        // What begins together shares the connection only where libcurl knows when to wait for it.
        #expect(await server.connectionsInAll() == 1 || !CurlLoop.sharesUnansweredConnections)
    }

    @Test func `HTTP/2 over TLS carries content and its answer`() async throws {
        let server = try await HTTP2Server(files: [:])
        let content = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        let request = server.request(.post, "/echo", body: HTTPBody(content))
        let response = try await transport(trusting: server).respond(to: request)
        expectEqual(response.body.bytes, content)
    }

    @Test func `HTTP/2 over TLS from a server with an untrusted certificate is refused`() async throws {
        let server = try await HTTP2Server(files: ["hello.txt": "hello"])
        let error = await #expect(throws: HTTPError.self) {
            try await CurlTransport().respond(to: server.request(.get, "/hello.txt?token=secret"))
        }
        expectEqual(error?.code, HTTPError.tls.code)
        expectEqual(error?.isConnectivity, false)
        expectEqual(error?.description.contains("secret"), false)
        expectEqual(error?.message.contains("self-signed certificate"), true, "\(error?.message ?? "")")
    }

    @Test func `HTTP/2 over TLS from a server with a certificate for another name is refused`() async throws {
        let server = try await HTTP2Server(files: [:])
        var request = server.request(.get, "/")
        request.authority = "localhost:\(server.port)"
        let transport = transport(trusting: server)
        let error = await #expect(throws: HTTPError.self) { try await transport.respond(to: request) }
        expectEqual(error?.code, HTTPError.tls.code)
        #expect(error?.message.contains("name") == true && error?.message.contains("localhost") == true)
    }

    @Test
    func `HTTP/2 over TLS with a file of authorities is refused if only the system's folder has the authority`()
        async throws
    {
        let server = try await HTTP2Server(files: ["hello.txt": "hello"])
        let other = try await HTTP2Server(files: [:])
        let folder = FileManager.default.temporaryDirectory.appending(path: "latch-ca-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
        // OpenSSL finds an authority in a folder by the hash of its name (X509_LOOKUP_hash_dir).
        let hash = try await ChildProcess.run(
            try #require(HTTP2Server.openssl), ["x509", "-hash", "-noout", "-in", server.certificate])
        let name = String(decoding: hash.output, as: UTF8.self).filter(\.isHexDigit) + ".0"
        try FileManager.default.copyItem(atPath: server.certificate, toPath: folder.appending(path: name).path)
        var configuration = CurlTransport.Configuration()
        configuration.systemAuthorityFolder = folder.path
        let request = server.request(.get, "/hello.txt")
        try await expectEqual(CurlTransport(configuration: configuration).respond(to: request).body.text, "hello")
        configuration.certificateAuthorityFile = other.certificate
        let error = await #expect(throws: HTTPError.self) {
            try await CurlTransport(configuration: configuration).respond(to: request)
        }
        expectEqual(error?.code, HTTPError.tls.code)
    }

    @Test func `HTTP/2 over TLS with a file of authorities that does not exist is refused`() async throws {
        let server = try await HTTP2Server(files: [:])
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = "/nonexistent.pem"
        let error = await #expect(throws: HTTPError.self) {
            try await CurlTransport(configuration: configuration).respond(to: server.request(.get, "/"))
        }
        expectEqual(error?.code, HTTPError.tls.code)
    }
}
