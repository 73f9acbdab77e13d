// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

@Suite struct UpstreamConfigurationTests {
    @Test(arguments: [
        ("staff;client_id=a", "staff=s", "an issuer for 'staff'"),
        ("google;client_id=a;issuer=https://x.example", "google=s", "no issuer for 'google'"),
        ("google;client_id=a;tenant=common", "google=s", "no tenant for 'google'"),
        ("github;client_id=a;tenants=x", "github=s", "no tenants for 'github'"),
        ("apple;client_id=a;team_id=T", "apple=s", "a team_id and a key_id"),
        ("apple;client_id=a;team_id=T;key_id=K", "apple=nonsense", "a key of Sign in with Apple"),
        ("google;client_id=a", "", "set for 'google'"),
        ("google;client_id=a;secret_file=/nowhere/secret", "", "a readable secret_file"),
        ("google;client_id=a;secret_file=/dev/null", "google=s", "left out for 'google'"),
        ("google;client_id=a", "google=s other=s", "'other' is not one of them"),
    ])
    func `The configuration of other providers is refused at the start if a provider cannot work`(
        words: String, secrets: String, problem: String
    ) async throws {
        let upstream = try ScriptedUpstream()
        let error = await failure { try await Site.brokering(upstream, words, secrets: secrets) }
        expectEqual(error?.code, "invalidSetting")
        expectEqual(error?.message.contains(problem), true, "\(error?.message ?? "")")
        #expect(error?.hint != nil)
    }

    @Test func `The configuration of other providers reads a secret from a file, and shows none`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file() + ".secret"
        let upstream = try ScriptedUpstream()
        try Data("\n".utf8).write(to: URL(filePath: path))
        let error = await failure {
            try await Site.brokering(upstream, "google;client_id=a;secret_file=\(path)", secrets: "")
        }
        expectEqual(error?.message.contains("a secret_file with a secret"), true)
        try Data("from the file\n".utf8).write(to: URL(filePath: path))
        let site = try await Site.brokering(
            upstream, "staff;issuer=https://sso.example.com;client_id=latch;secret_file=\(path)", secrets: "")
        try await expectEqual(site.signIn(through: upstream).status, 200)
        let request = try #require(upstream.requests.first { $0.path == "/token" })
        let expected = Data("latch:from%20the%20file".utf8).base64EncodedString()
        expectEqual(request.fields[.authorization], "Basic \(expected)")
        let configuration = try IdentityConfiguration(values: ["upstream_secrets": "staff=hunter2"])
        #expect(!"\(configuration)".contains("hunter2"))
        await site.close()
    }

    @Test func `The configuration of other providers adds routes only for its providers`() async throws {
        let site = try await Site()
        try await expectEqual(site.get("/api/auth/google").status, 404)
        try await expectEqual(site.post("/api/auth/exchange", [:]).status, 404)
        let upstream = try ScriptedUpstream()
        let brokering = try await Site.brokering(upstream)
        try await expectEqual(brokering.get("/api/auth/google").status, 404)
        try await expectEqual(brokering.get("/api/auth/staff").status, 400)
        await site.close()
        await brokering.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `The configuration of other providers fetches metadata again after a day, and no more often`() async throws {
        let upstream = try ScriptedUpstream()
        let brokering = try await Site.brokering(upstream)
        var count = 0
        for _ in 0..<3 {
            try await expectEqual(brokering.get(UpstreamApp().path()).status, 302)
            count = upstream.requests.count
        }
        expectEqual(count, 1)
        brokering.clock.advance(by: 86_401)
        try await expectEqual(brokering.get(UpstreamApp().path()).status, 302)
        try await eventually { upstream.requests.count >= 2 }
        try await expectEqual(brokering.get(UpstreamApp().path()).status, 302)
        expectEqual(upstream.requests.count, 2)
        await brokering.close()
    }
}
