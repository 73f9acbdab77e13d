// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Testing

@Suite struct HandlerTests {
    private let request = HTTPRequest(authority: "h", path: "/")

    private func adding(_ name: String) -> ClosureInterceptor {
        ClosureInterceptor { request, next in
            var request = request
            request.fields.append(name, for: "Via")
            var response = try await next.respond(to: request)
            response.fields.append(name, for: "Via")
            return response
        }
    }

    private let echo = ClosureHandler { request in HTTPResponse(status: .ok, fields: request.fields) }

    @Test func `An interceptor is nested in the order of the list`() async throws {
        let handler = echo.intercepted(by: [adding("a"), adding("b"), adding("c")])
        let response = try await handler.respond(to: request)
        expectEqual(response.fields.values(of: "Via"), ["a", "b", "c", "c", "b", "a"])
    }

    @Test func `An interceptor changes nothing if the list is empty`() async throws {
        let response = try await echo.intercepted(by: []).respond(to: request)
        #expect(response.fields.isEmpty)
    }

    @Test func `An interceptor can answer itself, ask twice, or turn an error into an answer`() async throws {
        let asked = Recording<Int>()
        let failing = ClosureHandler { _ in
            asked.add(1)
            throw HTTPError.offline
        }
        let alone = ClosureInterceptor { _, _ in HTTPResponse(status: .noContent) }
        try await expectEqual(failing.intercepted(by: [alone]).respond(to: request).status, .noContent)
        #expect(asked.entries.isEmpty)
        let patient = ClosureInterceptor { request, next in
            do { return try await next.respond(to: request) } catch HTTPError.offline {
                _ = try? await next.respond(to: request)
                return HTTPResponse(status: .serviceUnavailable)
            }
        }
        try await expectEqual(failing.intercepted(by: [patient]).respond(to: request).status, .serviceUnavailable)
        expectEqual(asked.entries.count, 2)
    }

    @Test func `An interceptor lets the handler's errors through`() async {
        let failing = ClosureHandler { _ in throw HTTPError.tls }
        await #expect(throws: HTTPError.tls) { try await failing.intercepted(by: [adding("a")]).respond(to: request) }
    }
}
