// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

/// A store that counts its calls.
private final class CountingStore: SecretStore {
    let calls = Mutex<[String]>([])
    private let store = InMemorySecretStore()

    func read(_ name: String) -> [UInt8]? {
        calls.withLock { $0.append("read") }
        return store.read(name)
    }

    func write(_ secret: [UInt8], for name: String) {
        calls.withLock { $0.append("write") }
        store.write(secret, for: name)
    }

    func remove(_ name: String) {
        calls.withLock { $0.append("remove") }
        store.remove(name)
    }

    func names() -> [String] { store.names() }

    func takeCalls() -> [String] {
        calls.withLock { calls in
            defer { calls = [] }
            return calls
        }
    }
}

@Suite struct StoreCallTests {
    private static let tokens = Tokens(access: "a0", refresh: "r0")

    private func session(over store: CountingStore, in folder: String?) -> Session<Tokens> {
        let number = Mutex(0)
        return Session(
            store: SecretTokenStore<Tokens>(
                store, name: "account", coordination: folder.map { FileCoordination(path: "\($0)/account") })
        ) { _ in
            let next = number.withLock { number in
                number += 1
                return number
            }
            return Tokens(access: "a\(next)", refresh: "r\(next)")
        }
    }

    @Test(arguments: [true, false])
    func `A session refreshes with two store calls if locks show that the record did not change`(
        isShared: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let store = CountingStore()
            let session = session(over: store, in: isShared ? folder : nil)
            try await session.signIn(Self.tokens)
            _ = store.takeCalls()
            try await expectEqual(session.refreshed(replacing: Self.tokens).access, "a1")
            // One for the key, and one for the successor.
            let calls = isShared ? ["write", "write"] : ["read", "write", "read", "write"]
            expectEqual(store.takeCalls(), calls)
        }
    }

    @Test func `A session reads a record that another session has changed, and nothing otherwise`() async throws {
        try await withTemporaryFolder { folder in
            let store = CountingStore()
            let (one, other) = (session(over: store, in: folder), session(over: store, in: folder))
            try await one.signIn(Self.tokens)
            try await expectEqual(other.credential(), Self.tokens)
            _ = store.takeCalls()
            // Signed out: the record is read once after the change, and not with each request.
            try await one.signOut()
            for _ in 0..<20 {
                await #expect(throws: AuthError.missingToken) { try await one.credential() }
            }
            #expect(!store.takeCalls().contains("write"))
            // The other one reads when it is notified, or with its next use, whichever is first.
            try await one.signIn(Tokens(access: "b0", refresh: "s0"))
            let old = try await other.currentCredential()
            do {
                _ = try await other.refreshed(replacing: old)
            } catch AuthError.superseded {
                // It was notified between the two.
            }
            #expect(store.takeCalls().contains("read"))
        }
    }

    @Test func `A session needs no lock to read its record`() async throws {
        let store = CountingStore()
        let writer = SecretTokenStore<Tokens>(store, name: "account")
        try await writer.save(Self.tokens)
        let locked = SecretTokenStore<Tokens>(
            store, name: "account", coordination: FileCoordination(path: "/proc/no-such-folder/account"))
        let session = Session<Tokens>(store: locked) { _ in throw AuthError.refreshFailed }
        try await expectEqual(session.credential(), Self.tokens)
        await #expect(throws: AuthError.self) { try await session.signOut() }
        #expect(session.currentState.isSignedIn)
    }

    @Test func `A session signs out a credential that another session has refreshed, and returns it`() async throws {
        try await withTemporaryFolder { folder in
            let store = CountingStore()
            let (one, other) = (session(over: store, in: folder), session(over: store, in: folder))
            try await one.signIn(Self.tokens)
            try await expectEqual(other.refreshed(replacing: Self.tokens).access, "a1")
            try await expectEqual(one.signOut()?.access, "a1")
        }
    }

    @Test func `A session keeps the record of a newer version`() async throws {
        let store = CountingStore()
        let newer = Array(#"{"version":2,"sealed":"…"}"#.utf8)
        store.write(newer, for: "account")
        let session = session(over: store, in: nil)
        await #expect(throws: AuthError.storeNewer) { try await session.credential() }
        expectEqual(session.currentState, .unavailable(.storeNewer))
        expectEqual(store.read("account"), newer)
        try await session.signIn(Self.tokens)
        let kept = store.names().filter { $0 != "account" }
        expectEqual(kept.compactMap { store.read($0) }, [newer])
    }
}

@Suite struct ResourceAccessTokenTests {
    @Test
    func `The access tokens of several resources share one refresh token, and each is obtained once`() async throws {
        let requests = Mutex<[String]>([])
        let store = InMemoryTokenStore<Tokens>()
        let session = Session<Tokens>(store: store) { request in
            let resource = request.target?.resource ?? "own"
            let number = requests.withLock { requests in
                requests.append("\(resource) by \(request.credential.refresh ?? "nothing")")
                return requests.count
            }
            return Tokens(access: "\(resource)-\(number)", refresh: "r\(number)")
        }
        try await session.signIn(Tokens(access: "own-0", refresh: "r0"))
        let (files, mails) = (TokenTarget(resource: "files"), TokenTarget(resource: "mails", scopes: ["read"]))
        let all = try await withThrowingTaskGroup(of: String.self) { group in
            for target in [files, mails] {
                for _ in 0..<20 { group.addTask { try await session.credential(for: target).access } }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(all == ["files-1", "mails-2"] || all == ["mails-1", "files-2"])
        try await expectEqual(session.credential().access, "own-0")
        // Each refresh used the refresh token of the one before.
        expectEqual(requests.withLock { $0.map { $0.suffix(2) } }, ["r0", "r1"])
        let own = try await session.credential()
        try await expectEqual(session.refreshed(replacing: own).access, "own-3")
        expectEqual(Set(try #require(store.load()?.resourceTokens).map(\.target)), [files, mails])
        try await expectEqual(session.credential(for: files).refresh, "r3")
    }

    @Test
    func `The access tokens of several resources come from the new authentication if one is required`() async throws {
        let files = TokenTarget(resource: "files")
        let session = Session<Tokens>(store: InMemoryTokenStore<Tokens>()) { request in
            let refresh = request.credential.refresh ?? "nothing"
            return Tokens(access: "\(request.target?.resource ?? "own") by \(refresh)", refresh: "\(refresh)'")
        }
        try await session.signIn(Tokens(access: "own", refresh: "weak"))
        let sent = Mutex<[String]>([])
        let resource = ClosureHandler { request in
            let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
            sent.withLock { $0.append(token) }
            guard !token.hasPrefix("files by gold") else { return HTTPResponse(status: .ok) }
            let challenge = #"Bearer error="insufficient_user_authentication", acr_values="gold""#
            return HTTPResponse(status: .unauthorized, fields: [.wwwAuthenticate: challenge])
        }
        let auth = SessionInterceptor(
            session, for: .host("api.example.com"), target: files,
            stepUp: { _ in Tokens(access: "own", refresh: "gold") })
        let response = try await resource.intercepted(by: [auth]).respond(to: SessionFixture.request())
        expectEqual(response.status, .ok)
        expectEqual(sent.withLock { $0 }, ["files by weak", "files by gold"])
    }

    // A 400 is an answer, after which the issuer is not asked again.
    @Test(arguments: [(nil, 3), (400, 1), (404, 3), (500, 3)] as [(Int?, Int)])
    func `The access tokens of several resources do not wait for one that the issuer does not issue`(
        status: Int?, requests: Int
    ) async throws {
        let clock = ManualClock()
        let asked = Mutex<[String]>([])
        let session = Session<Tokens>(
            store: InMemoryTokenStore<Tokens>(), clock: clock.wallClock()
        ) { request in
            asked.withLock { $0.append(request.target?.resource ?? "own") }
            guard request.target == nil else {
                guard let status else { throw AuthError.notRefreshable }
                throw HTTPError(
                    code: "unacceptableStatus", message: "refused",
                    response: HTTPResponse(status: .init(rawValue: status)))
            }
            return Tokens(access: "own-1", refresh: "r1")
        }
        try await session.signIn(Tokens(access: "own-0", refresh: "r0", expiry: clock.now.addingTimeInterval(60)))
        await #expect(throws: (any Error).self) { try await session.credential(for: TokenTarget(resource: "unknown")) }
        clock.advance(by: 61)
        try await expectEqual(session.credential().access, "own-1")
        expectEqual(asked.withLock { $0 }, Array(repeating: "unknown", count: requests) + ["own"])
    }
}
