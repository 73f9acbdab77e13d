// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import Nevod

/// Collects everything that is logged.
private final class Sink: Sendable {
    let notes = Mutex<[LogContext]>([])
    var configuration: LoggerConfiguration {
        let take: LogHandler = { note in self.notes.withLock { $0.append(note) } }
        return LoggerConfiguration(debugHandler: take, infoHandler: take, warningHandler: take, errorHandler: take)
    }
    var text: String {
        notes.withLock { notes in
            notes.map { "\($0.level) \($0.message) \($0.payload.sorted { $0.key < $1.key })" }.joined(separator: "\n")
        }
    }
}

@Suite struct LoggingTests {
    @Test(.tags(.logRedaction), arguments: [200, 401, 404, 500, 0])
    func `A log never contains a secret`(status: Int) async throws {
        let canary = "canary-5ecret-9f1c"
        let server = try RawHTTPServer { _ in
            status == 0
                ? .closing(after: "")
                : .response(
                    status, fields: ["Set-Cookie: sid=\(canary)", "X-Token: \(canary)"],
                    body: #"{"id":7,"name":"Ada","access_token":"\#(canary)"}"#)
        }
        let sink = Sink()
        let logger = NevodLogger(config: sink.configuration)
        let bearer = TokenStorage<Token>(storage: InMemoryStorage())
        await bearer.save(Token(value: canary))
        let query = TokenStorage<QueryAPIKeyToken>(storage: InMemoryStorage())
        await query.save(QueryAPIKeyToken(apiKey: canary))
        let never: @Sendable (Any?) async throws -> Never = { _ in throw NetworkError.unauthorized }
        let chain = InterceptorChain([
            LoggingInterceptor(logger: logger),
            HeadersInterceptor(headers: ["X-Client-Secret": canary, "Cookie": "sid=\(canary)"]),
            AuthenticationInterceptor(tokenStorage: bearer, refreshStrategy: { try await never($0) }),
            AuthenticationInterceptor(tokenStorage: query, refreshStrategy: { try await never($0) }),
            LoggingInterceptor(logger: logger, hideHeaderFields: []),
        ])
        let provider = NetworkProvider.quick(
            baseURL: try #require(URL(string: server.url)), retryPolicy: RetryPolicy(baseDelay: 0),
            interceptor: chain, logger: logger)
        let error = await failure { () -> User in
            try await provider.put("users/\(canary)", query: ["password": canary], body: ["password": canary])
        }
        expectEqual(error == nil, status == 200)
        let logged = sink.text
        #expect(!logged.contains(canary), "\(logged)")
        #expect(!(error.map { "\($0) \(String(reflecting: $0))" } ?? "").contains(canary))
        #expect(logged.contains("→ PUT http://127.0.0.1:\(server.port)/users/*"))
        if status > 400 { #expect(logged.contains("HTTP \(status)")) }
    }

    @Test(.tags(.logRedaction)) func `A log describes a failure by status or name`() async throws {
        let sink = Sink()
        let provider = provider(
            try #require(URL(string: "http://127.0.0.1:1")),
            interceptor: LoggingInterceptor(logger: NevodLogger(config: sink.configuration)))
        await expectEqual(failure { () -> User in try await provider.get("users") }, .noConnection)
        let last = try #require(sink.notes.withLock { $0.last })
        expectEqual(last.level, .error)
        #expect(last.message.hasSuffix("/users - noConnection"))
        expectEqual(last.payload["error"], "noConnection")
    }
}

@Suite struct LinuxLoggingTests {
    /// Returns the lines of a log of one request.
    private func lines(_ configuration: (FileHandle) -> LoggerConfiguration) async throws -> String {
        let file = FileManager.default.temporaryDirectory.appending(path: "latch-log-\(UUID().uuidString)")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let logger = NevodLogger(config: configuration(handle))
        try await Backend().serve { url in
            let provider = provider(url, interceptor: LoggingInterceptor(logger: logger))
            let _: User? = try? await provider.get("/users/me")
        }
        try handle.close()
        return String(decoding: try Data(contentsOf: file), as: UTF8.self)
    }

    @Test func `A logging interceptor on Linux logs all requests, and their failures`() async throws {
        let all = try await lines { .journal(category: "requests", writesRequests: true, to: $0) }
        #expect(all.contains("com.nevod.network requests: [info] → GET http://127.0.0.1:"))
        #expect(all.contains("[error] ← GET"))
        #expect(LoggerConfiguration.requests.infoHandler != nil)
    }

    @Test
    func `A logging interceptor on Linux logs failures only by the configuration of all other loggers`() async throws {
        let failures = try await lines { .journal(category: "x", writesRequests: false, to: $0) }
        #expect(failures.contains("[error] ← GET"))
        #expect(!failures.contains("→"))
        expectNil(LoggerConfiguration.oslog().infoHandler)
    }
}

@Suite struct LoggerTests {
    @Test func `A logger passes each entry to the handler of its level`() async {
        let sink = Sink()
        let take = sink.configuration.infoHandler
        let logger = NevodLogger(config: LoggerConfiguration(infoHandler: take, errorHandler: take))
        await logger.debug("d")
        await logger.info("i", payload: ["k": "v"])
        await logger.warning("w")
        await logger.error("e")
        let notes = sink.notes.withLock { $0 }
        expectEqual(notes.map(\.message), ["i", "e"])
        expectEqual(notes.map(\.level), [LogLevel.info, .error])
        expectEqual(notes.first?.payload, ["k": "v"])
        expectEqual(notes.first?.file.contains("LoggingTests"), true)
    }

    @Test func `A logger drops entries when it is silent`() async {
        expectNil(LoggerConfiguration.silent.errorHandler)
        #expect(LoggerConfiguration.console.debugHandler != nil)
        #expect(LoggerConfiguration.oslog(subsystem: "a", category: "b").errorHandler != nil)
        await NevodLogger(config: .silent).error("nobody hears it")
    }
}
