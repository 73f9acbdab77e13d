// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import Foundation
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct SessionTicketTests {
    static let ok = ClosureHandler { _ in HTTPResponse(status: .ok) }
    static let versions = ["-tls1_2", "-tls1_3"]
    private let uptime = ManualUptime()

    /// Serves with a clock that the test advances; the body gets a client and a path for a session.
    private func withClient(
        _ certificate: Certificate? = nil, _ body: (SecureClient, _ session: String, Server) async throws -> Void
    ) async throws {
        let known: Certificate = if let certificate { certificate } else { try await Certificate() }
        var configuration = Server.Configuration.kept(by: uptime)
        configuration.tls = try known.tls()
        let server = Server(handler: Self.ok, configuration: configuration)
        let address = try await server.start()
        let file = FileManager.default.temporaryDirectory.appending(path: "latch-session-\(UUID().uuidString)")
        do {
            try await body(SecureClient(address: address, certificate: known), file.path, server)
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
        if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
    }

    /// Makes a request with a session that was kept; returns whether it was resumed.
    private func isResumed(_ session: String, by client: SecureClient, _ version: String) async throws -> Bool {
        let text = try await client.request([version, "-sess_in", session])
        #expect(text.contains("HTTP/1.1 200"), "\(text)")
        expectNotEqual(text.contains("Reused, TLS"), text.contains("New, TLS"))
        return text.contains("Reused, TLS")
    }

    /// Makes a request and keeps its session.
    private func begin(_ session: String, by client: SecureClient, _ version: String) async throws {
        let text = try await client.request([version, "-sess_out", session])
        try #require(text.contains("New, TLS"))
    }

    @Test(arguments: versions)
    func `A ticket of a TLS session resumes it until the key has been replaced twice`(version: String) async throws {
        try await withClient { client, session, _ in
            try await begin(session, by: client, version)
            #expect(try await isResumed(session, by: client, version))
            uptime.advance(bySeconds: 3601)
            #expect(try await isResumed(session, by: client, version), "the last key still decrypts")
            uptime.advance(bySeconds: 3598)
            #expect(try await isResumed(session, by: client, version))
            uptime.advance(bySeconds: 3)
            try await expectEqual(isResumed(session, by: client, version), false)
        }
    }

    @Test(arguments: versions)
    func `A ticket of a TLS session is worth nothing after two hours without a client`(version: String)
        async throws
    {
        try await withClient { client, session, _ in
            try await begin(session, by: client, version)
            uptime.advance(bySeconds: 7201)
            try await expectEqual(isResumed(session, by: client, version), false)
        }
    }

    @Test func `A ticket of a TLS session names its key, which is replaced after an hour`() async throws {
        try await withClient { client, _, _ in
            var names: [Substring] = []
            for seconds in [0, 3599, 2] {
                uptime.advance(bySeconds: seconds)
                let lines = try await client.request(["-tls1_2"]).split(separator: "\n")
                names.append(try #require(lines.first { $0.hasPrefix("    0000 - ") }).prefix(58))
            }
            expectEqual(names[0], names[1])
            expectNotEqual(names[1], names[2])
        }
    }

    @Test(arguments: versions)
    func `A ticket of a TLS session of another node, or of an old certificate, causes a whole handshake`(
        version: String
    ) async throws {
        let certificate = try await Certificate()
        try await withClient(certificate) { client, session, server in
            try await begin(session, by: client, version)
            try await withClient(certificate) { other, _, _ in
                let isReused = try await isResumed(session, by: other, version)
                #expect(!isReused)
            }
            try server.replaceCertificate(try certificate.tls())
            try await expectEqual(isResumed(session, by: client, version), false)
        }
    }
}

#endif
