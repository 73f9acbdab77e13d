// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct ImmediateResponseTests {
    /// Routes that say whether they run in a task, and one that waits.
    private static var router: any Handler {
        var router = Router(interceptors: [RequestIDInterceptor(), AccessLogInterceptor { _ in }])
        router.getImmediately("/now") { _ in HTTPResponse(status: .ok, body: HTTPBody(isInTask ? "task" : "none")) }
        router.getImmediately("/now/{id}") { request in
            HTTPResponse(status: .ok, body: HTTPBody(try request.pathParameter("id", as: Int.self).description))
        }
        router.getImmediately("/fails") { _ in throw HTTPError.tooLarge }
        router.get("/later") { _ in
            await Task.yield()
            return HTTPResponse(status: .ok, body: HTTPBody(isInTask ? "task" : "none"))
        }
        return router
    }

    private static var isInTask: Bool { withUnsafeCurrentTask { $0 != nil } }

    @Test func `A response without waiting takes no task, also if a proxy is trusted`() async throws {
        var trusting = Server.Configuration.patient
        trusting.trustedProxies = TrustedProxies([try #require(NetworkRange("127.0.0.1"))])
        for configuration in [Server.Configuration.patient, trusting] {
            try await serving(Self.router, configuration: configuration) { address in
                let client = try RawClient(port: address.port)
                for (path, body) in [("/now", "none"), ("/later", "task"), ("/now/12", "12"), ("/now", "none")] {
                    await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n")
                    let response = await client.receiveResponse()
                    expectEqual(response?.body.text, body)
                    #expect(response?.fields[.requestID] != nil)
                }
            }
        }
    }

    @Test
    func `A response without waiting is like any other if it fails, is missing, or has no content`() async throws {
        try await serving(Self.router) { address in
            for (line, status, length) in [
                ("GET /fails", 500, nil), ("GET /now/x", 400, nil), ("GET /never", 404, nil), ("PUT /now", 405, nil),
                ("HEAD /now", 200, "4"),
            ] {
                let client = try RawClient(port: address.port)
                await client.send("\(line) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
                let text = String(decoding: await client.receiveAll(), as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 \(status) "))
                if let length { #expect(text.contains("Content-Length: \(length)\r\n") && text.hasSuffix("\r\n\r\n")) }
            }
        }
    }

    @Test
    func `A response without waiting comes in order to a client that sends all of its requests at once`() async throws {
        let count = 5_000
        try await serving(Self.router) { address in
            let client = try RawClient(port: address.port)
            async let sent: Bool = client.send(
                (0..<count).map { "GET /now/\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            var rest: [UInt8] = []
            for number in 0..<count {
                guard await client.receiveResponse(rest: &rest)?.body.text == "\(number)" else {
                    Issue.record("response \(number) is missing")
                    break
                }
            }
            #expect(await sent)
        }
    }
}
