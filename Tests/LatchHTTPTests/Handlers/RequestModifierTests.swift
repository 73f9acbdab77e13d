// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchHTTP
import LatchTesting
import TestSupport
import Testing

@Suite struct RequestModifierTests {
    /// Adds its name to the field `X-Step`, and remembers what it was asked.
    private struct Note: RequestModifier {
        let name: String
        let record: Recording<String>
        var crossesOrigins = false

        func prepare(_ request: inout HTTPRequest) async throws {
            record.add("\(name) before \(request.path)")
            request.fields["X-Step"] = (request.fields["X-Step"] ?? "") + name
        }

        func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
            record.add("\(name) after \(response.status) with \(request.fields["X-Step"] ?? "")")
        }
    }

    private struct Refusing: RequestModifier {
        func prepare(_ request: inout HTTPRequest) async throws { throw HTTPError.insecureURL }
    }

    private let record = Recording<String>()

    private func request(to server: RawHTTPServer, _ steps: [any RequestModifier], at path: String = "/") -> HTTPRequest
    {
        var request = server.request(.get, path)
        request.modifiers = steps
        return request
    }

    private func client(_ server: RawHTTPServer, _ interceptors: [any Interceptor] = []) throws -> Client {
        Client(baseURL: try #require(URL(string: server.url)), interceptors: interceptors)
    }

    @Test
    func `A request modifier changes the message in the order of the steps, and sees the answer in reverse`()
        async throws
    {
        let server = try RawHTTPServer { _ in .response() }
        let steps = [Note(name: "a", record: record), Note(name: "b", record: record)]
        _ = try await client(server).respond(to: request(to: server, steps))
        expectEqual(server.requests.first?.values(of: "X-Step"), ["ab"])
        expectEqual(record.entries, ["a before /", "b before /", "b after 200 with ab", "a after 200 with ab"])
    }

    @Test
    func `A request modifier runs after every interceptor, and does not change the request for the next time`()
        async throws
    {
        let server = try RawHTTPServer { .response($0.number == 0 ? 503 : 200) }
        let field = ClosureInterceptor { request, next in
            var request = request
            request.fields["X-Step"] = "interceptor,"
            return try await next.respond(to: request)
        }
        let again = ClosureInterceptor { request, next in
            let first = try await next.respond(to: request)
            return first.status == .serviceUnavailable ? try await next.respond(to: request) : first
        }
        let client = try client(server, [again, field])
        let response = try await client.respond(to: request(to: server, [Note(name: "a", record: record)]))
        expectEqual(response.status, .ok)
        expectEqual(server.requests.map { $0.values(of: "X-Step") }, [["interceptor,a"], ["interceptor,a"]])
    }

    @Test
    func `A request modifier runs again for each redirect within the origin, and beyond it only if asked to`()
        async throws
    {
        let elsewhere = try RawHTTPServer { _ in .response() }
        let server = try RawHTTPServer { request in
            switch request.number {
            case 0: .response(307, fields: ["Location: /second"])
            default: .response(307, fields: ["Location: \(elsewhere.url)/third"])
            }
        }
        let steps = [
            Note(name: "a", record: record), Note(name: "b", record: record, crossesOrigins: true),
        ]
        _ = try await client(server).respond(to: request(to: server, steps, at: "/first"))
        expectEqual(server.requests.map { $0.values(of: "X-Step") }, [["ab"], ["ab"]])
        expectEqual(elsewhere.requests.map { $0.values(of: "X-Step") }, [["b"]])
        expectEqual(record.entries.filter { $0.contains("before") }.count, 5)
    }

    @Test func `A request modifier stays away from another origin, and from a redirect back by it`()
        async throws
    {
        let home = Recording<String>()
        let elsewhere = try RawHTTPServer { _ in .response(307, fields: ["Location: \(home.entries[0])/back"]) }
        let server = try RawHTTPServer { request in
            switch request.number {
            case 0: .response(307, fields: ["Location: \(elsewhere.url)/"])
            case 1: .response(307, fields: ["Location: /end"])
            default: .response()
            }
        }
        home.add(server.url)
        _ = try await client(server).respond(to: request(to: server, [Note(name: "a", record: record)]))
        expectEqual(elsewhere.requests.first?.values(of: "X-Step"), [])
        // A stranger has chosen the path and the method there, so it must not choose them for a signature.
        expectEqual(server.requests.map(\.line), ["GET / HTTP/1.1", "GET /back HTTP/1.1", "GET /end HTTP/1.1"])
        expectEqual(server.requests.map { $0.values(of: "X-Step") }, [["a"], [], []])
    }

    @Test func `A request modifier that throws keeps the message from being sent`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let client = try client(server)
        let asked = request(to: server, [Note(name: "a", record: record), Refusing()])
        await #expect(throws: HTTPError.insecureURL) { try await client.respond(to: asked) }
        #expect(server.requests.isEmpty)
        expectEqual(record.entries, ["a before /"])
    }

    @Test func `A request modifier also runs at a transport with interceptors and no client`() async throws {
        let server = try RawHTTPServer { _ in .response() }
        let step = Note(name: "a", record: record)
        let adding = ClosureInterceptor { request, next in
            var request = request
            request.modifiers.append(step)
            return try await next.respond(to: request)
        }
        _ = try await CurlTransport().intercepted(by: [adding]).respond(to: server.request())
        expectEqual(server.requests.first?.values(of: "X-Step"), ["a"])
    }
}
