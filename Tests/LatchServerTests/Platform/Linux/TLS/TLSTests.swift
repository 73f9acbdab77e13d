// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import Foundation
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct TLSTests {
    static let echo = ClosureHandler { request in
        HTTPResponse(status: .ok, fields: ["X-Scheme": request.scheme], body: request.body)
    }

    static func serving<Result: Sendable>(
        _ handler: any Handler = echo, _ body: (Server.Address, CurlTransport, Certificate) async throws -> Result
    ) async throws -> Result {
        let certificate = try await Certificate()
        var configuration = Server.Configuration.patient
        configuration.tls = try certificate.tls()
        configuration.maximumBodyBytes = 8 << 20
        var trusting = CurlTransport.Configuration()
        trusting.certificateAuthorityFile = certificate.certificatePath
        let transport = CurlTransport(configuration: trusting)
        return try await TestSupport.serving(handler, configuration: configuration) { address in
            try await body(address, transport, certificate)
        }
    }

    static func request(_ address: Server.Address, _ body: [UInt8] = []) throws -> HTTPRequest {
        HTTPRequest(
            method: .post, scheme: "https", authority: address.authority, path: "/", body: HTTPBody(body))
    }

    @Test
    func `A server with a certificate is trusted by a client that trusts the certificate, and by no other`()
        async throws
    {
        try await Self.serving { address, transport, _ in
            #expect(address.url.hasPrefix("https://127.0.0.1:"))
            let response = try await transport.respond(to: Self.request(address, Array("hello".utf8)))
            expectEqual(response.status, .ok)
            expectEqual(response.body.text, "hello")
            expectEqual(response.fields["X-Scheme"], "https")
            let error = await #expect(throws: HTTPError.self) {
                try await CurlTransport().respond(to: Self.request(address))
            }
            expectEqual(error?.code, HTTPError.tls.code)
        }
    }

    @Test func `A server with a certificate carries long content both ways, many times at once`() async throws {
        let bytes = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
        try await Self.serving { address, transport, _ in
            try await withThrowingTaskGroup { group in
                for _ in 0..<8 {
                    group.addTask { try await transport.respond(to: Self.request(address, bytes)).body.bytes == bytes }
                }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }

    @Test
    func `A server with a certificate speaks HTTP/2 with our own client, and HTTP/1.1 if configured`() async throws {
        let certificate = try await Certificate()
        let (entries, entry) = AsyncStream<AccessLogEntry>.makeStream()
        let logged = Self.echo.intercepted(by: [AccessLogInterceptor { entry.yield($0) }])
        var seen = entries.makeAsyncIterator()
        for (isSupported, version) in [(true, "HTTP/2"), (false, "HTTP/1.1")] {
            var configuration = Server.Configuration.patient
            configuration.tls = try certificate.tls()
            configuration.supportsHTTP2 = isSupported
            var trusting = CurlTransport.Configuration()
            trusting.certificateAuthorityFile = certificate.certificatePath
            let transport = CurlTransport(configuration: trusting)
            try await TestSupport.serving(logged, configuration: configuration) { address in
                let response = try await transport.respond(to: Self.request(address))
                expectEqual(response.status, .ok)
            }
            await expectEqual(seen.next()?.protocolVersion, version)
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `A server with a certificate speaks TLS 1.2 and 1.3`(version: String) async throws {
        try await Self.serving { address, _, certificate in
            let text = try await Certificate.openssl([
                "s_client", version, "-connect", "127.0.0.1:\(address.port)", "-CAfile", certificate.certificatePath,
                "-verify_return_error",
            ])
            #expect(text.contains("Verify return code: 0 (ok)"))
        }
    }

    @Test func `A server with a certificate does not speak TLS 1.1`() async throws {
        try await Self.serving { address, transport, _ in
            await #expect(throws: (any Error).self) {
                try await Certificate.openssl([
                    "s_client", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-connect", "127.0.0.1:\(address.port)",
                ])
            }
            let after = try await transport.respond(to: Self.request(address))
            expectEqual(after.status, .ok)
        }
    }

    @Test
    func `A server with a certificate closes a connection that does not speak TLS, and keeps serving`() async throws {
        try await Self.serving { address, transport, _ in
            let plain = try RawClient(port: address.port)
            await plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            // golang/go#23689: a client that speaks plain HTTP understands no alert.
            let answers = await plain.receiveResponses()
            expectEqual(answers.map(\.status.rawValue), [400])
            expectEqual(answers.first?.body.text, "This port speaks https, not http.")
            let noise = try RawClient(port: address.port)
            await noise.send("hello\r\n")
            #expect(await noise.receiveResponses().isEmpty)
            let leaver = try RawClient(port: address.port)
            leaver.reset()
            let after = try await transport.respond(to: Self.request(address))
            expectEqual(after.status, .ok)
        }
    }

    @Test func `A server with a certificate limits a handshake like a head`() async throws {
        let certificate = try await Certificate()
        var configuration = Server.Configuration.patient
        configuration.tls = try certificate.tls()
        configuration.headDeadline = .milliseconds(150)
        try await TestSupport.serving(Self.echo, configuration: configuration) { address in
            let silent = try RawClient(port: address.port)
            await silent.send([0x16, 0x03, 0x01])
            #expect(await silent.receiveAll().isEmpty)
        }
    }

    /// A ClientHello of TLS 1.2, which is answered in plain text (RFC 5246 §7.4.1.2).
    private static let hello: [UInt8] = {
        let extensions: [UInt8] =
            [0x00, 0x0A, 0x00, 0x04, 0x00, 0x02, 0x00, 0x17]  // supported_groups: secp256r1
            + [0x00, 0x0B, 0x00, 0x02, 0x01, 0x00]  // ec_point_formats: uncompressed
            + [0x00, 0x0D, 0x00, 0x04, 0x00, 0x02, 0x04, 0x03]  // signature_algorithms: ecdsa_secp256r1_sha256
        let random = [UInt8](repeating: 7, count: 32)
        // No session, the suite ECDHE-ECDSA-AES128-GCM-SHA256, no compression.
        let content =
            [0x03, 0x03] + random + [0x00, 0x00, 0x02, 0xC0, 0x2B, 0x01, 0x00, 0x00, UInt8(extensions.count)]
            + extensions
        return [0x16, 0x03, 0x01, 0x00, UInt8(content.count + 4), 0x01, 0x00, 0x00, UInt8(content.count)] + content
    }()

    @Test(.timeLimit(.minutes(2)))
    func `A server with a certificate continues a handshake that did not fit into the socket`() async throws {
        let certificate = try await Certificate()
        let (one, count) = (try Certificate.bytes(certificate.certificatePath), 12_000)
        var configuration = Server.Configuration.patient
        configuration.tls = Server.TLS(
            certificate: Array(repeatElement(one, count: count).joined()),
            key: try Certificate.bytes(certificate.keyPath))
        try await TestSupport.serving(Self.echo, configuration: configuration) { address in
            let client = try RawClient(port: address.port, receiveBuffer: 32_768)
            await client.send(Self.hello)
            var length = 0
            while length < 300 * count, let bytes = await client.receive() { length += bytes.count }
            #expect(length >= 300 * count)
        }
    }

    @Test func `A server with a certificate shows a renewed one later, and keeps the earlier one if it is bad`()
        async throws
    {
        let (earlier, renewed) = (try await Certificate(), try await Certificate())
        var configuration = Server.Configuration.patient
        configuration.tls = try earlier.tls()
        let server = Server(handler: Self.echo, configuration: configuration)
        #expect(throws: ServerError.noCertificate) { try server.replaceCertificate(try renewed.tls()) }
        let address = try await server.start()
        let transports = [earlier, renewed].map { certificate in
            var trusting = CurlTransport.Configuration()
            trusting.certificateAuthorityFile = certificate.certificatePath
            return CurlTransport(configuration: trusting)
        }
        let before = try await transports[0].respond(to: Self.request(address))
        expectEqual(before.status, .ok)
        #expect(throws: ServerError.badCertificate) {
            try server.replaceCertificate(Server.TLS(certificate: Array("nonsense".utf8), key: []))
        }
        try server.replaceCertificate(try renewed.tls())
        let connected = try await transports[0].respond(to: Self.request(address))
        expectEqual(connected.status, .ok, "an open connection lives on")
        let after = try await transports[1].respond(to: Self.request(address))
        expectEqual(after.status, .ok)
        await #expect(throws: HTTPError.self) {
            var trusting = CurlTransport.Configuration()
            trusting.certificateAuthorityFile = earlier.certificatePath
            _ = try await CurlTransport(configuration: trusting).respond(to: Self.request(address))
        }
        await server.shutdown(grace: .zero)
    }

    @Test func `A server with a certificate reports the error of a certificate`() async throws {
        let (one, other) = (try await Certificate(), try await Certificate())
        let certificate = try Certificate.bytes(one.certificatePath)
        let cases: [Server.TLS] = [
            Server.TLS(certificate: [], key: try Certificate.bytes(one.keyPath)),
            Server.TLS(certificate: Array("nonsense".utf8), key: try Certificate.bytes(one.keyPath)),
            Server.TLS(certificate: certificate, key: []),
            Server.TLS(certificate: certificate, key: try Certificate.bytes(other.keyPath)),
            // A certificate of the chain whose file was not complete yet.
            Server.TLS(certificate: certificate + certificate.prefix(200), key: try Certificate.bytes(one.keyPath)),
        ]
        for tls in cases {
            var configuration = Server.Configuration.patient
            configuration.tls = tls
            let server = Server(handler: Self.echo, configuration: configuration)
            let error = await #expect(throws: ServerError.self) { try await server.start() }
            expectEqual(error?.code, ServerError.badCertificate.code)
            #expect(error?.hint != nil)
        }
        let description = String(describing: try one.tls())
        #expect(!description.contains("PRIVATE"))
    }
}

#endif
