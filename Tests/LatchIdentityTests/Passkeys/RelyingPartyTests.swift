// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchTesting
import LatchWebAuthn
import Testing

@testable import LatchIdentity

@Suite struct RelyingPartyTests {
    private func party(
        _ issuer: String?, _ domain: String? = nil, _ origins: [String] = [], apps: [String] = []
    ) -> RelyingParty? {
        var configuration = IdentityConfiguration()
        configuration.appleAppIDs = apps
        (configuration.passkeyDomain, configuration.passkeyOrigins) = (domain, origins)
        return RelyingParty(issuer: issuer, configuration)
    }

    @Test func `The relying party of a server is the host of the public URL`() {
        expectEqual(
            party("https://id.example.com/"), RelyingParty(id: "id.example.com", origins: ["https://id.example.com"]))
        expectEqual(
            party("HTTPS://ID.Example.com:8443/path"),
            RelyingParty(
                id: "id.example.com", origins: ["https://id.example.com:8443", "https://id.example.com"]))
        expectEqual(
            party("http://localhost:8080"),
            RelyingParty(id: "localhost", origins: ["http://localhost:8080", "https://localhost"]))
    }

    @Test func `The relying party of a server can be a domain above it, whose apps state its origin`() {
        let issuer = "https://id.example.com"
        expectEqual(
            party(issuer, "Example.com", ["https://app.example.com"], apps: ["TEAM.com.example.app"]),
            RelyingParty(
                id: "example.com", origins: [issuer, "https://example.com", "https://app.example.com"]))
        // Without apps nobody states it but the pages of that domain, which may be somebody else's.
        expectEqual(party(issuer, "example.com"), RelyingParty(id: "example.com", origins: [issuer]))
    }

    @Test(arguments: [
        nil, "http://id.example.com", "https://127.0.0.1", "http://127.0.0.1:8080", "https://[::1]:443",
        "https://1.2.3", "https://example..com", "ftp://example.com", "example.com",
    ])
    func `The relying party of a server does not exist for a URL that browsers make no passkeys for`(_ issuer: String?)
    {
        expectNil(party(issuer))
    }

    @Test(arguments: [
        "com", "example.org", "d.example.com", "xample.com", "co.uk", "github.io", "1.2", "x.id.example.com",
    ])
    func `The relying party of a server is not a domain of others, nor a public suffix`(_ domain: String) async throws {
        for host in ["id.example.com", "id.example.co.uk", "me.github.io"] {
            expectNil(party("https://\(host)", domain))
        }
        await expectEqual(
            refusal {
                let site = try await Site.withPasskeys { $0.passkeyDomain = domain }
                await site.close()
            }, "invalidSetting")
    }
}
