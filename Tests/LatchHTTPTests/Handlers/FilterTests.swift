// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Synchronization
import Testing

@testable import LatchHTTP

@Suite struct FilterTests {
    /// A filter that records when it is called, and may respond or recover.
    private struct Recorder: Filter {
        let name: String
        let calls: Calls
        var early: HTTPStatus?
        var recovery: HTTPStatus?

        func filter(_ request: inout HTTPRequest) -> Filtering<String> {
            calls.add("\(name) \(request.fields["X-Names"] ?? "")")
            request.fields["X-Names"] = (request.fields["X-Names"] ?? "") + name
            if let early { return .respond(HTTPResponse(status: early)) }
            return .proceed(name)
        }

        func complete(_ outcome: inout Outcome, _ name: consuming String) {
            calls.add("\(name) \(outcome.error == nil ? outcome.response.status.description : "failed")")
            if let recovery, outcome.error != nil { outcome.recover(by: HTTPResponse(status: recovery)) }
            outcome.response.fields.append(name, for: "X-Seen-By")
        }
    }

    private final class Calls: Sendable {
        private let list = Mutex<[String]>([])

        func add(_ call: String) { list.withLock { $0.append(call) } }

        var all: [String] { list.withLock { $0 } }
    }

    private let calls = Calls()

    private func chain(_ filters: [any Interceptor], _ body: @escaping @Sendable () throws -> HTTPStatus) -> any Handler
    {
        ClosureHandler { [calls] request in
            calls.add("handler \(request.fields["X-Names"] ?? "")")
            return HTTPResponse(status: try body())
        }.nested(in: filters)
    }

    private func respond(_ handler: any Handler) async throws -> HTTPResponse {
        try await handler.respond(to: HTTPRequest(authority: "a", path: "/"))
    }

    @Test
    func `Filters see the request from the first to the last, and the response from the last to the first`()
        async throws
    {
        let handler = chain([Recorder(name: "a", calls: calls), Recorder(name: "b", calls: calls)]) { .ok }
        let response = try await respond(handler)
        expectEqual(calls.all, ["a ", "b a", "handler ab", "b 200", "a 200"])
        expectEqual(response.fields.values(of: "X-Seen-By"), ["b", "a"])
    }

    @Test func `Filters keep their order among other interceptors`() async throws {
        let between = ClosureInterceptor { [calls] request, next in
            calls.add("between")
            return try await next.respond(to: request)
        }
        let filters: [any Interceptor] = [
            Recorder(name: "a", calls: calls), between, Recorder(name: "b", calls: calls),
        ]
        _ = try await respond(chain(filters) { .ok })
        expectEqual(calls.all, ["a ", "between", "b a", "handler ab", "b 200", "a 200"])
    }

    @Test func `Filters respond in place of the rest of the chain, and the outer ones see it`() async throws {
        let filters = [
            Recorder(name: "a", calls: calls), Recorder(name: "b", calls: calls, early: .tooManyRequests),
            Recorder(name: "c", calls: calls),
        ]
        let response = try await respond(chain(filters) { .ok })
        expectEqual(response.status, .tooManyRequests)
        expectEqual(calls.all, ["a ", "b a", "a 429"])
    }

    @Test func `Filters see an error, which one of them can turn into a response`() async throws {
        let filters = [
            Recorder(name: "a", calls: calls), Recorder(name: "b", calls: calls, recovery: .notFound),
            Recorder(name: "c", calls: calls),
        ]
        let response = try await respond(chain(filters) { throw HTTPError.cancelled })
        expectEqual(response.status, .notFound)
        expectEqual(response.fields.values(of: "X-Seen-By"), ["b", "a"])
        expectEqual(calls.all.suffix(3), ["c failed", "b failed", "a 404"])
    }

    @Test func `Filters pass on an error that none of them turns into a response`() async throws {
        let handler = chain([Recorder(name: "a", calls: calls)]) { throw HTTPError.cancelled }
        await #expect(throws: HTTPError.cancelled) { try await respond(handler) }
        expectEqual(calls.all, ["a ", "handler a", "a failed"])
    }

    @Test func `Filters are interceptors by themselves`() async throws {
        let filter = Recorder(name: "a", calls: calls)
        let response = try await filter.intercept(HTTPRequest(authority: "a", path: "/"), next: chain([]) { .ok })
        #expect(response.status == .ok && calls.all == ["a ", "handler a", "a 200"])
    }
}
