// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct ServerKeyTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func load(
        pepper: String? = nil, storeKey: String? = nil, acceptsAnother: Bool = false, isServer: Bool = true
    ) async throws -> ServerKeys {
        let store = try IdentityStore(path: folder.file())
        var configuration = IdentityConfiguration()
        configuration.tokenPepper = pepper
        configuration.storeKey = storeKey
        configuration.acceptsAnotherPepper = acceptsAnother
        do {
            let keys = try await ServerKeys.load(
                from: store, configuration: configuration, isServer: isServer, clock: ManualClock(noon).wallClock(),
                random: .system)
            await store.close()
            return keys
        } catch {
            await store.close()
            throw error
        }
    }

    private func change(_ sql: String, _ values: [SQLValue] = []) throws {
        try SQLiteConnection(path: folder.file(), access: .readWrite).run(sql, values)
    }

    @Test func `The server's keys are made once, and are the same ever after`() async throws {
        let (first, second) = (try await load(), try await load())
        expectEqual(first.signing.map(\.key.id), second.signing.map(\.key.id))
        expectEqual(first.signing.map(\.key.thumbprint), second.signing.map(\.key.thumbprint))
        expectEqual(first.signing.first?.key.id, first.signing.first?.key.thumbprint)
        expectEqual(first.pepper, second.pepper)
    }

    @Test func `A signing key that was read before is read again after its row was changed`() async throws {
        _ = try await load()
        let store = try IdentityStore(path: folder.file())
        let (keyring, stored) = (try Keyring(nil), try await store.storedKeys())
        let ids = try keyring.signingKeys(stored).map(\.key.id)
        try expectEqual(keyring.signingKeys(stored).map(\.key.id), ids)
        let first = try #require(stored.signing.first)
        var changed = stored
        changed.signing[0] = StoredKey(
            id: first.id, privateJWK: Array("{}".utf8), createdAt: first.createdAt, signsAt: first.signsAt)
        #expect(throws: IdentityError.corruptStore("a signing key cannot be read")) {
            try keyring.signingKeys(changed)
        }
        try expectEqual(keyring.signingKeys(stored).map(\.key.id), ids)
        await store.close()
    }

    @Test(arguments: [nil, Self.storeKey])
    func `The server's keys depend on the pepper outside the store, which only the operator replaces`(
        storeKey: String?
    ) async throws {
        let first = try await load(pepper: "one", storeKey: storeKey)
        for other in [nil, "", "One", "two"] {
            let error = await #expect(throws: IdentityError.self) { try await load(pepper: other, storeKey: storeKey) }
            #expect(error?.code == "anotherPepper" && error?.hint?.contains("accept-pepper") == true)
        }
        try await expectEqual(load(pepper: "one", storeKey: storeKey).pepper, first.pepper)
        let second = try await load(pepper: "two", storeKey: storeKey, acceptsAnother: true)
        expectNotEqual(second.pepper, first.pepper)
        try await expectEqual(load(pepper: "two", storeKey: storeKey).pepper, second.pepper)
        await #expect(throws: IdentityError.self) { try await load(pepper: "one", storeKey: storeKey) }
    }

    /// jenkinsci/configuration-as-code-plugin#163: a variable keeps the line break of the file that it was read from.
    @Test(arguments: [("one", "one\n"), ("one", "one\r\n"), ("one\n", "one"), ("one\r\n", "one\n")])
    func `The server's keys detect a pepper that differs only by a line break`(known: String, other: String)
        async throws
    {
        _ = try await load(pepper: known)
        for isServer in [true, false] {
            let error = await #expect(throws: IdentityError.self) { try await load(pepper: other, isServer: isServer) }
            #expect(error?.code == "anotherPepper" && error?.message.contains("line break") == true)
            expectEqual(error?.hint?.contains("accept-pepper"), false)
        }
        _ = try await load(pepper: known)
    }

    @Test func `The server's keys let a server decide the pepper`() async throws {
        _ = try await load(isServer: false)
        let first = try await load(pepper: "one")
        try await expectEqual(load(pepper: "one", isServer: false).pepper, first.pepper)
        let error = await #expect(throws: IdentityError.self) { try await load(isServer: false) }
        expectEqual(error?.code, "anotherPepper")
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"kty":"EC","crv":"P-256"}"#, #"{"kty":"oct","k":"AAAA","alg":"HS256"}"#])
    func `The server's keys that are damaged are reported and not replaced`(jwk: String) async throws {
        _ = try await load()
        try change("UPDATE signing_key SET private_jwk = ?", [.blob(Array(jwk.utf8))])
        let error = await #expect(throws: IdentityError.self) { try await load() }
        expectEqual(error?.code, IdentityError.corruptStore.code)
        expectEqual(error?.hint?.contains("backup"), true)
        let store = try IdentityStore(path: folder.file())
        try await expectEqual(store.signingKeys().map(\.privateJWK), [Array(jwk.utf8)])
        await store.close()
    }

    private static let storeKey = String(repeating: "0123456789abcdef", count: 4)
    private static let otherKey = String(repeating: "fedcba9876543210", count: 4)

    /// The private values and secrets of a plain store, as the file has them.
    private func plainSecrets() async throws -> [[UInt8]] {
        let store = try IdentityStore(path: folder.file())
        let keys = try await store.signingKeys().map { key in
            Array((try JSONValue(parsing: key.privateJWK)["d"]?.stringValue ?? "").utf8)
        }
        let secrets = try await store.secrets().map(\.content)
        await store.close()
        return keys + secrets
    }

    @Test
    func `The server's keys of a plain store are encrypted by the operator's command, and stay the same`() async throws
    {
        let plain = try await load()
        let secrets = try await plainSecrets()
        #expect(secrets.count >= 2)
        // Whoever can write the store could have made it plain, with keys of their own.
        let error = await #expect(throws: IdentityError.self) { try await load(storeKey: Self.storeKey) }
        #expect(error?.code == "storeNotEncrypted" && error?.hint?.contains("reseal") == true)
        let site = try await Site(in: folder)
        try await site.identity.signingKeys.reseal(with: Self.storeKey)
        await site.close()
        let sealed = try await load(storeKey: Self.storeKey)
        expectEqual(sealed.signing.map(\.key.thumbprint), plain.signing.map(\.key.thumbprint))
        expectEqual(sealed.pepper, plain.pepper)
        for name in try folder.names() {
            let content = try folder.bytes(of: name)
            for secret in secrets { expectNil(content.range(of: Data(secret)), "\(name)") }
        }
        try await expectEqual(load(storeKey: Self.storeKey).pepper, plain.pepper)
    }

    @Test func `The server's keys that are encrypted need their store key`() async throws {
        let first = try await load(storeKey: Self.storeKey)
        for key in [nil, Self.otherKey] {
            let error = await #expect(throws: IdentityError.self) { try await load(storeKey: key) }
            expectEqual(error?.code, "storeKeyNeeded")
            expectEqual(error?.description.contains("0123"), false)
        }
        try await expectEqual(load(storeKey: Self.storeKey).pepper, first.pepper)
    }

    @Test func `The server's keys that are encrypted cannot be moved, changed or joined by a plain one`() async throws {
        _ = try await load(storeKey: Self.storeKey)
        let other = try await Site()
        let stranger = try #require(try await other.identity.services.store.signingKeys().first)
        await other.close()
        try change(
            "INSERT INTO signing_key (id, private_jwk, created_at) VALUES (?, ?, ?)",
            [.text(stranger.id), .blob(stranger.privateJWK), .date(noon + 1)])
        var error = await #expect(throws: IdentityError.self) { try await load(storeKey: Self.storeKey) }
        expectEqual(error?.code, IdentityError.corruptStore.code)
        try change("DELETE FROM signing_key WHERE id = ?", [.text(stranger.id)])
        try change("UPDATE secret SET value = (SELECT private_jwk FROM signing_key)")
        error = await #expect(throws: IdentityError.self) { try await load(storeKey: Self.storeKey) }
        expectEqual(error?.code, IdentityError.corruptStore.code)
    }

    @Test func `The server's keys are the same on nodes that start together with a store key`() async throws {
        for _ in 0..<10 {
            let folder = try TemporaryFolder()
            let peppers = try await withThrowingTaskGroup { group in
                for _ in 0..<4 {
                    group.addTask {
                        var configuration = IdentityConfiguration()
                        configuration.storeKey = Self.storeKey
                        let store = try IdentityStore(path: folder.file())
                        let keys = try await ServerKeys.load(
                            from: store, configuration: configuration, clock: ManualClock(noon).wallClock(),
                            random: .system)
                        await store.close()
                        return keys.pepper
                    }
                }
                return try await group.reduce(into: [SymmetricKey]()) { $0.append($1) }
            }
            #expect(peppers.count == 4 && peppers.allSatisfy { $0 == peppers[0] })
        }
    }

    @Test func `The server's keys are not joined by a key under the earlier store key`() async throws {
        let site = try await Site(in: folder) { $0.storeKey = Self.storeKey }
        let store = site.identity.services.store
        let keyring = site.identity.services.keyring
        // A node that decided to rotate before the operator's command, and inserts after it.
        let late = try keyring.newSigningKey(at: noon + 1, signsAt: noon + 1)
        try await site.identity.signingKeys.reseal(with: Self.otherKey)
        let error = await #expect(throws: IdentityError.self) {
            try await store.changeSigningKeys(at: noon) { stored throws(IdentityError) in
                try keyring.change(of: stored, adding: [late])
            }
        }
        expectEqual(error?.code, "storeKeyNeeded")
        await site.close()
        try await expectEqual(load(storeKey: Self.otherKey).signing.count, 1)
    }

    @Test func `The server's keys can be encrypted with another store key`() async throws {
        let site = try await Site(in: folder) { $0.storeKey = Self.storeKey }
        try await site.signUp()
        let login = try await site.logIn()
        try await site.identity.signingKeys.reseal(with: Self.otherKey)
        await site.close()
        let error = await #expect(throws: IdentityError.self) { try await load(storeKey: Self.storeKey) }
        expectEqual(error?.code, "storeKeyNeeded")
        let next = try await Site(in: folder) { $0.storeKey = Self.otherKey }
        try await expectEqual(next.get("/user/profile", bearer: login.access).status, 200)
        try await expectEqual(next.renew(login.refresh).status, 200)
        await next.close()
    }

    @Test(arguments: ["hunter2", "0123", String(repeating: "g", count: 64), String(repeating: "a", count: 63)])
    func `The server's keys need a store key of 64 hexadecimal digits`(text: String) {
        let error = #expect(throws: IdentityError.self) { try IdentityConfiguration(values: ["store_key": text]) }
        #expect(error?.code == IdentityError.invalidSetting.code && error?.description.contains(text) == false)
    }

    @Test func `The server's keys sign with a new one, and verify the old one's signatures`() async throws {
        let site = try await Site(in: folder)
        try await site.signUp()
        let old = try await site.logIn().access
        let other = try await Site()
        let newer = try #require(try await other.identity.services.store.signingKeys().first)
        await other.close()
        try change(
            "INSERT INTO signing_key (id, private_jwk, created_at) VALUES (?, ?, ?)",
            [.text(newer.id), .blob(newer.privateJWK), .date(noon + 1)])
        let next = try await site.identity.reconfigured(site.identity.services.configuration)
        #expect(next.services.accessTokens.verify(old) != nil)
        try await expectEqual(next.services.store.signingKeys().map(\.id).first, newer.id)
        let keySet = try JSONValue(parsing: next.services.accessTokens.keySet)
        let keys = keySet["keys"]?.arrayValue ?? []
        expectEqual(keys.count, 2)
        // RFC 7517 §9.2: what is published has no private part.
        #expect(keys.allSatisfy { $0["d"] == nil })
        await next.close()
    }
}

@Suite struct StoreContentTests {
    @Test(.tags(.silentTokens)) func `The content of a store prints without its secrets in every form`() async throws {
        let account = try Account.example()
        let device = Device.example(of: account)
        let key = StoredKey(id: "key", privateJWK: Array("hunter2".utf8), createdAt: noon)
        let tokenKey = RefreshTokenKey(of: device, pepper: .init(size: .init(bitCount: 256)))
        let token = tokenKey.token(counter: 3)
        for (value, secrets) in [
            (account as Any, ["argon2", "example.com"]), (device as Any, ["7, 7", "0707"]),
            (key as Any, ["hunter2", "104, 117"]), (token as Any, [token.text]),
            (tokenKey as Any, ["7, 7", "HMAC"]),
        ] {
            var dumped = ""
            dump(value, to: &dumped)
            let shown = "\(value) \(String(reflecting: value)) \(dumped)"
            for secret in secrets { #expect(!shown.contains(secret), "\(shown)") }
        }
        expectEqual("\(account)", "Account(id-ada)")
        expectEqual("\(key)", "StoredKey(key)")
        expectEqual("\(device)", "Device(16 bytes, generation 0)")
        expectEqual("\(token)", "RefreshToken(redacted)")
        expectEqual("\(tokenKey)", "RefreshTokenKey(redacted)")
    }
}
