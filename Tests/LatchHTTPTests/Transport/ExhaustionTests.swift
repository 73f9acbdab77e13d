// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// Lets Dispatch open the descriptors of its timers, without which it ends the process itself.
private func openTimers() async throws {
    try await Task.sleep(for: .milliseconds(1), clock: .continuous)
    try await Task.sleep(for: .milliseconds(1), clock: .suspending)
}

/// The real transport, with a count of its requests.
private final class CountingTransport: Handler {
    let inner = CurlTransport()
    let count = Mutex(0)

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        count.withLock { $0 += 1 }
        return try await inner.respond(to: request)
    }
}

@Suite struct ExhaustionTests {
    /// Runs in a process of its own, since the limit applies to the whole process.
    @Test func `A process that cannot open more files gets an error from its transport and is not ended`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await openTimers()
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
            let transport = CurlTransport()
            for _ in 0..<3 {
                let error = await #expect(throws: HTTPError.self) {
                    try await transport.respond(to: HTTPRequest(scheme: "http", authority: "127.0.0.1:1", path: "/"))
                }
                expectEqual(error?.code, HTTPError.tooManyOpenFiles.code)
                expectEqual(error?.hint?.contains("ulimit -n"), true)
            }
        }
    }

    @Test func `A process that cannot open more files gets an error from a transport that it made before`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            let server = try RawHTTPServer { _ in .response(body: "late") }
            let transport = CurlTransport()
            _ = await #expect(throws: HTTPError.self) {
                try await transport.respond(to: HTTPRequest(scheme: "http", authority: "127.0.0.1:1", path: "/"))
            }
            var usual = rlimit()
            expectEqual(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual), 0)
            var none = rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none), 0)
            let error = await #expect(throws: HTTPError.tooManyOpenFiles) {
                try await transport.respond(to: server.request())
            }
            expectEqual(error?.isUnsent, true)
            expectEqual(error?.isConnectivity, false)
            await #expect(throws: HTTPError.tooManyOpenFiles) {
                try await transport.respond(to: HTTPRequest(scheme: "https", authority: "localhost:1", path: "/"))
            }
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &usual), 0)
            try await expectEqual(transport.respond(to: server.request()).body.text, "late")
        }
    }

    @Test func `A process that cannot open more files gets an error for a mail too`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await openTimers()
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
            let error = await #expect(throws: HTTPError.self) {
                try await SMTPSubmission().send(message: [65], from: "a@b", to: ["c@d"], via: "smtp://127.0.0.1:1")
            }
            expectEqual(error?.isUnsent, true)
        }
    }

    @Test
    func `A process that cannot open more files sends a request once, since another attempt would not help`() async {
        await #expect(processExitsWith: .success) {
            alarm(120)
            try await openTimers()
            let transport = CountingTransport()
            _ = try? await transport.inner.respond(to: HTTPRequest(scheme: "http", authority: "127.0.0.1:1", path: "/"))
            var limit = rlimit(rlim_cur: 0, rlim_max: 0)
            expectEqual(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit), 0)
            let client = transport.intercepted(by: [RetryInterceptor()])
            await #expect(throws: HTTPError.tooManyOpenFiles) {
                try await client.respond(to: HTTPRequest(scheme: "http", authority: "127.0.0.1:1", path: "/"))
            }
            expectEqual(transport.count.withLock { $0 }, 1)
        }
    }
}

@Suite struct BlankFieldTests {
    @Test(arguments: ["", " ", "\t", "  \t "])
    func `A field that holds only blanks is sent empty and not left out`(value: String) async throws {
        let server = try RawHTTPServer { _ in .response() }
        let fields: HTTPFields = ["X-Before": "1", "X-Blank": value, "X-After": "2"]
        _ = try await CurlTransport().respond(to: server.request(fields: fields))
        let request = try #require(server.requests.first)
        expectEqual(request.values(of: "X-Blank"), [""])
        expectEqual(request.values(of: "X-Before"), ["1"])
        expectEqual(request.values(of: "X-After"), ["2"])
    }

    @Test(arguments: ["a;b", ";", "a:b", " a ", "x;"])
    func `A field that holds only blanks is distinguished from one with a value`(value: String) async throws {
        let server = try RawHTTPServer { _ in .response() }
        _ = try await CurlTransport().respond(to: server.request(fields: ["X-A": value]))
        let seen = try #require(server.requests.first?.values(of: "X-A").first)
        expectEqual(seen.trimmingCharacters(in: .whitespaces), value.trimmingCharacters(in: .whitespaces))
    }
}

@Suite struct TransportRequestTests {
    private let transport = CurlTransport()

    @Test func `A request with the transport's fields is sent once with each of them`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let fields: HTTPFields = [.host: "127.0.0.1:\(server.port)", .contentLength: "3"]
        _ = try await transport.respond(to: server.request(.put, fields: fields, body: HTTPBody("abc")))
        let request = try #require(server.requests.first)
        expectEqual(request.values(of: "Host"), ["127.0.0.1:\(server.port)"])
        expectEqual(request.values(of: "Content-Length"), ["3"])
    }

    @Test(arguments: ["4", "03", "+3", " 3", "3, 3", ""])
    func `A request with the transport's fields is refused if its length is spelled otherwise`(length: String)
        async throws
    {
        let server = try RawHTTPServer { _ in .response() }
        await #expect(throws: HTTPError.invalidField) {
            try await transport.respond(
                to: server.request(.put, fields: [.contentLength: length], body: HTTPBody("abc")))
        }
        expectEqual(server.connectionCount, 0)
    }

    @Test func `A request of a HEAD with content is refused before it is sent`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        await #expect(throws: HTTPError.malformedMessage) {
            try await transport.respond(to: server.request(.head, body: HTTPBody("x")))
        }
        expectEqual(server.connectionCount, 0)
        _ = try await transport.respond(to: server.request())
    }

    @Test(arguments: [Duration.seconds(Int64.min), .seconds(-1), .zero])
    func `A request without any time is a timeout and not a crash`(timeout: Duration) async throws {
        let server = try RawHTTPServer { _ in .stall }
        var request = server.request()
        request.timeout = timeout
        await #expect(throws: HTTPError.timeout) { try await transport.respond(to: request) }
    }
}
