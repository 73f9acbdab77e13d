// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchHTTP
import Testing

@testable import LatchIdentity

@Suite struct TransportSecurityTests {
    private func field(_ issuer: String, _ age: Duration?, at path: String = "/") async throws -> String? {
        let site = try await Site {
            $0.issuer = issuer
            if let age { $0.hstsMaxAge = age }
        }
        let answer = try await site.get(path)
        await site.close()
        return answer.field("Strict-Transport-Security")
    }

    @Test(arguments: ["/", "/.well-known/jwks.json", "/nowhere", "/user/profile"])
    func `Responses of an https issuer keep browsers to https for its host, not for hosts below it`(path: String)
        async throws
    {
        try await expectEqual(field("https://id.example.com", nil, at: path), "max-age=31536000")
        try await expectEqual(field("https://id.example.com/auth", .seconds(60), at: path), "max-age=60")
    }

    @Test(arguments: ["http://id.example.com", "http://127.0.0.1:8080", "https://localhost:8443", "https://[::1]"])
    func `Responses of an https issuer ask nothing of browsers on this machine, or without https`(issuer: String)
        async throws
    {
        try await expectNil(field(issuer, nil))
    }

    @Test func `Responses of an https issuer ask nothing if the operator says so`() async throws {
        try await expectNil(field("https://id.example.com", .zero))
    }
}
