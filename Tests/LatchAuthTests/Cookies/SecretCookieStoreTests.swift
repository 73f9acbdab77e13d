// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@Suite struct SecretCookieStoreTests {
    let secrets = InMemorySecretStore()

    private func store(keepsSessionCookies: Bool = true) -> SecretCookieStore {
        SecretCookieStore(secrets, name: "cookies", keepsSessionCookies: keepsSessionCookies)
    }

    private func cookies() throws -> [Cookie] {
        let now = Date(timeIntervalSince1970: 1_800_000_000.123_456)
        return [
            try #require(
                Cookie(
                    name: "sid", value: "canary-1", domain: "site.example", isHostOnly: false, path: "/a",
                    isSecure: true, isHTTPOnly: true, sameSite: .strict, expiry: now + 1e6 / 3, created: now,
                    lastAccess: now + 1 / 3)),
            try #require(Cookie(name: "", value: "canary-2", domain: "[::1]", created: now)),
        ]
    }

    @Test func `Cookies in a secret store come back with every attribute`() async throws {
        try await expectNil(store().load())
        try await store().save(cookies())
        try await expectEqual(store().load(), cookies())
        try await store().clear()
        try await expectNil(store().load())
    }

    @Test func `Cookies in a secret store come back from an encrypted file in another process`() async throws {
        try await withTemporaryFolder { folder in
            func file() -> EncryptedFileSecretStore {
                EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
            }
            try await SecretCookieStore(file(), name: "a").save(cookies())
            try await expectEqual(SecretCookieStore(file(), name: "a").load(), cookies())
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/secrets")))
            #expect(!String(decoding: bytes, as: UTF8.self).contains("canary"))
        }
    }

    @Test
    func `Cookies in a secret store end with the process if they have no expiry and the store knows`() async throws {
        try await store(keepsSessionCookies: false).save(cookies())
        try await expectEqual(store().load()?.map(\.name), ["sid"])
    }

    @Test(
        .tags(.tokenTypes),
        arguments: [
            "", "torn", "{}", "null", #"[{"name":"a"}]"#, #"["canary"]"#, "\u{0}",
            #"[{"name":"a\r\nX: canary","value":"b","domain":"a.b","isHostOnly":true,"path":"/","isSecure":false,"#
                + #""isHTTPOnly":false,"sameSite":"lax","created":0,"lastAccess":0}]"#,
        ])
    func `Damaged cookies in a secret store are reported once and set aside, and the next reading succeeds`(
        record: String
    ) async throws {
        secrets.write(Array(record.utf8), for: "cookies")
        let error = await #expect(throws: AuthError.storeCorrupt) { try await store().load() }
        #expect(!"\(error.map { "\($0)" } ?? "")".contains("canary"))
        expectEqual(secrets.names(), ["cookies.damaged"])
        expectEqual(secrets.read("cookies.damaged"), Array(record.utf8))
        try await expectNil(store().load())
        try await store().save(cookies())
        try await expectEqual(store().load(), cookies())
        expectEqual(secrets.names(), ["cookies", "cookies.damaged"])
    }

    @Test func `Cookies in a secret store that are damaged stay in place if they cannot be set aside`() async throws {
        let full = FullSecretStore(holding: Array("torn".utf8))
        let store = SecretCookieStore(full, name: "cookies")
        await #expect(throws: AuthError.storeFull) { try await store.load() }
        await expectEqual(full.read("cookies"), Array("torn".utf8))
    }

    @Test
    func `Cookies in a secret store follow a jar until its task is canceled, with its last change`() async throws {
        try await store().save(Array(cookies().prefix(1)))
        let jar = CookieJar(clock: ManualClock().wallClock())
        let store = store()
        let task = Task { try await store.follow(jar) }
        var changes = jar.changes.makeAsyncIterator()
        if jar.cookies.isEmpty { _ = await changes.next() }
        expectEqual(jar.cookies.map(\.name), ["sid"])
        for number in 0..<50 {
            let fields: HTTPFields = [.setCookie: "n\(number)=1"]
            jar.receive(
                HTTPResponse(status: .ok, fields: fields), to: HTTPRequest(authority: "a.site.example", path: "/"))
        }
        task.cancel()
        try await task.value
        try await expectEqual(store.load(), jar.cookies)
        expectEqual(jar.cookies.count, 51)
    }

    @Test
    func `Cookies in a secret store that follow a jar report a failure to store, and the jar continues`() async throws {
        let full = FullSecretStore(holding: Array("[]".utf8))
        let jar = CookieJar()
        let task = Task { try await SecretCookieStore(full, name: "cookies").follow(jar) }
        while !task.isCancelled, await full.reads == 0 { await Task.yield() }
        jar.insert(try cookies())
        await #expect(throws: AuthError.storeFull) { try await task.value }
        expectEqual(jar.cookies.count, 2)
    }
}

/// A store that can be read and has no room.
private actor FullSecretStore: SecretStore {
    private let record: [UInt8]
    private(set) var reads = 0

    init(holding record: [UInt8]) { self.record = record }

    func read(_ name: String) -> [UInt8]? {
        reads += 1
        return name == "cookies" ? record : nil
    }

    func write(_ secret: [UInt8], for name: String) throws { throw AuthError.storeFull }

    func remove(_ name: String) throws { throw AuthError.storeFull }

    func names() -> [String] { ["cookies"] }
}
