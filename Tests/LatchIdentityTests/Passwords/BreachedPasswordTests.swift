// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@testable import LatchIdentity

@Suite struct BreachedPasswordTests {
    /// SHA-1 of "correct horse battery staple" (FIPS 180-4), as `sha1sum` says.
    private static let digest = "ABF7AAD6438836DBE526AA231ABDE2D0EEF74D42"
    private static let password = "correct horse battery staple"

    /// A service that keeps the requests, and answers with lines.
    private final class Service: Handler {
        private let answer: HTTPResponse
        private let kept = Mutex<[HTTPRequest]>([])

        init(_ answer: HTTPResponse) { self.answer = answer }

        var requests: [HTTPRequest] { kept.withLock(\.self) }

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            kept.withLock { $0.append(request) }
            return answer
        }
    }

    private func site(_ lines: [String], status: HTTPStatus = .ok) async throws -> (Site, Service) {
        let service = Service(HTTPResponse(status: status, body: HTTPBody(lines.joined(separator: "\r\n"))))
        let site = try await Site(upstream: service) { $0.breachedPasswordsURL = "https://leaks.example.com/range/" }
        return (site, service)
    }

    private func register(_ site: Site, password: String = password) async throws -> Response {
        try await site.post(
            "/api/auth/clients/register", ["email": "eve@example.com", "password": .string(password), "name": "Eve"])
    }

    @Test func `A password of a known leak is refused, and the service sees five digits of its digest`() async throws {
        let (site, service) = try await site([
            "0018A45C4D1DEF81644B54AB7F969B88D65:1", "\(Self.digest.dropFirst(5)):37",
        ])
        let refused = try await register(site)
        #expect(refused.status == 400 && refused.text.contains("weakPassword"))
        let request = try #require(service.requests.first)
        #expect(request.path == "/range/ABF7A" && request.fields["Add-Padding"] == "true")
        try await expectEqual(register(site, password: Site.password).status, 201)
        await site.close()
    }

    @Test(arguments: ["", "abf7a:9", "\(digest.dropFirst(5)):0", "\(digest.dropFirst(5))", "\(digest.dropFirst(6)):4"])
    func `A line of padding, or about another password, refuses nothing`(_ line: String) async throws {
        let (site, _) = try await site([line])
        try await expectEqual(register(site).status, 201)
        await site.close()
    }

    @Test func `A service that is down refuses no password`() async throws {
        let (site, _) = try await site(["\(Self.digest.dropFirst(5)):37"], status: .serviceUnavailable)
        try await expectEqual(register(site).status, 201)
        try await expectEqual(site.metric(#"latch_breach_lookups_total{result="failed"}"#), 1)
        await site.close()
    }

    @Test func `A new password of a reset is checked, too`() async throws {
        let (site, _) = try await site(["\(Self.digest.dropFirst(5)):37"])
        try await site.signUp()
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let token = try #require(await site.mailedToken())
        let form = "token=\(token)&password=correct+horse+battery+staple"
        let page = try await site.post("/reset", form: form)
        #expect(page.status == 400 && page.text.contains("leaked passwords"))
        await site.close()
    }
}
