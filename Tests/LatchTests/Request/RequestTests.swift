// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchProcess
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import latch

@Suite struct RequestTests {
    /// Runs `body` with a user who is signed in at a scripted issuer.
    private func signedIn(
        _ routes: (inout Router) -> Void = { _ in }, _ body: (CommandHome, ScriptedIssuer) async throws -> Void
    ) async throws {
        try await ScriptedIssuer.with(routes) { issuer in
            try await CommandHome.with { home in
                try await home.login("ada", at: issuer.url)
                try await body(home, issuer)
            }
        }
    }

    @Test func `A request on the command line carries the credential, to a URL or a path of the issuer`() async throws {
        try await signedIn { home, issuer in
            for place in [issuer.url + "/api/things?a=b%20c", "/api/things?a=b%20c"] {
                let outcome = try await home.latch("request", "GET", place)
                #expect(outcome.ending == .exited(0) && outcome.error.isEmpty)
                expectEqual(outcome.output, ["GET /api/things?a=b%20c "])
            }
            // Report 1 in Documentation/PublicReports.md.
            let outcome = try await home.latch("request", "GET", "/api/a?f[x]=1&q=a%20b")
            expectEqual(outcome.output, ["GET /api/a?f%5Bx%5D=1&q=a%20b "])
            #expect(issuer.resourceRequests.allSatisfy { $0.fields[.authorization] == "Bearer access-1" })
        }
    }

    @Test func `JSON is indented on a terminal, and as the server sent it in a pipe`() async throws {
        let content = #"{"name":"Ada","roles":["user"]}"#
        let routes = { @Sendable (router: inout Router) in
            for (path, text) in [
                ("/user/json", content), ("/user/broken", #"{"name""#), ("/user/exact", #"{ "id": 1.10 }"#),
            ] {
                router.get(path) { _ in
                    HTTPResponse(status: .ok, fields: [.contentType: "application/json"], body: HTTPBody(text))
                }
            }
        }
        try await signedIn(routes) { home, _ in
            try await expectEqual(home.latch("request", "GET", "/user/json").output, [content])
            for (path, shown) in [
                ("json", "{\n  \"name\": \"Ada\",\n  \"roles\": [\n    \"user\"\n  ]\n}\n"), ("broken", "{\"name\"\n"),
                // Another spelling of the number could be another number.
                ("exact", "{ \"id\": 1.10 }\n"),
            ] {
                let terminal = try PseudoTerminal()
                let call = try home.start(on: terminal, ["request", "GET", "/user/\(path)"], isWhole: true)
                await expectEqual(call.outcome().ending, .exited(0))
                await terminal.finish()
                expectEqual(terminal.text, shown)
            }
        }
    }

    @Test(
        arguments: [
            (["-d", "a=1"], "a=1", "application/x-www-form-urlencoded"),
            (["-d", "a=1", "--data", "b=2"], "a=1&b=2", "application/x-www-form-urlencoded"),
            (["-da=1", "-db"], "a=1&b", "application/x-www-form-urlencoded"),
            (["-d", "@file"], "one\ntwo\n", "application/x-www-form-urlencoded"),
            (["-d@file", "-d", "x"], "one\ntwo\n&x", "application/x-www-form-urlencoded"),
            (["-d", "@-"], "piped in", "application/x-www-form-urlencoded"),
            (["--json", "{}"], "{}", "application/json"),
            (["--json", "[1,", "--json", "2]"], "[1,2]", "application/json"),
            (["-d", "{}", "-H", "content-type: text/x"], "{}", "text/x"),
            (["-d", ""], "", "application/x-www-form-urlencoded"),
            ([], "", nil),
        ] as [([String], String, String?)])
    func `A request on the command line sends the same as curl`(arguments: [String], body: String, type: String?)
        async throws
    {
        try await signedIn { home, issuer in
            let file = home.folder + "/file"
            try Data("one\ntwo\n".utf8).write(to: URL(filePath: file))
            let words = arguments.map { $0.hasSuffix("@file") ? String($0.dropLast(4)) + file : $0 }
            let call = try home.start(["request", "POST", "/api/x"] + words, input: "piped in")
            let outcome = await call.outcome()
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            let sent = try #require(issuer.resourceRequests.last)
            expectEqual(sent.body.text, body)
            expectEqual(sent.fields[.contentType], type)
            expectEqual(sent.method, .post)
        }
    }

    @Test func `A request on the command line sends the given fields, and never a credential among them`()
        async throws
    {
        try await signedIn { home, issuer in
            let file = home.folder + "/fields"
            try Data("X-Two: 2\r\nX-Three:3\n".utf8).write(to: URL(filePath: file))
            let outcome = try await home.latch(
                "request", "get", "/api/x", "-H", "X-One:  one: two ", "--header", "@" + file, "-H",
                "Accept: text/plain")
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            let fields = try #require(issuer.resourceRequests.last).fields
            expectEqual(fields["X-One"], "one: two")
            #expect(fields["X-Two"] == "2" && fields["X-Three"] == "3" && fields[.accept] == "text/plain")
            for line in ["Authorization: Bearer mine", "authorization:x", "no field", ": x"] {
                let refused = try await home.latch("request", "GET", "/api/x", "-H", line)
                expectEqual(refused.ending, .exited(2))
                #expect(!refused.error.joined().contains("mine"))
            }
            expectEqual(issuer.resourceRequests.count, 1)
        }
    }

    @Test func `A request on the command line shows the status, and fails by it, on request`() async throws {
        try await signedIn { home, _ in
            let plain = try await home.latch("request", "GET", "/api/missing")
            #expect(plain.ending == .exited(0) && plain.output == ["GET /api/missing "])
            let included = try await home.latch("request", "GET", "/api/missing", "-i")
            expectEqual(included.output.first, "HTTP 404\r")
            #expect(included.output.contains("X-Answer: yes\r"))
            expectEqual(Array(included.output.suffix(2)), ["\r", "GET /api/missing "])
            for flags in [["-f"], ["--fail"], ["-if"], ["-fi"]] {
                let failed = try await home.start(["request", "GET", "/api/missing"] + flags).outcome()
                #expect(failed.ending == .exited(1) && failed.output.isEmpty)
                expectEqual(failed.error.first, "latch: The server responded with 404.")
            }
            try await expectEqual(home.latch("request", "GET", "/api/there", "-f").ending, .exited(0))
        }
    }

    @Test func `A request on the command line writes the content into a file, whole`() async throws {
        try await signedIn { home, _ in
            let file = home.folder + "/answer"
            let outcome = try await home.latch("request", "GET", "/api/x", "-o", file)
            #expect(outcome.ending == .exited(0) && outcome.output.isEmpty)
            expectEqual(BuiltProgram.lines(of: file), ["GET /api/x "])
        }
    }

    /// npm/write-file-atomic#63: the response of a request that was carried out must not be lost for its file.
    @Test func `A request on the command line is not sent if its content cannot be written`() async throws {
        try await signedIn { home, issuer in
            for file in ["/none/answer", "/" + String(repeating: "n", count: 256)] {
                let outcome = try await home.latch("request", "POST", "/api/x", "-o", home.folder + file)
                expectEqual(outcome.ending, .exited(1))
                #expect(outcome.error.joined().contains("cannot be written"))
            }
            #expect(issuer.resourceRequests.isEmpty)
            let long = home.folder + "/" + String(repeating: "é", count: 127)
            try await expectEqual(home.latch("request", "GET", "/api/x", "-o", long).ending, .exited(0))
            expectEqual(BuiltProgram.lines(of: long), ["GET /api/x "])
        }
    }

    /// noahmorrison/chevron#26: a file of /proc has content and no size, and a pipe has none.
    @Test func `A request on the command line sends the content of pipes and of files without a size`() async throws {
        try await signedIn { home, issuer in
            let version = try #require(try AtomicFile("/proc/version").read())
            try await expectEqual(home.latch("request", "POST", "/api/x", "-d", "@/proc/version").ending, .exited(0))
            expectEqual(issuer.resourceRequests.last?.body.bytes, version)
            let call = try home.start(["request", "POST", "/api/x", "--json", "@/dev/stdin"], input: "[1]")
            await expectEqual(call.outcome().ending, .exited(0))
            expectEqual(issuer.resourceRequests.last?.body.text, "[1]")
        }
    }

    @Test
    func `A request on the command line is sent once more with a refreshed credential if it is refused`() async throws {
        try await signedIn { home, issuer in
            // The server has forgotten the token before its time.
            issuer.world.withLock { $0.count = 7 }
            let outcome = try await home.latch("request", "POST", "/api/x", "--json", #"{"a":1}"#, "-H", "X-Id: 5")
            expectEqual(outcome.output, [#"POST /api/x {"a":1}"#])
            expectEqual(issuer.world.withLock { $0.renewals }, 1)
            let sent = issuer.resourceRequests
            expectEqual(sent.map { $0.fields[.authorization] }, ["Bearer access-1", "Bearer access-8"])
            expectEqual(sent.map { $0.body.text }, [#"{"a":1}"#, #"{"a":1}"#])
            expectEqual(sent.map { $0.fields["X-Id"] }, ["5", "5"])
            // A second refusal is an answer.
            issuer.world.withLock { $0.refusesAll = true }
            let refused = try await home.latch("request", "GET", "/api/x")
            #expect(refused.ending == .exited(0) && refused.output == ["refused"])
            expectEqual(issuer.world.withLock { $0.renewals }, 2)
        }
    }

    @Test func `A request on the command line takes its credential only to the account's own origin`() async throws {
        try await signedIn({ router in
            router.get("/here") { request in
                let target = request.queryItems["to"] ?? ""
                return HTTPResponse(status: 302, fields: ["Location": target])
            }
        }) { home, issuer in
            try await ScriptedIssuer.with { stranger in
                let direct = try await home.latch("request", "GET", stranger.url + "/api/x")
                expectEqual(direct.error.first?.contains("without a credential"), true)
                expectEqual(direct.error.last?.contains("--allow-origin \(stranger.url)"), true)
                expectEqual(direct.output, ["refused"])
                expectEqual(stranger.resourceRequests.map { $0.fields[.authorization] }, [nil])
                let redirect = "/here?to=\(stranger.url)/api/y"
                let stays = try await home.latch("request", "GET", redirect, "-i")
                expectEqual(stays.output.first, "HTTP 302\r")
                expectEqual(stranger.resourceRequests.count, 1)
                _ = try await home.latch("request", "GET", redirect, "-L")
                #expect(stranger.resourceRequests.count > 1)
                #expect(stranger.resourceRequests.allSatisfy { $0.fields[.authorization] == nil })
                let within = try await home.latch("request", "GET", "/here?to=/api/z", "-L")
                expectEqual(within.output, ["GET /api/z "])
                expectEqual(issuer.resourceRequests.last?.fields[.authorization]?.hasPrefix("Bearer access-"), true)
            }
        }
    }

    @Test
    func `A request on the command line takes its credential only to origins that the user allows`() async throws {
        try await signedIn({ router in
            router.get("/here") { request in
                HTTPResponse(status: 302, fields: ["Location": request.queryItems["to"] ?? ""])
            }
        }) { home, issuer in
            try await ScriptedIssuer.with { api in
                try await ScriptedIssuer.with { stranger in
                    api.world.withLock { $0.count = 1 }
                    let allowed = ["--allow-origin", "http://127.0.0.1:9/", "--allow-origin", api.url]
                    let direct = try await home.start(["request", "GET", api.url + "/api/x"] + allowed).outcome()
                    #expect(direct.output == ["GET /api/x "] && direct.error.isEmpty)
                    // A refused credential is refreshed by the issuer.
                    api.world.withLock { $0.count = 2 }
                    let refreshed = try await home.start(["request", "GET", api.url + "/api/y"] + allowed).outcome()
                    expectEqual(refreshed.output, ["GET /api/y "])
                    expectEqual(issuer.world.withLock { $0.renewals }, 1)
                    let other = try await home.start(["request", "GET", stranger.url + "/api/x"] + allowed).outcome()
                    expectEqual(other.error.first?.contains("without a credential"), true)
                    // A redirect is the server's choice of origin, not the user's.
                    let redirect = ["request", "GET", "/here?to=\(api.url)/api/z", "-L"] + allowed
                    try await expectEqual(home.start(redirect).outcome().output, ["refused"])
                    expectEqual(stranger.resourceRequests.map { $0.fields[.authorization] }, [nil])
                    expectNil(api.resourceRequests.last?.fields[.authorization])
                }
            }
        }
    }

    @Test(arguments: ["api.example.com", "https://", "https://a/path", "https://a?q", "ftp://a", "https://u@a", "*"])
    func `A request on the command line takes its credential to whole origins only`(text: String) async throws {
        try await CommandHome.with { home in
            let outcome = try await home.latch("request", "GET", "https://a/x", "--allow-origin", text)
            expectEqual(outcome.ending, .exited(2))
            expectEqual(outcome.error.first, "latch: '\(text)' is not an origin.")
        }
    }

    @Test(
        arguments: [
            (["GET"], "'latch request' needs URL."), ([], "'latch request' needs METHOD."),
            (["http://127.0.0.1/x", "GET"], "'http://127.0.0.1/x' is not a method."),
            (["GET", "things"], "'things' is not a URL."), (["GET", "ftp://x/"], "'ftp://x/' is not a URL."),
            (["GET", "/x", "-d", "a", "--json", "{}"], "'--data' and '--json' cannot both be sent."),
            (["GET", "/x", "-X", "POST"], "'latch request' has no option '-X'."),
            (["GET", "/x", "-iz"], "'latch request' has no option '-z'."),
            (["GET", "/x", "-ii"], "'-i' is given twice."), (["GET", "/x", "-io"], "'-o' needs a value."),
        ] as [([String], String)])
    func `A request on the command line is refused if it is a usage error, before anything is sent`(
        arguments: [String], message: String
    )
        async throws
    {
        try await signedIn { home, issuer in
            let outcome = try await home.start(["request"] + arguments).outcome()
            expectEqual(outcome.ending, .exited(2))
            expectEqual(outcome.error.first, "latch: \(message)")
            #expect(issuer.resourceRequests.isEmpty)
        }
    }

    @Test func `A request on the command line sends no credential in the clear to other machines`() async throws {
        try await signedIn { home, _ in
            let outcome = try await home.latch("request", "GET", "http://192.0.2.1/x")
            expectEqual(outcome.ending, .exited(1))
        }
    }

    @Test func `A request on the command line reads and writes binary content unchanged`() async throws {
        let bytes = (0...255).map { UInt8($0) }
        try await signedIn({ router in
            router.post("/echo") { request in HTTPResponse(status: 200, body: request.body) }
        }) { home, _ in
            let (sent, received) = (home.folder + "/sent", home.folder + "/received")
            try Data(bytes).write(to: URL(filePath: sent))
            let outcome = try await home.latch("request", "POST", "/echo", "-d", "@" + sent, "-o", received)
            expectEqual(outcome.ending, .exited(0), "\(outcome.error)")
            expectEqual(FileManager.default.contents(atPath: received).map(Array.init), bytes)
            let call = try home.start(["request", "POST", "/echo", "-d", "@" + sent])
            await expectEqual(call.process.rest(), bytes)
        }
    }
}
