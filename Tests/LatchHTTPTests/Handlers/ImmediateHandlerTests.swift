// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchTesting
import Testing

@testable import LatchHTTP

@Suite struct ImmediateHandlerTests {
    private struct Failure: Error {}

    /// A filter that adds its name to the response, and makes 418 of an error.
    private struct Signing: Filter {
        let name: String

        func filter(_ request: inout HTTPRequest) -> Filtering<String> {
            if request.path == "/\(name)" { return .respond(HTTPResponse(status: HTTPStatus(rawValue: 202))) }
            return .proceed(name)
        }

        func complete(_ outcome: inout Outcome, _ name: consuming String) {
            if outcome.error != nil { outcome.recover(by: HTTPResponse(status: HTTPStatus(rawValue: 418))) }
            outcome.response.fields.append(name, for: "Signed")
        }
    }

    /// A filter that replaces the content of the response.
    private struct Counting: Filter {
        func filter(_ request: inout HTTPRequest) -> Filtering<Void> { .proceed(()) }

        func complete(_ outcome: inout Outcome, _ note: consuming Void) {
            outcome.response.body = HTTPBody("counted")
        }
    }

    /// A filter with its own beginning, in place of the one that is compiled for each filter.
    private struct Own: Filter {
        func filter(_ request: inout HTTPRequest) -> Filtering<Void> { .proceed(()) }

        func beginning(next: NextHandler) -> NextHandler.Beginning {
            { _ in .ready(Outcome(HTTPResponse(status: HTTPStatus(rawValue: 299)))) }
        }
    }

    private static func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        guard request.path != "/fails" else { throw Failure() }
        return HTTPResponse(status: .ok, body: HTTPBody(request.path))
    }

    private static let interceptors: [any Interceptor] = [Signing(name: "a"), Counting(), Signing(name: "b")]

    private func request(_ path: String) -> HTTPRequest { HTTPRequest(authority: "a", path: path) }

    @Test(arguments: ["/", "/fails", "/a", "/b"])
    func `A handler that waits for nothing responds at once through filters`(path: String) async throws {
        let chain = ImmediateClosureHandler { try Self.answer($0) }.nested(in: Self.interceptors)
        let waiting = ClosureHandler { request in
            await Task.yield()
            return try Self.answer(request)
        }.nested(in: Self.interceptors)
        var asked = request(path)
        guard case .ready(let outcome) = NextHandler(chain).begin(&asked) else {
            Issue.record("it waits")
            return
        }
        let (now, later) = (try outcome.get(), try await waiting.respond(to: request(path)))
        expectEqual(now.status, later.status)
        expectEqual(now.fields, later.fields)
        expectEqual(now.body.bytes, later.body.bytes)
        try await expectEqual(chain.respond(to: request(path)).status, now.status)
        let expected = ["/": ["b", "a"], "/fails": ["b", "a"], "/a": [], "/b": ["a"]]
        expectEqual(now.fields.values(of: "Signed"), expected[path])
    }

    /// A chain that called one generic function for all filters would ask the runtime for the type of each note.
    @Test func `A handler that waits for nothing begins by the function of each filter's type`() {
        let chain = ImmediateClosureHandler { try Self.answer($0) }.nested(in: [Own()])
        var asked = request("/")
        guard case .ready(let outcome) = NextHandler(chain).begin(&asked) else {
            Issue.record("it waits")
            return
        }
        expectEqual(outcome.response.status.rawValue, 299)
    }

    @Test func `A handler that waits for nothing passes asynchronous work to its caller`() async throws {
        let waiting = ClosureHandler { _ in throw Failure() }
        var asked = request("/")
        let begun = NextHandler(waiting.nested(in: Self.interceptors)).begin(&asked)
        guard case .pending = begun else {
            Issue.record("it does not wait")
            return
        }
        try await expectEqual(begun.value().status.rawValue, 418)
        let failing = NextHandler(waiting).begin(&asked)
        await #expect(throws: Failure.self) { try await failing.value() }
    }
}
