// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch
@testable import latch_demo

@Suite struct ServedProcessTests {
    private func status(_ path: String, at url: String) async throws -> HTTPStatus {
        let client = Client(baseURL: try #require(URL(string: url)))
        return try await client.perform(.raw(.get, RoutePath(path))).status
    }

    @Test func `A served process prints one line once it accepts connections, at its own port choice`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder) { process, url in
                #expect(url.hasPrefix("http://127.0.0.1:") && !url.hasSuffix(":0"))
                for path in ["healthz", "readyz"] {
                    let status = try await status(path, at: url)
                    expectEqual(status, .ok)
                }
                process.terminate()
                await expectNil(process.line())
                await expectEqual(process.end(), .exited(0))
            }
        }
    }

    @Test(arguments: [Signal.terminate, .interrupt])
    func `A served process ends with exit 0 when it is asked to`(signal: Signal)
        async throws
    {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder) { process, _ in
                process.send(signal.number)
                await expectEqual(process.end(), .exited(0))
                #expect(BuiltProgram.lines(of: folder + "/error").isEmpty)
            }
        }
    }

    @Test func `A served process answers the request in flight before it ends`() async throws {
        let patient = [
            "LATCH_SHUTDOWN_GRACE": "600", "LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1",
        ]
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder, environment: patient) { process, url in
                let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
                let (slow, idle) = (try RawClient(port: port), try RawClient(port: port))
                let content = #"{"email":"ada@example.com","password":"a horse walks into a library"}"#
                await slow.send(
                    """
                    POST /api/clients/register HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\
                    Content-Type: application/json\r\nExpect: 100-continue\r\n\
                    Content-Length: \(content.utf8.count)\r\n\r\n
                    """)
                // The server has the request now, and ends the idle connection once it has the signal.
                await expectEqual(slow.receiveResponse()?.status, 100)
                process.terminate()
                #expect(await idle.receiveAll().isEmpty)
                await slow.send(content)
                await expectEqual(slow.receiveResponse()?.status, .created)
                await expectEqual(process.end(), .exited(0))
            }
        }
    }

    @Test func `A served process keeps its data when it is started again`() async throws {
        try await withTemporaryFolder { folder in
            let body = ["email": "ada@example.com", "password": "a horse walks into a library"]
            let cheap = ["LATCH_ARGON2_MEMORY_KIB": "64", "LATCH_ARGON2_PASSES": "1"]
            for (path, expected) in [("api/clients/register", HTTPStatus.created), ("api/auth/clients/login", .ok)] {
                try await BuiltProgram.serving(in: folder, environment: cheap) { process, url in
                    let client = Client(baseURL: try #require(URL(string: url)))
                    let content = HTTPBody(try JSONEncoder().encode(body).map { $0 })
                    let request = try client.request(
                        .post, RoutePath(path), fields: [.contentType: "application/json"], body: content)
                    try await expectEqual(client.respond(to: request).status, expected)
                    process.kill()
                    await expectEqual(process.end(), .killed(by: 9))
                }
            }
        }
    }

    @Test func `A served process reads its configuration again at SIGHUP`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/latch.toml"
            try Data("access_token_lifetime = 60\n".utf8).write(to: URL(filePath: file))
            try await BuiltProgram.serving(["--config", file], in: folder) { process, _ in
                try Data("access_token_lifetime = 61\nlisten = \"127.0.0.1:1\"\nmaximum_connections = 7\n".utf8)
                    .write(to: URL(filePath: file))
                process.hangUp()
                let said = try await Self.said(4, in: folder)
                expectEqual(said[0], "latch: the configuration and the keys have been read again")
                // The flag still wins over the file's address.
                expectEqual(said[1], "latch: warning: Without effect until the next start: maximum_connections.")
                try Data("access_token_lifetime = soon\n".utf8).write(to: URL(filePath: file))
                process.hangUp()
                let refused = try await Self.said(7, in: folder)
                #expect(refused[3].hasPrefix("latch: \(file):1:25: "))
                expectEqual(refused[5], "latch: warning: The earlier configuration stays in effect.")
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
        }
    }

    @Test func `A served process shows a renewed certificate after SIGHUP`() async throws {
        try await withTemporaryFolder { folder in
            let (earlier, renewed) = (try await Certificate(), try await Certificate())
            func install(_ certificate: Certificate) throws {
                try Data(Certificate.bytes(certificate.certificatePath)).write(to: URL(filePath: folder + "/chain.pem"))
                try Data(Certificate.bytes(certificate.keyPath)).write(to: URL(filePath: folder + "/key.pem"))
            }
            try install(earlier)
            let files = ["LATCH_TLS_CERTIFICATE": folder + "/chain.pem", "LATCH_TLS_KEY": folder + "/key.pem"]
            try await BuiltProgram.serving(in: folder, environment: files) { process, url in
                try install(renewed)
                process.hangUp()
                let said = try await Self.said(2, in: folder)
                expectEqual(said.first, "latch: the configuration and the keys have been read again")
                let (host, port) = ("127.0.0.1", url.split(separator: ":").last ?? "")
                let shown = try await Certificate.openssl([
                    "s_client", "-connect", "\(host):\(port)", "-CAfile", renewed.certificatePath,
                    "-verify_return_error",
                ])
                #expect(shown.contains("Verify return code: 0 (ok)"))
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
        }
    }

    @Test func `A served process keeps its certificate with the rest of an unreadable configuration`() async throws {
        let (earlier, renewed) = (try await Certificate(), try await Certificate())
        try await withTemporaryFolder { folder in
            let file = folder + "/latch.toml"
            try Data("".utf8).write(to: URL(filePath: file))
            func install(_ certificate: Certificate) throws {
                try Data(Certificate.bytes(certificate.certificatePath)).write(to: URL(filePath: folder + "/chain.pem"))
                try Data(Certificate.bytes(certificate.keyPath)).write(to: URL(filePath: folder + "/key.pem"))
            }
            try install(earlier)
            let files = ["LATCH_TLS_CERTIFICATE": folder + "/chain.pem", "LATCH_TLS_KEY": folder + "/key.pem"]
            try await BuiltProgram.serving(["--config", file], in: folder, environment: files) { process, url in
                try install(renewed)
                try Data("clients = \"notes;grants=authorization_code\"\n".utf8).write(to: URL(filePath: file))
                process.hangUp()
                let said = try await Self.said(4, in: folder)
                #expect(said.contains("latch: warning: The earlier configuration stays in effect."))
                var trusting = CurlTransport.Configuration()
                trusting.certificateAuthorityFile = earlier.certificatePath
                let port = url.split(separator: ":").last ?? ""
                let metrics = try await CurlTransport(configuration: trusting).respond(
                    to: HTTPRequest(scheme: "https", authority: "127.0.0.1:\(port)", path: "/metrics")
                ).body.text
                expectEqual(metrics?.contains("\nlatch_reload_failures_total 1\n"), true)
                #expect(metrics?.firstMatch(of: /\nlatch_certificate_end_timestamp_seconds [0-9]{10}\n/) != nil)
                let shown = try await Certificate.openssl([
                    "s_client", "-connect", "127.0.0.1:\(url.split(separator: ":").last ?? "")", "-CAfile",
                    earlier.certificatePath, "-verify_return_error",
                ])
                #expect(shown.contains("Verify return code: 0 (ok)"))
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
        }
    }

    /// The lines on standard error, as soon as there are so many.
    private static func said(_ count: Int, in folder: String) async throws -> [String] {
        for _ in 0..<60_000 {
            let lines = BuiltProgram.lines(of: folder + "/error")
            if lines.count >= count - 1 { return lines }
            try await WallClock.system.sleep(for: .milliseconds(1))
        }
        throw DemoFailure("it said only: \(BuiltProgram.lines(of: folder + "/error"))")
    }

    @Test func `A served process reports that its port is in use`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder) { _, url in
                let authority = String(url.dropFirst("http://".count))
                let second = try await BuiltProgram.run(
                    "serve", "--listen", authority, "--store", "sqlite:\(folder)/other.sqlite")
                expectEqual(second.ending, .exited(1))
                #expect(second.output.isEmpty)
                #expect(second.error.contains { $0.contains(authority) && $0.hasPrefix("latch: ") })
                expectEqual(second.error.last?.hasPrefix("hint: "), true)
            }
        }
    }
}
