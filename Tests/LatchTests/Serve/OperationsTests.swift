// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchIdentity
import LatchProcess
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct ServerLogTests {
    private static let handler = ClosureHandler { _ in HTTPResponse(status: .created) }
    private static let request = HTTPRequest(
        method: .post, scheme: "http", authority: "a", path: "/oauth/token?code=hunter2",
        fields: [.authorization: "Bearer hunter2", .requestID: "request-1"])

    @Test func `The log of a server has one line for each request, without query and header fields`() async throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(.text, kept.environment)
        _ = try await log.logging(Self.handler).respond(to: Self.request)
        log.flush()
        let words = kept.error.split(separator: " ").map(String.init)
        expectEqual(words.count, 6)
        expectEqual(Array(words[1...3]), ["POST", "/oauth/token", "201"])
        #expect(words[4].hasSuffix("ms") && words[5] == "request-1\n")
        #expect(!kept.error.contains("hunter2"))
    }

    @Test func `The log of a server is JSON if a script reads it, and can be switched off`() async throws {
        let kept = RecordingEnvironment()
        for format in [AccessLogFormat.json, .off] {
            let log = ServerLog(format, kept.environment)
            _ = try await log.logging(Self.handler).respond(to: Self.request)
            log.flush()
        }
        let entry = try JSONValue(parsing: kept.error.dropLast())
        #expect(entry["method"] == "POST" && entry["path"] == "/oauth/token" && entry["status"] == 201)
        #expect(entry["request_id"] == "request-1" && entry["milliseconds"]?.doubleValue != nil)
    }

    @Test func `The log of a server is logfmt for collectors, and no value begins another field`() async throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(.logfmt, kept.environment)
        var request = Self.request
        request.path = #"/a="b"\c\#u{1B}[31m%20d?code=hunter2"#
        _ = try await log.logging(Self.handler).respond(to: request)
        log.flush()
        let words = kept.error.split(separator: " ").map(String.init)
        expectEqual(Array(words[1...3]), ["method=POST", #"path="/a=\"b\"\\c\u001b[31m%20d""#, "status=201"])
        #expect(words[4].hasPrefix("milliseconds=") && words[5] == "request_id=request-1\n")
        #expect(!kept.error.contains("hunter2"))
    }

    @Test(arguments: [AccessLogFormat.text, .json])
    func `The log of a server escapes what a client has put into a path`(format: AccessLogFormat) async throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(format, kept.environment)
        var request = Self.request
        request.path = "/ä\"\\\u{1B}[31m\u{202E}\nnext"
        _ = try await log.logging(Self.handler).respond(to: request)
        log.flush()
        if format == .json {
            try expectEqual(JSONValue(parsing: kept.error.dropLast())["path"]?.stringValue, request.path)
        } else {
            #expect(kept.error.contains(" /ä\"\\\\u{1b}[31m\\u{202e}\\u{a}next 201 "))
        }
        expectEqual(kept.error.utf8.count { $0 == 0x0A }, 1)
    }

    @Test(arguments: [AccessLogFormat.text, .json, .logfmt])
    func `The log of a server reports that there is no descriptor left`(format: AccessLogFormat) throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(format, kept.environment)
        let report = try #require(Server.Configuration().watched(by: log).onExhaustion)
        report()
        log.flush()
        #expect(kept.error.contains("no file descriptor or memory is left") && kept.error.contains("LimitNOFILE"))
        expectEqual(kept.error.contains("resources_exhausted"), format != .text)
    }

    @Test(arguments: [AccessLogFormat.text, .json, .logfmt])
    func `The log of a server states why the server has failed`(format: AccessLogFormat) async throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(format, kept.environment)
        let handler = ClosureHandler { request in
            request.context[MatchedRouteKey.self]?.failure = IdentityError.storeFull.code
            return HTTPResponse(status: .serviceUnavailable)
        }
        _ = try await log.logging(handler).respond(to: Self.request)
        log.flush()
        switch format {
        case .json: try expectEqual(JSONValue(parsing: kept.error.dropLast())["failure"], "storeFull")
        case .logfmt: #expect(kept.error.hasSuffix(" failure=storeFull\n"))
        default: #expect(kept.error.hasSuffix(" request-1 storeFull\n"))
        }
    }

    @Test(arguments: [AccessLogFormat.text, .json, .logfmt])
    func `The log of a server states why a request was refused`(format: AccessLogFormat) async throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(format, kept.environment)
        let handler = ClosureHandler { request in
            request.context[MatchedRouteKey.self]?.refusal = "invalid_request:code_challenge"
            return HTTPResponse(status: .badRequest)
        }
        _ = try await log.logging(handler).respond(to: Self.request)
        log.flush()
        let refusal = "invalid_request:code_challenge"
        switch format {
        case .json: try expectEqual(JSONValue(parsing: kept.error.dropLast())["refusal"]?.stringValue, refusal)
        case .logfmt: #expect(kept.error.hasSuffix(" refusal=\(refusal)\n"))
        default: #expect(kept.error.hasSuffix(" request-1 \(refusal)\n"))
        }
    }

    @Test func `The log of a server states that a hook has failed, and not the store`() {
        let date = Date(timeIntervalSince1970: 0)
        let line = LogLine.storeFailure(.hookFailed("gate", "it answered with the status 500"), in: "hook sign_up")
        expectEqual(
            line.text(date, .text),
            "1970-01-01T00:00:00Z The hook 'gate' cannot be used: it answered with the status 500.")
        #expect(line.text(date, .json).contains("hook_failed") && !line.text(date, .json).contains("store"))
    }

    @Test func `The log of a server states why the store has failed`() throws {
        let (line, date) = (LogLine.storeFailure(.storeFull, in: "rotate"), Date(timeIntervalSince1970: 0))
        let message = IdentityError.storeFull.message
        expectEqual(line.text(date, .text), "1970-01-01T00:00:00Z the store has failed in 'rotate': \(message)")
        let json = try JSONValue(parsing: line.text(date, .json))
        #expect(json["event"] == "store_failed" && json["code"] == "storeFull" && json["operation"] == "rotate")
    }

    @Test func `The log of a server reports the loss of the database, and its return`() throws {
        let lost = IdentityError.storeFull
        for format in [AccessLogFormat.text, .json] {
            let line = LogLine.outage(of: "database", lost.message).text(Date(timeIntervalSince1970: 0), format)
            #expect(line.contains("lost") && line.contains(lost.message))
            let back = LogLine.outage(of: "collector", for: "traces", nil).text(Date(timeIntervalSince1970: 0), format)
            #expect(back.contains(format == .json ? "collector_back" : "the collector of traces is back"))
        }
    }

    @Test(arguments: [AccessLogFormat.text, .json, .logfmt, .off])
    func `The log of a server has another line for a slow request, with its route instead of its path`(
        format: AccessLogFormat
    ) async throws {
        var router = Router()
        router.post("/notes/{id}") { _ in
            // Longer than a millisecond by any clock.
            let start = ContinuousClock.now
            while start.duration(to: .now) < .milliseconds(2) {}
            return HTTPResponse(status: .created)
        }
        let kept = RecordingEnvironment()
        let log = ServerLog(format, slowAfterMilliseconds: 1, kept.environment)
        var request = Self.request
        request.path = "/notes/4711?code=hunter2"
        _ = try await log.logging(router).respond(to: request)
        log.flush()
        let lines = kept.error.split(separator: "\n").map(String.init)
        expectEqual(lines.count, format == .off ? 1 : 2)
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

    @Test func `The log of a server calls no fast request slow`() async throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(.off, slowAfterMilliseconds: 3_600_000, kept.environment)
        _ = try await log.logging(Self.handler).respond(to: Self.request)
        log.flush()
        #expect(kept.error.isEmpty)
    }

    @Test(arguments: [AccessLogFormat.json, .logfmt])
    func `The log of a server has one form for warnings, errors and notices`(format: AccessLogFormat) throws {
        let kept = RecordingEnvironment()
        let log = ServerLog(format, kept.environment)
        log.warn(StartupWarning(message: "two\nlines \u{1B}[31m", hint: "mend it"))
        log.report(.failed("it failed", hint: "try again"))
        log.report(.failed("it failed"))
        log.write(.notice("administration on http://a", event: "administration", ["url": "http://a"]))
        let lines = kept.error.split(separator: "\n").map(String.init)
        #expect(lines.count == 4 && !kept.error.contains("\u{1B}"))
        guard format == .json else {
            #expect(lines.allSatisfy { $0.hasPrefix("time=") && !$0.contains("hint: ") })
            #expect(
                lines[0].contains(#" level=warning message="two\nlines "#) && lines[0].hasSuffix(#" hint="mend it""#))
            #expect(lines[2].hasSuffix(#" level=error code=failed message="it failed""#))
            return
        }
        let objects = try lines.map { try JSONValue(parsing: Array($0.utf8)) }
        #expect(objects.allSatisfy { $0["time"]?.stringValue?.hasSuffix("Z") == true && $0["message"] != nil })
        expectEqual(objects.map { $0["level"] }, ["warning", "error", "error", "info"])
        #expect(objects[0]["hint"] == "mend it" && objects[1]["code"] == "failed" && objects[3]["url"] == "http://a")
    }

    @Test func `The log of a server has warnings and errors as text if only requests are switched off`() {
        for format in [AccessLogFormat.text, .off] {
            let kept = RecordingEnvironment()
            let log = ServerLog(format, kept.environment)
            log.warn(StartupWarning(message: "no mails", hint: "set smtp_url"))
            log.report(.failed("it failed"))
            expectEqual(kept.error, "latch: warning: no mails\nhint: set smtp_url\nlatch: it failed\n")
        }
    }

    @Test func `The log of a server has a line for each mail that was not sent, without its recipient`() async throws {
        struct Unreachable: Mailer {
            func send(_ message: MailMessage) async throws { throw HTTPError.timeout }
        }
        let kept = RecordingEnvironment()
        let message = try MailMessage(to: "ada@example.com", subject: "Reset your password", text: "hunter2")
        let log = ServerLog(.text, kept.environment)
        await #expect(throws: HTTPError.self) {
            try await LoggingMailer(next: Unreachable(), log: log).send(message)
        }
        log.flush()
        #expect(kept.error.hasPrefix("latch: the email 'Reset your password' was not sent: "))
        #expect(!kept.error.contains("ada@") && !kept.error.contains("hunter2"))
    }
}

@Suite(.serialized) struct CollectorLogTests {
    @Test
    func `A served process with a log for collectors writes only JSON on standard error from its start`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder + "/latch.toml"
            let settings =
                "access_log = \"json\"\nsmtp_url = \"smtp://127.0.0.1:1\"\nargon2_memory_kib = 8\nargon2_passes = 1\n"
            try Data(settings.utf8).write(to: URL(filePath: file))
            let environment = [
                "LATCH_ADMIN_LISTEN": "127.0.0.1:0", "LATCH_ISUER": "x", "LATCH_MAIL_DIRECTORY": "",
                "LATCH_ACCESS_LOG": "json", "LATCH_ISSUER": "https://id.example.com",
            ]
            try await BuiltProgram.serving(["--config", file], in: folder, environment: environment) { process, url in
                let client = Client(baseURL: try #require(URL(string: url)))
                let content = #"{"email":"ada@example.com","password":"a horse walks into a library"}"#
                let request = try client.request(
                    .post, "api/clients/register", fields: [.contentType: "application/json"], body: HTTPBody(content))
                try await expectEqual(client.respond(to: request).status, .created)
                try Data((settings + "\nevent_loops = 3\n").utf8).write(to: URL(filePath: file))
                process.hangUp()
                try await Self.wait(for: #""Without effect until the next start: event_loops.""#, in: folder)
                try Data("argon2_passes = \"many\"\n".utf8).write(to: URL(filePath: file))
                process.hangUp()
                try await Self.wait(for: #""The earlier configuration stays in effect.""#, in: folder)
                try await Self.wait(for: #""event":"mail_not_sent""#, in: folder)
                process.terminate()
                await expectEqual(process.end(), .exited(0))
            }
            let lines = try BuiltProgram.lines(of: folder + "/error").map { try JSONValue(parsing: Array($0.utf8)) }
            #expect(lines.allSatisfy { $0["time"] != nil && ($0["level"] ?? $0["event"] ?? $0["method"]) != nil })
            expectEqual(lines.first?["message"], "LATCH_ISUER is not a setting and has no effect.")
            let events = Set(lines.compactMap { $0["event"]?.stringValue })
            #expect(events.isSuperset(of: ["administration", "started", "reloaded", "mail_not_sent"]))
            expectEqual(lines.last?["event"], "stopped")
            #expect(lines.contains { $0["code"] != nil && $0["level"] == "error" })
            #expect(!BuiltProgram.lines(of: folder + "/error").joined().contains("ada@example.com"))
        }
    }

    @Test func `A served process with a log for collectors ends with a line of the same form`() async throws {
        let outcome = try await BuiltProgram.run(
            "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:/nowhere/latch.sqlite",
            environment: ["LATCH_ACCESS_LOG": "json"])
        expectEqual(outcome.ending, .exited(1))
        let last = try JSONValue(parsing: Array(try #require(outcome.error.last).utf8))
        #expect(
            last["level"] == "error" && last["hint"] != nil
                && last["message"]?.stringValue?.contains("/nowhere") == true)
    }

    /// Waits until a line of the log has a text.
    private static func wait(for text: String, in folder: String) async throws {
        for _ in 0..<60_000 {
            if BuiltProgram.lines(of: folder + "/error").contains(where: { $0.contains(text) }) { return }
            try await WallClock.system.sleep(for: .milliseconds(1))
        }
        Issue.record("no line has \(text): \(BuiltProgram.lines(of: folder + "/error"))")
    }
}

@Suite(.serialized) struct OperationsTests {
    @Test func `The listener for operators has the metrics, and the public one then has none`() async throws {
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
                try await expectEqual(status(operators, "metrics"), 200)
                for path in ["healthz", "livez", "readyz"] { try await expectEqual(status(operators, path), 200) }
                try await expectEqual(status(operators, "login"), 404)
                try await expectEqual(status(users, "metrics"), 404)
                try await expectEqual(status(users, "healthz"), 200)
            }
        }
    }
}
