// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchServer
import Testing

@Suite struct CORSTests {
    private static let app = "https://app.example.com"

    private func response(
        _ method: HTTPMethod, _ path: String, _ fields: HTTPFields, origins: Set<String> = [app],
        below prefix: String = "/api"
    ) async throws -> HTTPResponse {
        var router = Router(
            interceptors: [CORSInterceptor(origins: origins, below: prefix), ProblemInterceptor()])
        router.get("/api/notes") { _ in HTTPResponse(status: .ok, fields: ["Vary": "Accept"]) }
        router.post("/api/notes") { _ throws(ServerError) -> HTTPResponse in throw .malformedRequest("no") }
        router.get("/page") { _ in HTTPResponse(status: .ok) }
        let request = HTTPRequest(
            method: method, scheme: "https", authority: "api.example.com", path: path, fields: fields)
        return try await router.respond(to: request)
    }

    @Test func `A page of an allowed origin may send its request and read the response`() async throws {
        let preflight = try await response(
            .options, "/api/notes?x=1",
            [
                "Origin": Self.app, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization,content-type",
            ])
        expectEqual(preflight.status, .noContent)
        expectEqual(preflight.fields["Access-Control-Allow-Origin"], Self.app)
        expectEqual(preflight.fields["Access-Control-Allow-Methods"], "POST")
        expectEqual(preflight.fields["Access-Control-Allow-Headers"], "authorization,content-type")
        expectEqual(preflight.fields["Access-Control-Max-Age"], "7200")
        let response = try await response(.get, "/api/notes", ["Origin": Self.app])
        expectEqual(response.fields["Access-Control-Allow-Origin"], Self.app)
        expectEqual(response.fields["Vary"], "Accept, Origin")
        for fields in [preflight.fields, response.fields] {
            expectNil(fields["Access-Control-Allow-Credentials"])
        }
    }

    @Test func `A page of an allowed origin can read an error, too`() async throws {
        for (method, path, status) in [
            (.post, "/api/notes", 400), (.get, "/api/missing", 404), (.delete, "/api/notes", 405),
        ] as [(HTTPMethod, String, Int)] {
            let response = try await response(method, path, ["Origin": Self.app])
            expectEqual(response.status.rawValue, status)
            expectEqual(response.fields["Access-Control-Allow-Origin"], Self.app)
        }
    }

    @Test(arguments: [
        "https://evil.example", "null", "https://app.example.com.evil.example", "http://app.example.com",
        "https://app.example.com:8443", "*", "",
    ])
    func `A page of another origin may do neither`(origin: String) async throws {
        for method in [HTTPMethod.options, .get] {
            let response = try await response(
                method, "/api/notes", ["Origin": origin, "Access-Control-Request-Method": "POST"])
            #expect(response.fields.allSatisfy { !$0.name.description.lowercased().hasPrefix("access-control-") })
            expectEqual(response.fields["Vary"]?.contains("Origin"), true)
        }
    }

    @Test func `Pages may call only what lies below the prefix`() async throws {
        for path in ["/page", "/apinotes"] {
            let response = try await response(.get, path, ["Origin": Self.app])
            #expect(response.fields["Access-Control-Allow-Origin"] == nil && response.fields["Vary"] == nil)
        }
        let all = try await response(.get, "/page", ["Origin": Self.app], below: "/")
        expectEqual(all.fields["Access-Control-Allow-Origin"], Self.app)
    }

    @Test func `Every page may call an API for all origins, but a sandboxed one has none`() async throws {
        let other = try await response(.get, "/api/notes", ["Origin": "capacitor://localhost"], origins: ["*"])
        expectEqual(other.fields["Access-Control-Allow-Origin"], "capacitor://localhost")
        let sandboxed = try await response(.get, "/api/notes", ["Origin": "null"], origins: ["*"])
        expectNil(sandboxed.fields["Access-Control-Allow-Origin"])
    }

    @Test func `A request with the method OPTIONS that is no preflight reaches the API`() async throws {
        let response = try await response(.options, "/api/notes", ["Origin": Self.app])
        expectEqual(response.fields["Allow"]?.contains("GET"), true)
        expectEqual(response.fields["Access-Control-Allow-Origin"], Self.app)
    }
}
