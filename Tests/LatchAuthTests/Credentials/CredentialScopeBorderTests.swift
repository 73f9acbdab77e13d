// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import TestTags
import Testing

@Suite struct CredentialScopeBorderTests {
    /// The hosts that an attacker can register, or spell like the intended host.
    static let strangers = [
        "api.x.com.evil.com", "evilx.com", "evil-x.com", "x.com.evil.com", "api.x.com@evil.com", "x.com.", "api.x.com.",
        "xcom", "api.x.co", "x.com%2eevil.com", "x.com:443@evil.com", "evil.com/x.com", "evil.com?x.com",
        "evil.com#x.com",
        "аpi.x.com", "api.х.com", "xn--pi-7kc.x.com.evil.com", "api.x.com\u{301}", "api.x.com evil.com", "127.0.0.1",
        "[::1]",
        "2130706433", "", ".", ".x.com", "api..x.com.evil.com",
    ]

    @Test(.tags(.tokenDestination), arguments: strangers)
    func `The border of a credential's scope is not crossed by a host that looks like it`(authority: String) {
        let origin = HTTPOrigin(scheme: "https", authority: authority)
        #expect(!CredentialScope.host("api.x.com").allows(origin))
        let below = CredentialScope.subdomains(of: "x.com").allows(origin)
        // A name below the domain belongs to its owner, whatever it looks like; nothing else is below it.
        #expect(!below || authority.utf8.reversed().starts(with: ".x.com".utf8.reversed()))
    }

    @Test(.tags(.tokenDestination), arguments: ["api.x.com", "API.X.COM", "api.x.com:443", "Api.x.com:8443"])
    func `The border of a credential's scope takes in the host in any case and on any port`(authority: String) {
        let origin = HTTPOrigin(scheme: "https", authority: authority)
        #expect(CredentialScope.host("Api.X.com").allows(origin))
        #expect(CredentialScope.subdomains(of: "X.COM").allows(origin))
    }

    @Test(.tags(.tokenDestination))
    func `The border of a credential's scope accepts a name of another script in its own spelling only`() {
        let scope = CredentialScope.subdomains(of: "xn--bcher-kva.example")
        #expect(scope.allows(HTTPOrigin(scheme: "https", authority: "api.XN--bcher-kva.example")))
        #expect(!scope.allows(HTTPOrigin(scheme: "https", authority: "api.bücher.example")))
        #expect(!scope.allows(HTTPOrigin(scheme: "https", authority: "xn--bcher-kvb.example")))
    }

    @Test(.tags(.tokenDestination)) func `The border of a credential's scope has no addresses below an address`() {
        let scope = CredentialScope.subdomains(of: "0.0.1")
        #expect(!scope.allows(HTTPOrigin(scheme: "http", authority: "10.0.0.1")))
        #expect(!CredentialScope.host("127.0.0.1").allows(HTTPOrigin(scheme: "http", authority: "127.0.0.11")))
        #expect(!CredentialScope.host("127.0.0.1").allows(HTTPOrigin(scheme: "http", authority: "1.127.0.0.1")))
    }

    @Test(.tags(.tokenDestination), arguments: ["http", "HTTP", "ws", "", "httpsx"])
    func `The border of a credential's scope is crossed by no scheme other than https`(scheme: String) {
        let origin = HTTPOrigin(scheme: scheme, authority: "api.x.com")
        #expect(!CredentialScope.host("api.x.com").allows(origin))
        #expect(!CredentialScope.subdomains(of: "x.com").allows(origin))
    }

    @Test(.tags(.tokenDestination), arguments: strangers)
    func `The border of a credential's scope lets no interceptor sign for a stranger`(authority: String) async throws {
        let seen = Recorded()
        let handler = seen.intercepted(by: [
            CredentialInterceptor(HMACSignature(apiKey: "a", secret: "b"), for: .host("api.x.com")),
            CredentialInterceptor(APIKey("k", inQuery: "key"), for: .host("api.x.com")),
        ])
        _ = try await handler.respond(to: HTTPRequest(authority: authority, path: "/"))
        expectEqual(seen.requests.map(\.path), ["/"])
        expectEqual(seen.requests.first?.fields.isEmpty, true)
    }
}
