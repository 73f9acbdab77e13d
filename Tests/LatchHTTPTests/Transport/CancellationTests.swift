// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    private let transport = CurlTransport()

    @Test func `Canceling a task aborts its transfer`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let task = Task { try await transport.respond(to: server.request()) }
        for await event in server.events {
            if case .received = event { task.cancel() }
            if case .closedByClient = event { break }
        }
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        expectEqual(error?.code, HTTPError.cancelled.code)
    }

    @Test func `Canceling a task aborts a transfer in the middle of its answer`() async throws {
        let server = try RawHTTPServer { _ in .text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf") }
        let task = Task { try await transport.respond(to: server.request()) }
        for await event in server.events {
            if case .received = event { task.cancel() }
            if case .closedByClient = event { break }
        }
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        expectEqual(error?.code, HTTPError.cancelled.code)
    }

    @Test func `Canceling a task before it begins sends nothing`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.respond(to: server.request())
        }
        let error = await #expect(throws: HTTPError.self) { try await task.value }
        expectEqual(error?.code, HTTPError.cancelled.code)
        expectEqual(server.connectionCount, 0)
    }

    @Test func `Canceling a task leaves the others running`() async throws {
        let server = try RawHTTPServer { $0.line.contains("/stall") ? .stall : .response(body: $0.line) }
        let stalled = (0..<40).map { _ in Task { try await transport.respond(to: server.request(.get, "/stall")) } }
        for number in 0..<100 {
            if number < stalled.count { stalled[number].cancel() }
            let response = try await transport.respond(to: server.request(.get, "/\(number)"))
            expectEqual(response.body.text, "GET /\(number) HTTP/1.1")
        }
        for task in stalled {
            let error = await #expect(throws: HTTPError.self) { try await task.value }
            expectEqual(error?.code, HTTPError.cancelled.code)
        }
    }

    /// Cancellation may come at any moment; whichever it is, the answer is the right one or the error is `cancelled`.
    @Test func `Canceling a task at any moment ends in the answer or in the error`() async throws {
        let server = try RawHTTPServer { .response(body: $0.line) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<2000 {
                group.addTask {
                    let task = Task { try await transport.respond(to: server.request(.get, "/\(number)")) }
                    for _ in 0..<(number % 7) { await Task.yield() }
                    task.cancel()
                    do {
                        let response = try await task.value
                        expectEqual(response.body.text, "GET /\(number) HTTP/1.1")
                    } catch let error as HTTPError {
                        expectEqual(error.code, HTTPError.cancelled.code)
                    }
                }
            }
            try await group.waitForAll()
        }
        let response = try await transport.respond(to: server.request(.get, "/after"))
        expectEqual(response.body.text, "GET /after HTTP/1.1")
    }
}
