// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchProcess
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

/// A user in a real browser who never calls a JSON route, with a real provider; Documentation/Interop.md describes them.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it"))
struct AccountTourTests {
    @Test func `A user signs up, lives on the pages of the account, and leaves, in a real browser`() async throws {
        let later = LaterHandler()
        let server = Server(handler: later)
        let origin = "http://localhost:\(try await server.start().port)"
        let provider = try await OpenIDProvider.start(.mock, redirects: ["\(origin)/api/auth/mock/callback"])
        let facts = provider.facts
        let folder = try TemporaryFolder()
        var configuration = try IdentityConfiguration(values: [
            "issuer": origin, "argon2_memory_kib": "64", "argon2_passes": "1", "access_token_lifetime": "300",
            "upstreams":
                "mock;issuer=\(facts.issuer.absoluteString);client_id=\(facts.confidential.clientId)",
            "upstream_secrets": "mock=\(facts.confidential.clientSecret ?? "")",
        ])
        let app = SignInApp(clientID: "foreign", redirect: "http://127.0.0.1:9/callback", scope: "openid email")
        configuration.clients = [
            OAuthClient(id: "foreign", grants: [.authorizationCode], redirectURIs: [app.redirect])
        ]
        let identity = try await Identity(
            configuration: configuration, storePath: folder.file(),
            mailer: FileMailer(folder: folder.file("mails"), sender: "no-reply@example.com"))
        later.set(identity.handler)
        let pictures = ProcessInfo.processInfo.environment["LATCH_PICTURES"]
        let request: JSONValue = [
            "origin": .string(origin), "mails": .string(folder.file("mails")), "app": .string(origin + app.path()),
            "provider": "mock", "user": .string(facts.user.name), "pictures": pictures.map { .string($0) } ?? .null,
            "passwords": .array(Self.passwords.map { .string($0) }),
        ]
        let program = URL(filePath: #filePath).appending(path: "../../../Peers/OpenID/tour").standardized
        let (_, output) = try await ChildProcess.run(
            "/usr/bin/env", ["python3", program.path, String(decoding: request.serialized(), as: UTF8.self)])
        let answer = try #require(try JSONValue(parsing: output).objectValue)
        expectNil(answer["error"], "\(answer)")
        expectEqual(answer["late"], .array([]))
        expectEqual(answer["faults"], .array([]))
        let advice = Self.passwords.map { PasswordAdvice(on: $0, of: "ada@example.com") }
        expectEqual(answer["advice"]?.arrayValue?.compactMap(\.stringValue), advice.map { "\($0)" })
        #expect(Set(advice).count == 3)
        let export = try #require(answer["export"]?.objectValue)
        expectEqual(export["account"]?.arrayValue?.first?["name"], "Ada Lovelace")
        for table in ["passkey", "upstream_identity", "second_factor", "device", "audit"] {
            expectEqual(export[table]?.arrayValue?.isEmpty, false, "\(table)")
        }
        expectEqual(export["passkey"]?.arrayValue?.first?["name"], "Ada's laptop")
        let account = try #require(try await identity.administration.account(email: "ada@example.com"))
        #expect(try await identity.services.store.deletion(of: account.id) != nil)
        await server.shutdown(grace: .seconds(2))
        await identity.close()
    }

    /// Passwords of all forms for the script of the pages, which must judge them as the server does.
    private static let passwords: [String] = {
        let parts = [
            "password", "Sonne", "P@ssw0rd", "ada", "example", "ada@example.com", "qwertz", "1q2w3e4r", "zaq1", "7531",
            "aa", "aabbccdd", "abcabc", "24121987", "2026", "!", "#", "-", "é", "🧪", "MÜNCHEN", "correct horse", "x9",
            "Secret123!",
        ]
        let pairs = parts.flatMap { first in parts.map { first + $0 } }
        return parts + pairs + zip(pairs, parts + parts.reversed() + parts).flatMap { [$0 + $1, $1 + $0 + $1] }
    }()
}
