// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

/// Pushed requests and the conditions of grants, in both databases.
@Suite(.tags(.pushedRequestReplay)) struct PushedRequestContractTests {
    private func code(_ number: UInt8, of fixture: StoreFixture, client: String = "notes") -> AuthorizationCode {
        AuthorizationCode(
            digest: [number], clientID: client, accountID: fixture.account.id,
            credentialVersion: fixture.account.credentialVersion, browserDevice: fixture.device.id,
            redirect: "https://notes.example.com/callback", codeChallenge: "c", nonce: nil, scope: "openid",
            authenticatedAt: noon, factorAt: nil,
            details: GrantDetails(
                resources: ["https://ä.example"], binding: TokenBinding(key: "k", certificate: "c"),
                claims: .init(userInfo: ["name"], idToken: ["email"])),
            validUntil: noon + 60)
    }

    @Test(arguments: StoreBackend.all)
    func `A pushed request is used up by the first code of its client, and by no other`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        let request = PushedRequest(digest: [9], clientID: "notes", content: "sealed ü", validUntil: noon + 90)
        try await store.insert(request)
        try await expectEqual(store.pushedRequest([9]), request)
        try await expectNil(store.pushedRequest([8]))
        await #expect(throws: IdentityError.invalidRequestURI) {
            try await store.insert(code(1, of: fixture, client: "other"), by: .trusted, using: [9])
        }
        try await expectNil(store.authorizationCode([1]))
        #expect(try await store.insert(code(2, of: fixture), by: .trusted, using: [9]))
        try await expectNil(store.pushedRequest([9]))
        await #expect(throws: IdentityError.invalidRequestURI) {
            try await store.insert(code(3, of: fixture), by: .trusted, using: [9])
        }
        // What the code is bound to is read back.
        try await expectEqual(store.authorizationCode([2])?.details, code(2, of: fixture).details)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A pushed request stays for the pages that it has opened, and is then removed`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        try await store.insert(
            PushedRequest(digest: [9], clientID: "notes", content: "sealed", validUntil: noon + 90))
        try await store.prune(endedBefore: noon + 3600)
        #expect(try await store.pushedRequest([9]) != nil)
        try await store.prune(endedBefore: noon + 3700)
        try await expectNil(store.pushedRequest([9]))
        await store.close()
    }
}
