// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import LatchSignIn
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// Users of a web server who sign in at an OpenID provider; the test plays their browsers.
@Suite struct SignInRoutesTests {
    /// A browser with the cookies of the server, which follows no redirect by itself.
    private final class Visitor {
        let router: Router
        private(set) var cookies: [String: String] = [:]
        private(set) var fields: [String] = []

        init(_ router: Router) { self.router = router }

        func get(_ path: String, method: HTTPMethod = .get, form: String? = nil) async throws -> HTTPResponse {
            var request = HTTPRequest(method: method, authority: "notes.example.com", path: path)
            if let form {
                request.fields[.contentType] = "application/x-www-form-urlencoded"
                request.body = HTTPBody(form)
            }
            let cookie = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            request.fields[.cookie] = cookie.isEmpty ? nil : cookie
            let response = try await router.respond(to: request)
            for field in response.fields.values(of: .setCookie) {
                fields.append(field)
                let pair = field.prefix { $0 != ";" }.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = String(pair[0])
                cookies[name] = field.contains("Max-Age=0") ? nil : String(pair[1])
            }
            return response
        }

        func change(_ body: (inout [String: String]) -> Void) { body(&cookies) }
    }

    private let provider: ScriptedProvider

    init() throws {
        provider = try ScriptedProvider(ClientRegistration(clientID: "notes", secret: "secret-of-the-web-server"))
    }

    private func router(at url: String = "https://notes.example.com/sign-in") throws -> Router {
        var router = Router()
        let routes = try SignInRoutes(
            provider.client(), at: try #require(URL(string: url)),
            key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
        routes.add(to: &router) { user, _ in
            HTTPResponse(status: .ok, body: HTTPBody("\(user.claims?.subject ?? "?") to \(user.returnPath)"))
        }
        return router
    }

    /// Approves at the provider, and returns the path that it redirects to.
    private func approve(_ response: HTTPResponse) throws -> String {
        let page = try #require(response.fields[.location].flatMap(URL.init(string:)))
        let callback = try provider.approve(page)
        expectEqual(callback.path(), "/sign-in/callback")
        return "/sign-in/callback?\(callback.query(percentEncoded: true) ?? "")"
    }

    @Test(arguments: [0, 15])
    func `A web server's sign-in needs a key of 128 bits, and not that of an unset variable`(count: Int)
        throws
    {
        let url = try #require(URL(string: "https://notes.example.com/sign-in"))
        #expect(throws: CryptoError.unacceptableParameter) {
            try SignInRoutes(provider.client(), at: url, key: SymmetricKey(data: [UInt8](repeating: 7, count: count)))
        }
    }

    @Test func `A web server's sign-in is two routes and a cookie, on any node`() async throws {
        let visitor = Visitor(try router())
        let begun = try await visitor.get("/sign-in?return_to=/notes/7?edit%3D1")
        #expect(begun.status == 302 && begun.fields[.cacheControl] == "no-store")
        let field = try #require(visitor.fields.first)
        #expect(field.hasPrefix("__Host-sign-in-"))
        #expect(field.hasSuffix("; Path=/; Max-Age=600; HttpOnly; SameSite=Lax; Secure"))
        let callback = try approve(begun)
        // Another process, with the same key.
        let other = Visitor(try router())
        other.change { $0 = visitor.cookies }
        let finished = try await other.get(callback)
        expectEqual(finished.body.text, "ada to /notes/7?edit=1")
        #expect(other.cookies.isEmpty)
    }

    // Report 1 in Documentation/PublicReports.md: the provider appends a parameter that is not encoded.
    @Test func `A web server's sign-in reads a callback as it was sent, whatever else is in it`() async throws {
        let visitor = Visitor(try router())
        let callback = try approve(try await visitor.get("/sign-in")) + "&hint={x}|y&note=a%20b"
        #expect(callback.contains("%3A%2F%2F"))
        try await expectEqual(visitor.get(callback).body.text, "ada to /")
    }

    @Test
    func `A web server's sign-in takes a response that the request has asked the provider to post`() async throws {
        var request = AuthorizationRequest()
        request.parameters = [("response_mode", "form_post")]
        var router = Router()
        let routes = try SignInRoutes(
            provider.client(), at: try #require(URL(string: "https://notes.example.com/sign-in")),
            key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)), request: request)
        routes.add(to: &router) { user, _ in HTTPResponse(status: .ok, body: HTTPBody(user.claims?.subject ?? "?")) }
        let visitor = Visitor(router)
        let callback = try approve(try await visitor.get("/sign-in"))
        // A browser sends no other cookie with the POST of another site.
        expectEqual(visitor.fields.first?.hasSuffix("; SameSite=None; Secure"), true)
        try await expectEqual(visitor.get(callback).status, .methodNotAllowed)
        let form = String(callback.dropFirst("/sign-in/callback?".count))
        let finished = try await visitor.get("/sign-in/callback", method: .post, form: form)
        #expect(finished.status == .ok && finished.body.text == "ada")
    }

    @Test(arguments: ResponseMode.allCases)
    func `A web server's sign-in takes the response in the mode of the configuration`(mode: ResponseMode) async throws {
        var router = Router()
        let routes = try SignInRoutes(
            provider.client { $0.responseMode = mode },
            at: try #require(URL(string: "https://notes.example.com/sign-in")),
            key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
        routes.add(to: &router) { user, _ in HTTPResponse(status: .ok, body: HTTPBody(user.claims?.subject ?? "?")) }
        let visitor = Visitor(router)
        let callback = try approve(try await visitor.get("/sign-in"))
        let form = String(callback.dropFirst("/sign-in/callback?".count))
        let isSigned = [ResponseMode.signedQuery, .signedPost].contains(mode)
        expectEqual(form.hasPrefix("response="), isSigned)
        let finished =
            [.formPost, .signedPost].contains(mode)
            ? try await visitor.get("/sign-in/callback", method: .post, form: form) : try await visitor.get(callback)
        #expect(finished.status == .ok && finished.body.text == "ada")
        #expect(visitor.cookies.isEmpty)
    }

    @Test func `A web server's sign-in signs no user in by a foreign link`() async throws {
        let attacker = Visitor(try router())
        let callback = try approve(try await attacker.get("/sign-in"))
        let victim = Visitor(try router())
        try await expectEqual(victim.get(callback).status, .badRequest)
        // Nor one with an attempt of the victim's own.
        _ = try await victim.get("/sign-in")
        try await expectEqual(victim.get(callback).status, .badRequest)
        #expect(provider.requests(to: "/token").isEmpty)
        try await expectEqual(attacker.get(callback).status, .ok)
    }

    @Test
    func `A web server's sign-in takes no cookie that was changed, renamed or encrypted elsewhere`() async throws {
        let visitor = Visitor(try router())
        let callback = try approve(try await visitor.get("/sign-in"))
        let (name, value) = try #require(visitor.cookies.first)
        for change in [
            String(value.dropLast()) + (value.hasSuffix("A") ? "B" : "A"), "", "x", String(repeating: "A", count: 9000),
        ] {
            visitor.change { $0[name] = change }
            try await expectEqual(visitor.get(callback).status, .badRequest)
        }
        let second = Visitor(try router())
        let other = try approve(try await second.get("/sign-in"))
        let otherName = try #require(second.cookies.keys.first)
        visitor.change { $0 = [otherName: value] }
        try await expectEqual(visitor.get(other).status, .badRequest)
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test func `A web server's sign-in accepts a response once`() async throws {
        let visitor = Visitor(try router())
        let callback = try approve(try await visitor.get("/sign-in"))
        let kept = visitor.cookies
        // A preview of the link uses nothing up.
        _ = try await visitor.get(callback, method: .head)
        try await expectEqual(visitor.get(callback).status, .ok)
        try await expectEqual(visitor.get(callback).status, .badRequest)
        visitor.change { $0 = kept }
        try await expectEqual(visitor.get(callback).status, .badRequest)
    }

    @Test(arguments: [
        "//evil.example", "https://evil.example", "/\\evil.example", "/%09/evil.example", "/%0d%0aSet-Cookie:a=b",
        "javascript:alert(1)", "",
    ])
    func `A web server's sign-in returns only to its own pages`(path: String) async throws {
        let visitor = Visitor(try router())
        let callback = try approve(try await visitor.get("/sign-in?return_to=\(path)"))
        try await expectEqual(visitor.get(callback).body.text, "ada to /")
    }

    @Test func `A web server's sign-in reports its outcome if no user signs in`() async throws {
        provider.deviate { $0.callback = { $0 = [("error", "access_denied")] + $0.filter { $0.0 != "code" } } }
        let visitor = Visitor(try router())
        let page = try await visitor.get(try approve(try await visitor.get("/sign-in")))
        #expect(page.status == .badRequest && page.body.text?.contains("The authorization was denied.") == true)
        #expect(visitor.cookies.isEmpty)
        provider.deviate {
            $0.callback = { _ in }
            $0.claims = { $0.audience = ["another client"] }
        }
        let refused = try await visitor.get(try approve(try await visitor.get("/sign-in")))
        #expect(refused.status == 502 && refused.body.text?.contains("The sign-in failed.") == true)
    }

    @Test func `A web server's sign-in reports each failure to the program, and ends the attempt`() async throws {
        struct Full: Error {}
        let failures = Mutex<[String]>([])
        var router = Router()
        try SignInRoutes(
            provider.client(), at: try #require(URL(string: "https://notes.example.com/sign-in")),
            key: SymmetricKey(data: [UInt8](repeating: 7, count: 32))
        ).add(to: &router) { error, _ in
            failures.withLock { $0.append("\(type(of: error))") }
        } signedIn: { _, _ in
            throw Full()
        }
        let visitor = Visitor(router)
        let callback = try approve(try await visitor.get("/sign-in"))
        let page = try await visitor.get(callback)
        #expect(page.status == .internalServerError && page.body.text?.contains("The sign-in failed.") == true)
        #expect(visitor.cookies.isEmpty)
        provider.deviate { $0.callback = { $0 = [("error", "server_error")] + $0.filter { $0.0 != "code" } } }
        try await expectEqual(visitor.get(try approve(try await visitor.get("/sign-in"))).status, 502)
        expectEqual(failures.withLock { $0 }, ["Full", "OAuthError"])
    }

    @Test func `A web server's sign-in keeps a few attempts of a browser, and no more`() async throws {
        let visitor = Visitor(try router())
        for _ in 0..<9 { _ = try await visitor.get("/sign-in") }
        #expect(visitor.cookies.count <= 4)
        let size = visitor.cookies.map { $0.key.utf8.count + $0.value.utf8.count }.reduce(0, +)
        #expect(size < 6_000)
    }

    @Test func `A web server's sign-in ends with its ten minutes, whatever the browser keeps`() async throws {
        let visitor = Visitor(try router())
        let callback = try approve(try await visitor.get("/sign-in"))
        provider.clock.advance(by: .seconds(601))
        try await expectEqual(visitor.get(callback).status, .badRequest)
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test func `A web server's sign-in fits into the fields of a request with any link`() async throws {
        let visitor = Visitor(try router())
        let long = "/" + String(repeating: "a/", count: 4_000)
        for _ in 0..<8 { _ = try await visitor.get("/sign-in?return_to=\(long)") }
        let size = visitor.cookies.map { $0.key.utf8.count + $0.value.utf8.count }.reduce(0, +)
        #expect(size < 8_000)
    }

    @Test
    func `A web server's sign-in reports that the provider's keys are unavailable, and keeps the code`() async throws {
        provider.deviate {
            $0.response = { $0.pathWithoutQuery == "/jwks" ? HTTPResponse(status: .serviceUnavailable) : nil }
        }
        let visitor = Visitor(try router())
        let callback = try approve(try await visitor.get("/sign-in"))
        let page = try await visitor.get(callback)
        #expect(page.status == 502 && visitor.cookies.isEmpty)
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test func `A web server's sign-in works without https if a developer has none`() async throws {
        let visitor = Visitor(try router(at: "http://127.0.0.1:8080/sign-in"))
        let callback = try approve(try await visitor.get("/sign-in"))
        expectEqual(visitor.fields.first?.hasPrefix("sign-in-"), true)
        expectEqual(visitor.fields.first?.contains("Secure"), false)
        try await expectEqual(visitor.get(callback).status, .ok)
    }
}
