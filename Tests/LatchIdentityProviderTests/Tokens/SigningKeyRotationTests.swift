// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SigningKeyRotationTests {
    private func published(_ site: Site) async throws -> [String] {
        (try await site.get("/.well-known/jwks.json").json["keys"]?.arrayValue ?? []).compactMap {
            $0["kid"]?.stringValue
        }
    }

    private func signer(_ access: String) throws -> String? { try JWT(unverified: access).header.keyID }

    @Test func `A rotated signing key is shown in PEM, and only as its public part`() async throws {
        let site = try await Site()
        _ = try await site.identity.signingKeys.rotate()
        let keys = try await site.identity.signingKeys.list()
        let published = try await site.get("/.well-known/jwks.json").json["keys"]?.arrayValue ?? []
        #expect(keys.count == 2 && published.count == 2)
        for key in keys {
            let text = key.pem
            #expect(!text.contains("PRIVATE"))
            let parsed = try Key(pem: text)
            let jwk = try #require(published.first { $0["kid"]?.stringValue == key.id }?.objectValue)
            let expected = try Key(jwk: jwk)
            expectEqual(parsed.thumbprint, expected.thumbprint)
        }
        await site.close()
    }

    @Test(.tags(.keyRotation))
    func `A rotated signing key is published before it signs, and the one before verifies to its end`() async throws {
        let site = try await Site { $0.accessTokenLifetime = .seconds(86_400) }
        try await site.signUp()
        let old = try #require(try await published(site).first)
        let id = try #require(try await site.identity.signingKeys.rotate())
        expectEqual(Set(try await published(site)), [old, id])
        // As long as caches of the key set live, and a while longer.
        site.clock.advance(by: 599)
        try expectEqual(signer(try await site.logIn().access), old)
        site.clock.advance(by: 1)
        try expectEqual(signer(try await site.logIn().access), id)
        try await expectEqual(site.identity.signingKeys.list().map(\.state), [.signing, .verifying])
        // The last token of the old key, issued at the last moment by a node whose clock is slow.
        site.clock.advance(by: -30)
        let last = try await site.logIn().access
        try expectEqual(signer(last), old)
        site.clock.advance(by: 86_400 - 1)
        try await site.identity.signingKeys.refresh()
        try await expectEqual(site.get("/user/profile", bearer: last).status, 200)
        site.clock.advance(by: 121)
        try await site.identity.signingKeys.refresh()
        try await expectEqual(published(site), [id])
        try await expectEqual(site.get("/user/profile", bearer: last).status, 401)
        await site.close()
    }

    /// Two readings in one process may end in another order than they began.
    @Test(.tags(.keyRotation))
    func `A rotated signing key stays ended for a node that has read the keys before`() async throws {
        let site = try await Site()
        let (tokens, keyring) = (site.identity.services.accessTokens, site.identity.services.keyring)
        let store = site.identity.services.store
        let reading = tokens.beginReading()
        let earlier = try keyring.signingKeys(try await store.storedKeys())
        let id = try #require(try await site.identity.signingKeys.rotate(isCompromised: true))
        tokens.use(earlier, of: reading)
        try await expectEqual(published(site), [id])
        await site.close()
    }

    @Test(.tags(.keyRotation))
    func `A rotated signing key is taken up by every node, and survives restarts`() async throws {
        let first = try await Site()
        let second = try await Site(in: first.folder)
        try await first.signUp()
        let id = try #require(try await first.identity.signingKeys.rotate())
        // Each node does this every fifteen seconds.
        try await second.identity.signingKeys.refresh()
        try await expectEqual(published(first), try await published(second))
        for site in [first, second] { site.clock.advance(by: 600) }
        let tokens = [try await first.logIn().access, try await second.logIn().access]
        for token in tokens {
            try expectEqual(signer(token), id)
            for site in [first, second] { try await expectEqual(site.get("/user/profile", bearer: token).status, 200) }
        }
        await first.close()
        await second.close()
        let third = try await Site(in: first.folder)
        third.clock.advance(by: 600)
        try expectEqual(signer(try await third.logIn().access), id)
        try await expectEqual(third.get("/user/profile", bearer: tokens[0]).status, 200)
        await third.close()
    }

    @Test(.tags(.keyRotation))
    func `A rotated signing key has one successor by its age, however many nodes there are`() async throws {
        let first = try await Site { $0.signingKeyLifetime = .seconds(7200) }
        let second = try await Site(in: first.folder) { $0.signingKeyLifetime = .seconds(7200) }
        for site in [first, second] { site.clock.advance(by: 7199) }
        try await first.identity.signingKeys.refresh()
        try await expectEqual(published(first).count, 1)
        for site in [first, second] { site.clock.advance(by: 1) }
        async let one: Void = first.identity.signingKeys.refresh()
        async let two: Void = second.identity.signingKeys.refresh()
        _ = try await (one, two)
        for site in [first, second] {
            try await site.identity.signingKeys.refresh()
            try await expectEqual(published(site).count, 2)
        }
        try await expectEqual(published(first), try await published(second))
        await first.close()
        await second.close()
    }

    @Test(.tags(.keyRotation))
    func `A rotated signing key that is compromised verifies nothing, and clients refresh`() async throws {
        let first = try await Site()
        let second = try await Site(in: first.folder)
        try await first.signUp()
        let login = try await first.logIn()
        let id = try await first.identity.signingKeys.rotate(isCompromised: true)
        try await second.identity.signingKeys.refresh()
        for site in [first, second] {
            try await expectEqual(published(site), [id])
            try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        }
        let renewed = try await second.renew(login.refresh)
        expectEqual(renewed.status, 200)
        try expectEqual(signer(renewed.access), id)
        await first.close()
        await second.close()
    }

    @Test func `A rotated signing key is recorded, and two concurrent rotations make one key`() async throws {
        let site = try await Site()
        async let one = site.identity.signingKeys.rotate()
        async let two = site.identity.signingKeys.rotate()
        let ids = [try await one, try await two].compactMap { $0 }
        #expect(!ids.isEmpty)
        let keys = try await site.identity.signingKeys.list()
        expectEqual(keys.count, ids.count + 1)
        expectEqual(Set(keys.map(\.signsAt)).count, keys.count)
        await site.close()
    }

    @Test func `A rotated signing key leaves a server with its keys when the store's cannot be read`() async throws {
        let site = try await Site()
        try await site.signUp()
        try SQLiteConnection(path: site.folder.file(), access: .readWrite).run(
            "UPDATE signing_key SET private_jwk = x'00'")
        await #expect(throws: IdentityError.self) { try await site.identity.signingKeys.refresh() }
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }
}
