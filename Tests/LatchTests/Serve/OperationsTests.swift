// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchIdentity
import LatchServer
import LatchTesting
import PortableFoundation
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct `The access log` {
    private static let handler = ClosureHandler { _ in HTTPResponse(status: .created) }
    private static let request = HTTPRequest(
        method: .post, scheme: "http", authority: "a", path: "/oauth/token?code=hunter2",
        fields: [.authorization: "Bearer hunter2", .requestID: "request-1"])

    @Test func `has one line for each request, without query and header fields`() async throws {
        let kept = RecordingEnvironment()
        let log = AccessLog(.text, kept.environment.error)
        _ = try await log.logging(Self.handler).respond(to: Self.request)
        log.flush()
        let words = kept.error.split(separator: " ").map(String.init)
        #expect(words.count == 6)
        #expect(Array(words[1...3]) == ["POST", "/oauth/token", "201"])
        #expect(words[4].hasSuffix("ms") && words[5] == "request-1\n")
        #expect(!kept.error.contains("hunter2"))
    }

    @Test func `is JSON where a script reads it, and can be switched off`() async throws {
        let kept = RecordingEnvironment()
        for format in [AccessLogFormat.json, .off] {
            let log = AccessLog(format, kept.environment.error)
            _ = try await log.logging(Self.handler).respond(to: Self.request)
            log.flush()
        }
        let entry = try JSONValue(parsing: kept.error.dropLast())
        #expect(entry["method"] == "POST" && entry["path"] == "/oauth/token" && entry["status"] == 201)
        #expect(entry["request_id"] == "request-1" && entry["milliseconds"]?.doubleValue != nil)
    }

    @Test func `is logfmt for collectors of such lines, in which no value begins another one`() async throws {
        let kept = RecordingEnvironment()
        let log = AccessLog(.logfmt, kept.environment.error)
        var request = Self.request
        request.path = #"/a="b"\c\#u{1B}[31m%20d?code=hunter2"#
        _ = try await log.logging(Self.handler).respond(to: request)
        log.flush()
        let words = kept.error.split(separator: " ").map(String.init)
        #expect(Array(words[1...3]) == ["method=POST", #"path="/a=\"b\"\\c\u001b[31m%20d""#, "status=201"])
        #expect(words[4].hasPrefix("milliseconds=") && words[5] == "request_id=request-1\n")
        #expect(!kept.error.contains("hunter2"))
    }

    @Test(arguments: [AccessLogFormat.text, .json, .logfmt])
    func `says why the server has failed`(format: AccessLogFormat) async throws {
        let kept = RecordingEnvironment()
        let log = AccessLog(format, kept.environment.error)
        let handler = ClosureHandler { request in
            request.context[MatchedRouteKey.self]?.failure = IdentityError.storeFull.code
            return HTTPResponse(status: .serviceUnavailable)
        }
        _ = try await log.logging(handler).respond(to: Self.request)
        log.flush()
        switch format {
        case .json: #expect(try JSONValue(parsing: kept.error.dropLast())["failure"] == "storeFull")
        case .logfmt: #expect(kept.error.hasSuffix(" failure=storeFull\n"))
        default: #expect(kept.error.hasSuffix(" request-1 storeFull\n"))
        }
    }

    @Test func `says when the database is lost, and when it is back`() throws {
        let lost = IdentityError.storeFull
        for format in [AccessLogFormat.text, .json] {
            let line = AccessLog.outageLine(lost, Date(timeIntervalSince1970: 0), format)
            #expect(line.contains("lost") && line.contains(lost.message))
            #expect(AccessLog.outageLine(nil, Date(timeIntervalSince1970: 0), format).contains("back"))
        }
    }

    @Test(arguments: [AccessLogFormat.text, .json, .logfmt, .off])
    func `has a line more for a slow request, with its route instead of its path`(format: AccessLogFormat) async throws
    {
        var router = Router()
        router.post("/notes/{id}") { _ in
            // Longer than a millisecond by any clock.
            let start = ContinuousClock.now
            while start.duration(to: .now) < .milliseconds(2) {}
            return HTTPResponse(status: .created)
        }
        let kept = RecordingEnvironment()
        let log = AccessLog(format, slowAfterMilliseconds: 1, kept.environment.error)
        var request = Self.request
        request.path = "/notes/4711?code=hunter2"
        _ = try await log.logging(router).respond(to: request)
        log.flush()
        let lines = kept.error.split(separator: "\n").map(String.init)
        #expect(lines.count == (format == .off ? 1 : 2))
        let line = try #require(lines.last)
        switch format {
        case .json:
            let entry = try JSONValue(parsing: Array(line.utf8))
            #expect(entry["event"] == "slow_request" && entry["route"] == "/notes/{id}" && entry["status"] == 201)
            #expect(entry["request_id"] == "request-1" && entry["path"] == nil)
        case .logfmt: #expect(line.contains(" event=slow_request method=POST route=/notes/{id} status=201 "))
        case .text, .off: #expect(line.contains(" slow POST /notes/{id} 201 ") && line.hasSuffix("ms request-1"))
        }
        #expect(!line.contains("4711") && !line.contains("hunter2"))
    }

    @Test func `calls no fast request slow`() async throws {
        let kept = RecordingEnvironment()
        let log = AccessLog(.off, slowAfterMilliseconds: 3_600_000, kept.environment.error)
        _ = try await log.logging(Self.handler).respond(to: Self.request)
        log.flush()
        #expect(kept.error.isEmpty)
    }

    @Test func `has a line for each mail that was not sent, without its recipient`() async throws {
        struct Unreachable: Mailer {
            func send(_ message: MailMessage) async throws { throw HTTPError.timeout }
        }
        let kept = RecordingEnvironment()
        let message = try MailMessage(to: "ada@example.com", subject: "Reset your password", text: "hunter2")
        await #expect(throws: HTTPError.self) {
            try await LoggingMailer(next: Unreachable(), log: kept.environment.error).send(message)
        }
        #expect(kept.error.hasPrefix("latch: the mail 'Reset your password' was not sent: "))
        #expect(!kept.error.contains("ada@") && !kept.error.contains("hunter2"))
    }
}

@Suite(.serialized) struct `The listener for operators` {
    @Test func `has the metrics, which the public one then has not`() async throws {
        try await withTemporaryFolder { folder in
            try await BuiltProgram.serving(in: folder, environment: ["LATCH_ADMIN_LISTEN": "127.0.0.1:0"]) { _, url in
                let line = try #require(BuiltProgram.lines(of: folder + "/error").first)
                let prefix = "latch: administration on "
                #expect(line.hasPrefix(prefix))
                let operators = Client(baseURL: try #require(URL(string: String(line.dropFirst(prefix.count)))))
                let users = Client(baseURL: try #require(URL(string: url)))
                func status(_ client: Client, _ path: String) async throws -> Int {
                    try await client.respond(to: client.request(.get, RoutePath(path))).status.rawValue
                }
                #expect(try await status(operators, "metrics") == 200)
                for path in ["healthz", "livez", "readyz"] { #expect(try await status(operators, path) == 200) }
                #expect(try await status(operators, "login") == 404)
                #expect(try await status(users, "metrics") == 404)
                #expect(try await status(users, "healthz") == 200)
            }
        }
    }
}
