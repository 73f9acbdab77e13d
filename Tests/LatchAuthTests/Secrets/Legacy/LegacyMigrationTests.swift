// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@Suite struct LegacyMigrationTests {
    private let secrets = InMemorySecretStore()

    private var store: SecretTokenStore<Tokens> { SecretTokenStore(secrets, name: "session") }

    private func keep(_ texts: [String: String]) {
        for (name, text) in texts { secrets.write(Array(text.utf8), for: name) }
    }

    private func migrate(_ layout: LegacyLayout) async throws -> LegacyMigration.Outcome {
        try await LegacyMigration(layout, in: secrets).run(into: store)
    }

    /// The five layouts as their documents have them, and what each means.
    static let accounts: [(LegacyLayout, [String: String], LegacyAccount)] = [
        (
            .axiom, ["access_token": "a", "refresh_token": "r"],
            LegacyAccount(tokens: Tokens(access: "a", refresh: "r"))
        ),
        (
            .jwtAuth, ["accessToken": "a", "refreshToken": "r"],
            LegacyAccount(tokens: Tokens(access: "a", refresh: "r"))
        ),
        (
            .authPackage(), ["auth.tokens": #"{"accessToken":"a","refreshToken":"r","expiry":800000000.5}"#],
            LegacyAccount(
                tokens: Tokens(
                    access: "a", refresh: "r", expiry: Date(timeIntervalSinceReferenceDate: 800_000_000.5)))
        ),
        (
            .authPackage(), ["auth.tokens": #"{"accessToken":"a","refreshToken":"r","expiry":1778307200.5}"#],
            LegacyAccount(
                tokens: Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1_778_307_200.5)))
        ),
        (
            .authPackage(account: "auth"), ["auth": #"{"accessToken":"a"}"#],
            LegacyAccount(tokens: Tokens(access: "a"))
        ),
        (.nevod(), ["com.nevod.token": #"{"value":"a"}"#], LegacyAccount(tokens: Tokens(access: "a"))),
        (
            .nevod(key: "bearer_token"), ["bearer_token": #"{"value":"a"}"#],
            LegacyAccount(tokens: Tokens(access: "a"))
        ),
        (
            .lazi,
            [
                "lazi.access_token": "a", "lazi.refresh_token": "r", "lazi.token_expiry": "1800000000.25",
                "lazi.user_id": "u1", "lazi.granted_scopes": "widgets:read widgets:write",
            ],
            LegacyAccount(
                tokens: Tokens(
                    access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1_800_000_000.25),
                    scope: "widgets:read widgets:write", userID: "u1"), userID: "u1")
        ),
    ]

    @Test(arguments: accounts.indices)
    func `An account of an earlier library comes over whole, and is gone from its old place`(index: Int) async throws {
        let (layout, texts, account) = Self.accounts[index]
        keep(texts)
        try await expectEqual(LegacyMigration(layout, in: secrets).account(), account)
        try await expectEqual(migrate(layout), .migrated(account))
        try await expectEqual(store.load(), account.tokens)
        try await expectEqual(store.loadRecord()?.sessionID?.isEmpty, false)
        expectEqual(secrets.names(), ["session"])
        try await expectEqual(migrate(layout), .nothing)
    }

    @Test(.tags(.sessionLoading), arguments: ["accessToken", "refreshToken"])
    func `An account of an earlier library with only one half does not count, and is deleted`(half: String) async throws
    {
        keep([half: "x"])
        try await expectNil(LegacyMigration(.jwtAuth, in: secrets).account())
        try await expectEqual(migrate(.jwtAuth), .incomplete)
        try await expectNil(store.load())
        #expect(secrets.names().isEmpty)
    }

    @Test
    func `An account of an earlier library with one empty half does not count, and other secrets stay`() async throws {
        keep(["lazi.access_token": "a", "lazi.refresh_token": "", "lazi.user_id": "u", "theirs": "x"])
        try await expectEqual(migrate(.lazi), .incomplete)
        expectEqual(secrets.names(), ["theirs"])
    }

    @Test(
        arguments: [
            ("1800000000", 1_800_000_000), ("2027-01-15T08:00:00Z", 1_800_000_000),
            ("2027-01-15T08:00:00.250Z", 1_800_000_000.25), ("2027-01-15T10:00:00+02:00", 1_800_000_000),
        ] as [(String, Double)])
    func `An account of an earlier library keeps its expiry in any of the spellings`(text: String, seconds: Double)
        async throws
    {
        keep(["lazi.access_token": "a", "lazi.refresh_token": "r", "lazi.token_expiry": text])
        _ = try await migrate(.lazi)
        try await expectEqual(store.load()?.expiry, Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: ["tomorrow", "nan", "inf", ""])
    func `An account of an earlier library survives an invalid expiry`(text: String) async throws {
        keep(["lazi.access_token": "a", "lazi.refresh_token": "r", "lazi.token_expiry": text])
        _ = try await migrate(.lazi)
        try await expectEqual(store.load(), Tokens(access: "a", refresh: "r"))
    }

    @Test
    func `An account of an earlier library takes its expiry from the token if it was kept nowhere`() async throws {
        let end = Date(timeIntervalSince1970: 1_900_000_000)
        var claims = Claims(["sub": "u"])
        claims.expiry = end
        let access = try JWT.sign(claims, with: try Key.generate(.es256))
        keep(["accessToken": access, "refreshToken": "r"])
        _ = try await migrate(.jwtAuth)
        try await expectEqual(store.load()?.expiry, end)
    }

    @Test(arguments: ["a b", "a,b", " a  b ", #"["a","b"]"#, "a, b"])
    func `An account of an earlier library keeps its scopes in any of the spellings`(text: String) async throws {
        keep(["lazi.access_token": "a", "lazi.refresh_token": "r", "lazi.granted_scopes": text])
        _ = try await migrate(.lazi)
        try await expectEqual(store.load()?.scope, "a b")
    }

    @Test(arguments: ["torn", "[]", #"{"accessToken":7.5e"#, #"{"accessToken":["a"]}"#])
    func `An account of an earlier library that cannot be read is set aside`(blob: String) async throws {
        keep(["auth.tokens": blob])
        let migration = LegacyMigration(.authPackage(), in: secrets)
        await #expect(throws: AuthError.storeCorrupt) { try await migration.account() }
        try await expectEqual(migrate(.authPackage()), .setAside(["auth.tokens.corrupt"]))
        expectEqual(secrets.read("auth.tokens.corrupt"), Array(blob.utf8))
        expectEqual(secrets.names(), ["auth.tokens.corrupt"])
        try await expectEqual(migrate(.authPackage()), .nothing)
    }

    @Test func `An account of an earlier library gives way to the account that exists by then`() async throws {
        keep(["accessToken": "old", "refreshToken": "old"])
        try await store.save(Tokens(access: "new", refresh: "new"))
        try await expectEqual(migrate(.jwtAuth), .superseded)
        try await expectEqual(store.load()?.access, "new")
        expectEqual(secrets.names(), ["session"])
    }

    @Test func `An account of an earlier library does not come back after a recorded sign-out`() async throws {
        keep(["accessToken": "old", "refreshToken": "old"])
        try await store.save(record: TokenRecord(credential: nil, end: .issuer))
        try await expectEqual(migrate(.jwtAuth), .superseded)
        try await expectNil(store.load())
    }

    @Test func `An account of an earlier library can have the name of its new record`() async throws {
        keep(["auth": #"{"accessToken":"a","refreshToken":"r"}"#])
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        let outcome = try await LegacyMigration(.authPackage(account: "auth"), in: secrets).run(into: store)
        expectEqual(outcome, .migrated(LegacyAccount(tokens: Tokens(access: "a", refresh: "r"))))
        try await expectEqual(store.load(), Tokens(access: "a", refresh: "r"))
    }

    @Test func `An account of AuthPackage continues in its place if the store has the same name`() async throws {
        keep(["auth": #"{"accessToken":"a","refreshToken":"r","expiry":800000000.5}"#])
        let blind = SecretTokenStore<Tokens>(secrets, name: "auth")
        await #expect(throws: AuthError.storeCorrupt) { try await blind.load() }
        let store = SecretTokenStore<Tokens>(
            secrets, name: "auth", coordinatedBy: nil, replacing: .authPackage(account: "auth"))
        let old = Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSinceReferenceDate: 800_000_000.5))
        let session = Session(store: store) { _ in Tokens(access: "b", refresh: "s") }
        try await expectEqual(store.load(), old)
        try await expectEqual(session.refreshed(replacing: old).access, "b")
        try await expectEqual(blind.load()?.refresh, "s")
        expectEqual(secrets.names(), ["auth"])
    }
}

@Suite struct LegacySecretsTests {
    static let layouts: [LegacyLayout] = [.axiom, .jwtAuth, .authPackage(), .nevod(), .lazi]

    /// Bytes that such a secret may hold after anything has happened to it.
    private func secret(_ random: inout SplitMix64) -> [UInt8] {
        switch random.next() % 6 {
        case 0: []
        case 1: Array("token-\(random.next())".utf8)
        case 2: [0xFF, 0xFE, UInt8(truncatingIfNeeded: random.next())]
        case 3: Array(#"{"accessToken":"a","refreshToken":"r","value":"v","expiry":1e400}"#.utf8)
        case 4: Array(#"{"accessToken":"a","value":"a","refreshToken":null,"expiry":"2027-01-15T08:00:00Z"}"#.utf8)
        default: Array(random.text(upTo: 60).utf8)
        }
    }

    @Test(arguments: UInt64(1)...100)
    func `Secrets of an earlier library become an account, or none, or are kept, and touch no other secret`(
        seed: UInt64
    ) async throws {
        var random = SplitMix64(state: seed)
        let layout = Self.layouts[Int(seed % 5)]
        let secrets = InMemorySecretStore()
        secrets.write([7], for: "theirs")
        for name in layout.names where random.next() % 5 > 0 { secrets.write(secret(&random), for: name) }
        let before = Dictionary(uniqueKeysWithValues: secrets.names().map { ($0, secrets.read($0)) })
        let store = SecretTokenStore<Tokens>(secrets, name: "new")
        let migration = LegacyMigration(layout, in: secrets)
        switch try await migration.run(into: store) {
        case .migrated(let account):
            try await expectEqual(store.load(), account.tokens)
            expectEqual(secrets.names(), ["new", "theirs"])
        case .nothing: expectEqual(secrets.names(), ["theirs"])
        case .incomplete: expectEqual(secrets.names(), ["theirs"])
        case .superseded: Issue.record("nobody was there before")
        case .setAside(let names):
            for name in names {
                let original = String(name.dropLast(".corrupt".count))
                expectEqual(secrets.read(name), before[original] ?? nil)
            }
        }
        expectEqual(secrets.read("theirs"), [7])
        // What was there once is dealt with once.
        if case .migrated = try await migration.run(into: store) { Issue.record("it came over twice") }
    }
}
