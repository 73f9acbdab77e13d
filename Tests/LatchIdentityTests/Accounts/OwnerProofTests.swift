// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// A server that verifies no address by a mailed link alone.
@Suite struct OwnerProofTests {
    private let path = "/api/auth/verify-email"

    private func site() async throws -> (site: Site, token: String) {
        let site = try await Site { $0.requireOwnerProof = true }
        try await site.signUp(isVerified: false)
        return (site, try #require(await site.mailedToken()))
    }

    private func account(_ site: Site) async throws -> Account {
        try #require(try await site.identity.administration.account(email: "ada@example.com"))
    }

    @Test(.tags(.accountPreHijack))
    func `A link that requires proof of the owner verifies nothing by itself, and is not used up by it`() async throws {
        let (site, token) = try await site()
        let json = try await site.post(path, ["token": .string(token)])
        #expect(json.status == 403 && json.string("code") == "ownerProofRequired")
        let call = try await site.call("VerifyEmail", ["verificationToken": .string(token)])
        #expect(call.word == "failed_precondition" && call.stableCode == "ownerProofRequired")
        try await expectNil(account(site).emailVerifiedAt)
        try await expectEqual(site.post(path, ["token": "invented"]).status, 400)
        try await expectEqual(Answer.newPassword.give(token, to: site), 200)
        try await expectEqual(site.logIn().status, 401)
        try await expectEqual(site.logIn(password: Answer.chosen).status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A link that requires proof of the owner verifies with the password`() async throws {
        let (site, token) = try await site()
        try await expectEqual(site.post(path, ["token": .string(token), "password": "not it"]).status, 401)
        let right: JSONValue = ["token": .string(token), "password": .string(Site.password)]
        try await expectEqual(site.post(path, right).status, 200)
        #expect(try await account(site).ownerProvedAt != nil)
        await site.close()
    }

    @Test(.tags(.accountPreHijack), arguments: ["JSON", "RPC"])
    func `A link that requires proof of the owner verifies with a session of the account, and of no other`(
        surface: String
    ) async throws {
        let (site, token) = try await site()
        try await site.signUp("eve@example.com")
        func send(_ access: String) async throws -> Int {
            surface == "RPC"
                ? try await site.call("VerifyEmail", ["verificationToken": .string(token)], bearer: access).status
                : try await site.call(.post, path, bearer: access, ["token": .string(token)]).status
        }
        try await expectNotEqual(send(try await site.logIn("eve@example.com").access), 200)
        let ended = try await site.logIn().access
        _ = try await site.tokens.signOutEverywhere(accessToken: ended)
        try await expectNotEqual(send(ended), 200)
        try await expectNil(account(site).emailVerifiedAt)
        let own = try await site.logIn().access
        try await expectEqual(send(own), 200)
        #expect(try await account(site).ownerProvedAt != nil)
        try await expectEqual(site.get("/user/profile", bearer: own).status, 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack))
    func `A link that requires proof of the owner is not used by a session that ends meanwhile`() async throws {
        let (site, token) = try await site()
        let session = try await site.bearer(try await site.logIn().access)
        _ = try await site.tokens.signOut(device: session.device.publicID, of: session.accountID)
        await expectEqual(
            refusal { try await site.identity.accounts.verifyEmail(token.digest, in: session) }, "ownerProofRequired")
        try await expectNil(account(site).emailVerifiedAt)
        try await expectEqual(Answer.password.give(token, to: site), 200)
        await site.close()
    }

    @Test(.tags(.accountPreHijack, .addressChange))
    func `A link that requires proof of the owner takes no account to the address of another user`() async throws {
        let (site, _) = try await site()
        try await site.signUp("eve@example.com")
        let session = try await site.bearer(try await site.logIn("eve@example.com").access)
        try await site.identity.accounts.changeEmail(of: session, to: "grace@example.com", from: .tests)
        let token = try #require(await site.mailedToken(to: "grace@example.com"))
        try await expectEqual(Answer.json.give(token, to: site), 403)
        try await expectEqual(Answer.rpc.give(token, to: site), 400)
        await site.close()
    }
}
