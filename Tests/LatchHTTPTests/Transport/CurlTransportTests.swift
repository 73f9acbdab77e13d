// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchTesting
import Testing

@Suite struct `A libcurl transport` {
    let transport = CurlTransport()

    private func request(
        _ server: RawHTTPServer, _ method: HTTPMethod = .get, _ path: String = "/", fields: HTTPFields = [:],
        body: HTTPBody = .empty
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:\(server.port)", path: path, fields: fields,
            body: body)
    }

    @Test func `brings back status, fields in order and content`() async throws {
        let server = try RawHTTPServer { _ in
            .response(201, fields: ["X-A: 1", "x-a:  two ", "Set-Cookie: a=b"], body: "hello")
        }
        let response = try await transport.respond(to: request(server, .get, "/a/b?c=d%20e"))
        #expect(response.status == .created)
        #expect(response.body.text == "hello")
        #expect(response.fields.values(of: "X-A") == ["1", "two"])
        #expect(response.fields[.setCookie] == "a=b")
        #expect(server.requests.map(\.line) == ["GET /a/b?c=d%20e HTTP/1.1"])
    }

    @Test func `uses one connection for requests that follow each other`() async throws {
        let server = try RawHTTPServer { .response(body: "answer \($0.number)") }
        for number in 0..<50 {
            let response = try await transport.respond(to: request(server))
            #expect(response.body.text == "answer \(number)")
        }
        #expect(server.connectionCount == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func `aborts the transfer when the task is cancelled`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let request = request(server)
        let task = Task { [transport] in try await transport.respond(to: request) }
        for await event in server.events {
            if case .received = event { task.cancel() }
            if case .closedByClient = event { break }
        }
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        #expect(error?.code == HTTPError.cancelled.code)
    }
}
