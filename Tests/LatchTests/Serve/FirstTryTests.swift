// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCommand
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchProcess
import LatchTesting
import TestSupport
import Testing

@testable import LatchServer
@testable import latch

/// A newcomer's first try: `latch serve --dev`.
@Suite(.timeLimit(.minutes(5))) struct FirstTryTests {
    @Test func `A first try has a demo client and a page of its emails, for this machine only`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(["--dev"], in: folder) { _, url in
                #expect(BuiltProgram.lines(of: folder + "/error").contains("latch: try it at \(url)/dev"))
                let client = Client(baseURL: try #require(URL(string: url)))
                let page = try await client.perform(.raw(.get, RoutePath("dev")))
                let text = String(decoding: try await page.body.collected(upTo: 1 << 20), as: UTF8.self)
                #expect(text.contains("Sign in with the demo client") && text.contains("/admin/first?token="))
                try await expectEqual(client.perform(.raw(.get, RoutePath("dev/mails/0"))).status, .notFound)
                // The demo client has found its issuer, and a user signs in there.
                let signIn = try await client.perform(.raw(.get, RoutePath("dev/sign-in")))
                let form = String(decoding: try await signIn.body.collected(upTo: 1 << 20), as: UTF8.self)
                #expect(form.contains("Sign in to continue to demo."), "\(form)")
            }
        }
    }

    @Test func `A first try answers a site whose name resolves to this machine nothing`() async throws {
        let site = DevSite()
        let handler = site.serving(ClosureHandler { _ in HTTPResponse(status: .ok) })
        func status(_ authority: String, _ path: String, _ field: HTTPFieldName? = nil) async throws -> HTTPStatus {
            var request = HTTPRequest(
                method: .get, scheme: "http", authority: authority, path: path, fields: [.host: authority])
            if let field { request.fields[field] = "192.0.2.1" }
            request.context[RemoteAddress.self] = "127.0.0.1"
            return try await handler.respond(to: request).status
        }
        for path in ["/dev", "/dev/sign-in", "/dev/callback?code=x", "/dev/mails/0"] {
            for authority in ["evil.example:8080", "127.0.0.1.evil.example"] {
                try await expectEqual(status(authority, path), .notFound, "\(authority) \(path)")
            }
            try await expectEqual(status("localhost:8080", path, "X-Forwarded-For"), .notFound, "\(path)")
        }
        try await expectEqual(status("evil.example", "/developers"), .ok)
        // It has been asked, and has no server yet.
        try await expectEqual(status("localhost:8080", "/dev/sign-in"), .serviceUnavailable)
    }

    @Test func `A first try is refused where other machines reach it`() async throws {
        let proxy = ["LATCH_TRUSTED_PROXIES": "127.0.0.1"]
        for (refused, variables) in [
            (["0.0.0.0:0"], [:]), (["127.0.0.1:0", "--issuer", "https://id.example.com"], [:]),
            (["127.0.0.1:0"], proxy),
        ] {
            let recording = RecordingEnvironment(variables)
            let code = await Program.command.run(["serve", "--dev", "--listen"] + refused, in: recording.environment)
            #expect(code == .usage && recording.error.contains("'--dev' is for this machine only."), "\(refused)")
        }
    }

    @Test func `The link to the first administrator is printed by a command, and never in a log`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder) { process, url in
                let printed = try await BuiltProgram.run(
                    "admin", "first-link", "--issuer", url, "--store", "sqlite:\(folder)/latch.sqlite")
                let link = try #require(printed.output.first)
                #expect(link.hasPrefix("\(url)/admin/first?token="), "\(printed)")
                let page = try await Transport.live.respond(
                    to: HTTPRequest(
                        method: .get, scheme: "http", authority: String(url.dropFirst("http://".count)),
                        path: String(link.dropFirst(url.count))))
                expectEqual(page.status, .ok)
                process.terminate()
                await expectEqual(process.end(), .exited(0))
                let log = BuiltProgram.lines(of: folder + "/error").joined(separator: "\n")
                #expect(!log.contains("token="), "\(log)")
            }
        }
    }

    @Test func `A server on a terminal tells its settings and how to become the administrator`() async throws {
        try await CommandHome.with { home in
            let store = "sqlite:\(home.folder)/latch.sqlite"
            for isNew in [true, false] {
                let terminal = try PseudoTerminal()
                let call = try home.start(
                    on: terminal, ["serve", "--listen", "127.0.0.1:0", "--store", store],
                    environment: BuiltProgram.unhurried.merging(["LATCH_ACCESS_LOG": "off"]) { $1 })
                let line = try #require(await call.process.line())
                let url = line.dropFirst("latch: serving ".count)
                try await terminal.expect("  Issuer          \(url)")
                try await terminal.expect("  Store           \(store)\(isNew ? " (a new file)" : "\r\n")")
                try await terminal.expect("  Emails          not sent; set smtp_url or mail_directory")
                try await terminal.expect("  Administrator   none yet; become the first one within a day:")
                try await terminal.expect("\(url)/admin/first?token=")
                try await terminal.expect("Press Control-C to stop.")
                terminal.type("\u{3}")
                await expectEqual(call.outcome().ending, .exited(0))
            }
        }
    }

    /// The day of an administrator in a real browser: Tests/Peers/OpenID/tour.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it"))
    func `An administrator works a day on the pages of a first try, in a real browser`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(["--dev"], in: folder) { _, url in
                let printed = try await BuiltProgram.run(
                    "admin", "first-link", "--issuer", url, "--store", "sqlite:\(folder)/latch.sqlite")
                let pictures = ProcessInfo.processInfo.environment["LATCH_PICTURES"]
                let request: JSONValue = [
                    "origin": .string(url), "first": .string(printed.output.first ?? ""),
                    "pictures": pictures.map { .string($0) } ?? .null,
                ]
                let program = URL(filePath: #filePath).appending(path: "../../../Peers/OpenID/tour").standardized
                let (_, output) = try await ChildProcess.run(
                    "/usr/bin/env", ["python3", program.path, String(decoding: request.serialized(), as: UTF8.self)])
                let answer = try #require(try JSONValue(parsing: output).objectValue)
                expectNil(answer["error"], "\(answer)")
                expectEqual(answer["late"], .array([]))
                expectEqual(answer["faults"], .array([]))
            }
        }
    }
}
