// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchIdentity
import LatchIdentityTesting
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct IdentityServerTests {
    private static let password = "a long enough password"
    private static let email = "ada@example.com"

    private func signedIn(_ server: IdentityServer) async throws -> AuthClient {
        let auth = server.client()
        try await auth.signUp(email: Self.email, password: Self.password)
        try await auth.signIn(email: Self.email, password: Self.password)
        return auth
    }

    @Test
    func `An auth server in a test signs users up, verifies their addresses by mail, and signs them in`() async throws {
        let server = try await IdentityServer.inMemory { $0.requireVerifiedEmail = true }
        let auth = server.client()
        try await auth.signUp(email: Self.email, password: Self.password)
        await #expect(throws: AccountError.self) { try await auth.signIn(email: Self.email, password: Self.password) }
        let link = try await server.link(to: Self.email)
        #expect(link.url.absoluteString.hasPrefix("https://id.test/verify?token="))
        _ = try await auth.verifyEmail(token: link.token, password: Self.password)
        try await auth.signIn(email: Self.email, password: Self.password)
        try await expectEqual(auth.profile().isEmailVerified, true)
        await #expect(throws: MissingMail.self) { try await server.link(to: "bob@example.com") }
    }

    @Test func `An auth server in a test repeats the response to a refresh that was lost`() async throws {
        let server = try await IdentityServer.inMemory()
        let auth = try await signedIn(server)
        let first = try await auth.session.credential()
        server.clock.advance(by: .seconds(901))
        server.faults.inject(.lostResponse, into: 1) { $0.path.contains("refresh") }
        try await expectEqual(auth.profile().email, Self.email)
        expectEqual(server.faults.count, 1)
        try await expectNotEqual(auth.session.credential(), first)
    }

    @Test func `An auth server in a test keeps apps and servers apart`() async throws {
        let (one, other) = (try await IdentityServer.inMemory(), try await IdentityServer.inMemory())
        _ = try await signedIn(one)
        await #expect(throws: AccountError.wrongCredentials) {
            try await other.client().signIn(email: Self.email, password: Self.password)
        }
        try await one.client().signIn(email: Self.email, password: Self.password)
    }

    @Test func `An auth server in a test leaves no file behind`() async throws {
        func use() async throws -> String {
            let server = try await IdentityServer.inMemory()
            _ = try await signedIn(server)
            #expect(FileManager.default.fileExists(atPath: server.folderPath))
            await server.close()
            return server.folderPath
        }
        let path = try await use()
        // What a session does beside its calls may hold the server for a moment.
        try await eventually { !FileManager.default.fileExists(atPath: path) }
    }

    @Test func `An auth server in a test has an authenticator app that shows the codes of RFC 6238`() throws {
        // RFC 6238, Appendix B: the secret is "12345678901234567890", and its codes have two digits more.
        let app = try #require(AuthenticatorApp(secret: "gezd gnbv gy3t qojq gezd gnbv gy3t qojq"))
        expectEqual(app.code(at: Date(timeIntervalSince1970: 59)), "287082")
        expectEqual(app.code(at: Date(timeIntervalSince1970: 1_111_111_109)), "081804")
        let url = try #require(
            URL(string: "otpauth://totp/Notes:ada?issuer=Notes&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"))
        expectEqual(AuthenticatorApp(url: url)?.code(at: Date(timeIntervalSince1970: 59)), "287082")
        expectNil(AuthenticatorApp(secret: "not base 32!"))
    }
}
