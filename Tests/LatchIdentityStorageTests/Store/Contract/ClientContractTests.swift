// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

/// Registered clients and initial tokens, in both databases.
@Suite struct ClientContractTests {
    private func client(_ id: String, registration: [UInt8]? = nil, until end: Date? = nil) -> StoredClient {
        StoredClient(
            id: id, members: #"{"redirects":["https://ä.example/back"]}"#,
            secrets: [.init(digest: Array(repeating: 7, count: 32), createdAt: noon, endsAt: noon + 60)],
            registrationDigest: registration, createdAt: noon, expiresAt: end)
    }

    @Test(arguments: StoreBackend.all)
    func `A client is read as it was written, and changed by one writer`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let written = client("wiki", registration: [1], until: noon + 100)
        try await store.insert(written, detail: nil)
        try await expectEqual(store.client(id: "wiki"), written)
        try await expectNil(store.client(id: "Wiki"))
        try await expectNil(store.client(id: "wi\0ki"))
        await #expect(throws: IdentityError.clientExists) { try await store.insert(written, detail: nil) }
        var next = written
        next.members = "{}"
        #expect(try await store.replace(written, by: next, detail: nil))
        #expect(try await !store.replace(written, by: next, detail: nil))
        try await expectEqual(store.client(id: "wiki")?.members, "{}")
        try await store.insert(client("abc"), detail: nil)
        try await expectEqual(store.clients().map(\.id), ["abc", "wiki"])
        try await expectEqual(store.clients(after: "abc", limit: 1).map(\.id), ["wiki"])
        #expect(try await store.remove(client: "wiki", detail: nil, at: noon))
        #expect(try await !store.remove(client: "wiki", detail: nil, at: noon))
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `Sixteen registrations with an initial token for five are five`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        try await store.insert(
            InitialToken(digest: [5], remaining: 5, createdAt: noon, expiresAt: noon + 60), detail: nil)
        let count = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<16 {
                group.addTask {
                    do throws(IdentityError) {
                        try await store.insert(client("c\(number)", registration: [1]), spending: [5], detail: nil)
                        return true
                    } catch {
                        expectEqual(error, .invalidInitialToken)
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(count, 5)
        try await expectEqual(store.clients().count, 5)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `An initial token ends, and a full store takes no further client`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        try await store.insert(
            InitialToken(digest: [5], remaining: 5, createdAt: noon, expiresAt: noon), detail: nil)
        await #expect(throws: IdentityError.invalidInitialToken) {
            try await store.insert(client("a", registration: [1]), spending: [5], detail: nil)
        }
        try await store.insert(client("operator"), detail: nil)
        // One that has ended counts no longer.
        try await store.insert(client("ended", registration: [1], until: noon), detail: nil)
        try await store.insert(client("a", registration: [1], until: noon + 9), limit: 1, detail: nil)
        await #expect(throws: IdentityError.tooManyClients) {
            try await store.insert(client("b", registration: [1], until: noon + 9), limit: 1, detail: nil)
        }
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A client that nobody has used is removed with its consents, and one that is used stays`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        for id in ["unused", "used"] {
            try await store.insert(client(id, registration: [1], until: noon + 100), detail: nil)
            #expect(
                try await store.insert(
                    AuthorizationCode(
                        digest: id.digest, clientID: id, accountID: fixture.account.id,
                        credentialVersion: fixture.account.credentialVersion, browserDevice: fixture.device.id,
                        redirect: "https://a.example", codeChallenge: "c", nonce: nil, scope: "openid",
                        authenticatedAt: noon, factorAt: nil, details: GrantDetails(), validUntil: noon + 60),
                    by: .decision(keptFor: "https://a.example", detail: nil)))
        }
        try await store.insert(client("operator"), detail: nil)
        try await store.extend(client: "used", until: noon + 1000, endingBefore: noon + 101)
        try await store.extend(client: "used", until: noon + 500, endingBefore: noon + 1000)
        try await store.extend(client: "operator", until: noon + 1, endingBefore: noon + 2)
        try await store.prune(endedBefore: noon + 200)
        try await expectEqual(store.clients().map(\.id), ["operator", "used"])
        try await expectEqual(store.client(id: "used")?.expiresAt, noon + 1000)
        try await expectNil(store.client(id: "operator")?.expiresAt)
        try await expectEqual(store.consents(of: fixture.account.id).map(\.clientID), ["used"])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `Initial tokens that still work are listed, and a removed one works no longer`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let tokens: [([UInt8], Int64, Double)] = [([1], 1, 60), ([2], 0, 60), ([3, 9], 7, 30), ([4], 1, 0)]
        for (digest, remaining, end) in tokens {
            try await store.insert(
                InitialToken(digest: digest, remaining: remaining, createdAt: noon, expiresAt: noon + end),
                detail: nil)
        }
        let found = try await store.initialTokens(at: noon)
        #expect(found.map(\.digest) == [[1], [3, 9]] && found.map(\.remaining) == [1, 7])
        // The digests begin with one byte that is not there, that is of a token without uses or without time, and of two.
        for start in [[9], [2], [4], [3, 9, 0], []] as [[UInt8]] {
            #expect(try await !store.remove(initialToken: start, by: "root", at: noon))
        }
        #expect(try await store.remove(initialToken: [3], by: "root", at: noon))
        #expect(try await !store.remove(initialToken: [3], by: "root", at: noon))
        try await expectEqual(store.initialTokens(at: noon).map(\.digest), [[1]])
        #expect(try await !store.isUsable(initialToken: [3, 9], at: noon))
        await store.close()
    }
}
