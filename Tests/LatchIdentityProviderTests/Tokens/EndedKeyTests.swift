// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchJOSE
import LatchPostgres
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct EndedKeyTests {
    private static let storeKey = String(repeating: "0123456789abcdef", count: 4)

    /// A server whose store somebody writes behind its back.
    private struct Fixture {
        let site: Site
        let location: String?

        init(_ store: SharedStore, storeKey: String? = EndedKeyTests.storeKey) async throws {
            location = try await store.location()
            site = try await Site(storedAt: location) { $0.storeKey = storeKey }
        }

        func change(_ sql: String) throws {
            if let location {
                try PostgresConnection(PostgresConfiguration(location)).run(sql)
            } else {
                try SQLiteConnection(path: site.folder.file(), access: .readWrite).run(sql)
            }
        }

        /// Another start on the store.
        func next() async throws -> Site {
            try await Site(in: site.folder, storedAt: location) {
                $0.storeKey = EndedKeyTests.storeKey
            }
        }

        /// Keeps the rows of the keys, and puts those back that are gone.
        func keep() throws { try change("CREATE TABLE kept AS SELECT * FROM signing_key") }

        func putBack() throws {
            try change(
                """
                INSERT INTO signing_key (id, private_jwk, created_at, signs_at, sealed_by)
                SELECT id, private_jwk, created_at, signs_at + 1000, sealed_by FROM kept
                WHERE id NOT IN (SELECT id FROM signing_key)
                """)
        }

        /// Keeps the list of the keys, and puts it back.
        func keepList() throws {
            try change("CREATE TABLE kept_list AS SELECT * FROM secret WHERE name = 'signing_keys'")
        }

        func putListBack() throws {
            try change(
                "UPDATE secret SET value = (SELECT value FROM kept_list) WHERE name = 'signing_keys'")
        }
    }

    private func published(_ site: Site) async throws -> [String] {
        (try await site.get("/.well-known/jwks.json").json["keys"]?.arrayValue ?? []).compactMap {
            $0["kid"]?.stringValue
        }
    }

    @Test(.tags(.keyRotation), arguments: SharedStore.all)
    func `An ended signing key does not come back by its old row, whether the server runs or starts`(store: SharedStore)
        async throws
    {
        let fixture = try await Fixture(store)
        let site = fixture.site
        try await site.signUp()
        let login = try await site.logIn()
        try fixture.keep()
        let id = try #require(try await site.identity.signingKeys.rotate(isCompromised: true))
        try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        try fixture.putBack()
        let starting = try await fixture.next()
        try await expectEqual(published(starting), [id])
        try fixture.putBack()
        try await site.identity.signingKeys.refresh()
        for site in [site, starting] {
            try await expectEqual(published(site), [id])
            try await expectEqual(site.identity.signingKeys.list().map(\.id), [id])
            try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
        }
        // The row is removed, and the log tells of it.
        try await expectEqual(site.identity.services.store.signingKeys().map(\.id), [id])
        #expect(try await site.identity.audit.records(limit: 20).contains { $0.event == "key.refused" })
        if case .damaged = try await site.identity.audit.verify() { Issue.record("the log is damaged") }
        await starting.close()
        await site.close()
    }

    @Test(.tags(.keyRotation), arguments: SharedStore.all)
    func `An ended signing key does not come back to a running server together with its old list`(
        store: SharedStore
    ) async throws {
        let fixture = try await Fixture(store)
        let site = fixture.site
        try fixture.keep()
        try fixture.keepList()
        let id = try #require(try await site.identity.signingKeys.rotate(isCompromised: true))
        try fixture.putBack()
        try fixture.putListBack()
        // A reload of the settings forgets nothing.
        let next = try await site.identity.reconfigured(site.identity.services.configuration)
        try await next.signingKeys.refresh()
        try await expectEqual(next.signingKeys.list().map(\.id), [id])
        try await expectEqual(next.services.store.signingKeys().map(\.id), [id])
        await next.close()
        // The list is complete again.
        try fixture.putBack()
        let starting = try await fixture.next()
        try await expectEqual(published(starting), [id])
        await starting.close()
    }

    @Test(.tags(.keyRotation), arguments: SharedStore.all)
    func `An ended signing key does not come back to a running server whose list was removed`(store: SharedStore)
        async throws
    {
        let fixture = try await Fixture(store)
        let site = fixture.site
        try fixture.keep()
        let id = try #require(try await site.identity.signingKeys.rotate(isCompromised: true))
        for _ in 0..<2 {
            try fixture.change("DELETE FROM secret WHERE name = 'signing_keys'")
            try fixture.putBack()
            try await site.identity.signingKeys.refresh()
            try await expectEqual(published(site), [id])
            try await expectEqual(site.identity.services.store.signingKeys().map(\.id), [id])
        }
        await site.close()
    }

    @Test(.tags(.keyRotation), arguments: SharedStore.all)
    func `An ended signing key is known from the audit log to a store that has no list yet`(store: SharedStore)
        async throws
    {
        let fixture = try await Fixture(store)
        try fixture.keep()
        let id = try #require(try await fixture.site.identity.signingKeys.rotate(isCompromised: true))
        await fixture.site.close()
        try fixture.change("DELETE FROM secret WHERE name = 'signing_keys'")
        try fixture.putBack()
        let starting = try await fixture.next()
        try await expectEqual(published(starting), [id])
        await starting.close()
    }

    @Test(arguments: SharedStore.all)
    func `An ended signing key can be one that a server of an earlier version added and removed`(
        store: SharedStore
    ) async throws {
        let fixture = try await Fixture(store)
        let site = fixture.site
        let old = try #require(try await published(site).first)
        let key = try site.identity.services.keyring.newSigningKey(at: noon + 1, signsAt: noon + 601)
        try await site.identity.services.store.insertAsEarlier(key)
        try await site.identity.signingKeys.refresh()
        expectEqual(Set(try await published(site)), [old, key.id])
        try fixture.keep()
        try fixture.change("DELETE FROM signing_key WHERE id = '\(old)'")
        try await site.identity.signingKeys.refresh()
        try fixture.putBack()
        try await site.identity.signingKeys.refresh()
        try await expectEqual(published(site), [key.id])
        await site.close()
    }

    @Test(.tags(.keyRotation))
    func `An ended signing key does not sign again after a change of its time`() async throws {
        let fixture = try await Fixture(.sqlite)
        let site = fixture.site
        let old = try #require(try await published(site).first)
        let id = try #require(try await site.identity.signingKeys.rotate())
        site.clock.advance(by: 600)
        try fixture.change("UPDATE signing_key SET signs_at = signs_at + 7200000 WHERE id = '\(old)'")
        try await site.identity.signingKeys.refresh()
        try await expectEqual(site.identity.signingKeys.list().map(\.id), [id, old])
        try await site.signUp()
        try expectEqual(JWT(unverified: try await site.logIn().access).header.keyID, id)
        await site.close()
    }

    @Test func `An ended signing key leaves its list sealed, also under another store key`() async throws {
        let fixture = try await Fixture(.sqlite)
        let site = fixture.site
        try fixture.keep()
        let id = try #require(try await site.identity.signingKeys.rotate(isCompromised: true))
        let stored = try await site.identity.services.store.storedKeys()
        #expect(stored.signingKeyList?.sealedBy != nil)
        #expect(throws: IdentityError.self) { try SigningKeyList(try #require(stored.signingKeyList).content) }
        let other = String(repeating: "fedcba9876543210", count: 4)
        try await site.identity.signingKeys.reseal(with: other)
        await site.close()
        let next = try await Site(in: site.folder) { $0.storeKey = other }
        try await expectEqual(published(next), [id])
        await next.close()
    }
}

@Suite struct SigningKeyListTests {
    @Test func `The list of signing keys is read as it was written, and is damage otherwise`() throws {
        var list = SigningKeyList()
        list.take(["a", "b"].map { StoredKey(id: $0, privateJWK: [1], createdAt: noon) })
        list.end(["b"])
        try expectEqual(SigningKeyList(list.content), list)
        #expect(list.ended == ["b"] && Array(list.keys.keys) == ["a"])
        for text in ["", "[]", "{}", #"{"keys":{"a":{}},"ended":[]}"#, #"{"keys":{}}"#] {
            let error = #expect(throws: IdentityError.self) { try SigningKeyList(Array(text.utf8)) }
            expectEqual(error?.code, IdentityError.corruptStore.code)
        }
    }

    @Test func `The list of signing keys takes an ended key in no more`() {
        var list = SigningKeyList()
        let key = StoredKey(id: "a", privateJWK: [1], createdAt: noon)
        list.take([key])
        list.take([])
        list.take([key])
        #expect(list.ended == ["a"] && list.keys.isEmpty && list.present(among: [key]).isEmpty)
    }
}

extension IdentityStore {
    /// Inserts a key without the list, as servers of earlier versions do.
    fileprivate func insertAsEarlier(_ key: StoredKey) async throws {
        try await write { db throws(IdentityError) -> Void in
            try db.run(
                "INSERT INTO signing_key (id, private_jwk, created_at, signs_at, sealed_by) VALUES ($1, $2, $3, $4, $5)",
                [
                    .text(key.id), .blob(key.privateJWK), .date(key.createdAt), .date(key.signsAt),
                    .text(key.sealedBy),
                ])
        }
    }
}
