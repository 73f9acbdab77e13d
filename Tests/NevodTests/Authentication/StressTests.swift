// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Nevod
import Synchronization
import TestTags
import Testing

/// A server whose tokens name their user, and expire after some requests.
private final class People: Sendable {
    private struct State {
        var uses: [String: Int] = [:]
        var refreshes: [String: Int] = [:]
        var issued = 0
    }

    private let state = Mutex(State())
    let backend = Backend()

    init() {
        backend.on("/who") { [weak self] request in
            let token = request.fields[.authorization].map { String($0.dropFirst("Bearer ".count)) } ?? ""
            guard let self, self.use(token) else { return HTTPResponse(status: .unauthorized) }
            return .json(#"{"id":0,"name":"\#(token.prefix { $0 != "-" })"}"#)
        }
    }

    /// Returns whether a token is valid for one more request.
    private func use(_ token: String) -> Bool {
        state.withLock { state in
            guard let left = state.uses[token], left > 0 else { return false }
            state.uses[token] = left - 1
            return true
        }
    }

    func issue(to person: String, uses: Int) -> Token {
        state.withLock { state in
            state.issued += 1
            let token = "\(person)-\(state.issued)"
            state.uses[token] = uses
            return Token(value: token)
        }
    }

    /// Refreshes each token once: a server with rotation treats a second time as theft.
    func refresh(_ token: Token?, uses: Int) throws -> Token {
        let value = token?.value ?? ""
        let times = state.withLock { state in
            state.refreshes[value, default: 0] += 1
            return state.refreshes[value, default: 0]
        }
        guard !value.isEmpty, times == 1 else { throw NetworkError.unauthorized }
        return issue(to: String(value.prefix { $0 != "-" }), uses: uses)
    }

    var reused: [String] { state.withLock { $0.refreshes.filter { !$0.key.isEmpty && $0.value > 1 }.map(\.key) } }
}

@Suite(.timeLimit(.minutes(2))) struct StressTests {
    @Test(.tags(.userChangeDuringRefresh), arguments: [1, 7, 42, 1_000_003])
    func `Many requests of several users in turn never switch users, and no token is used twice`(seed: UInt64)
        async throws
    {
        let people = People()
        try await people.backend.serve { url in
            let kept = InMemoryStorage()
            let storage = TokenStorage<Token>(storage: kept)
            let auth = AuthenticationInterceptor(
                tokenStorage: storage, refreshStrategy: { try people.refresh($0, uses: 30) })
            let provider = provider(url, interceptor: auth)
            var random = SplitMix64(state: seed)
            for round in 0..<20 {
                let person = "person\(round)"
                await storage.save(people.issue(to: person, uses: Int(random.next() % 6)))
                let switches = random.next() % 3
                let other = people.issue(to: "other\(round)", uses: 100)
                let names = await atOnce(13) { number -> String? in
                    if number == 5, switches == 1 { await storage.save(nil) }
                    if number == 5, switches == 2 { await storage.save(other) }
                    guard number != 5 else { return nil }
                    let user: User? = try? await provider.get("/who")
                    return user?.name
                }.compactMap { $0 }
                let seen = Set(names)
                #expect(seen.isSubset(of: [person, "other\(round)"]))
                let now = await storage.load()?.value
                switch switches {
                case 1: expectNil(now)
                case 2: expectEqual(now?.hasPrefix("other\(round)-"), true)
                default:
                    expectEqual(now?.hasPrefix("\(person)-"), true)
                    expectEqual(names.count, 12)
                }
                let stored = try kept.data(for: .token).map(Token.decode)
                expectEqual(stored?.value, now)
            }
            #expect(people.reused.isEmpty)
        }
    }

    @Test(.tags(.rejectionStorm))
    func `A request that is canceled during the refresh does not disturb the others`() async throws {
        let backend = Backend()
        try await backend.serve { url in
            let storage = await oldTokens()
            let refreshing = Gate()
            let auth = AuthenticationInterceptor(
                tokenStorage: storage,
                refreshStrategy: { _ in
                    await refreshing.pass()
                    return Token(value: backend.issue())
                })
            let provider = provider(url, interceptor: auth)
            let first = Task { await failure { () -> User in try await provider.get("a") } }
            await refreshing.reached()
            async let others = atOnce(10) { _ -> User? in try? await provider.get("a") }
            first.cancel()
            await expectEqual(first.value, .cancelled)
            refreshing.open()
            #expect(await others.allSatisfy { $0 != nil })
            expectEqual(backend.state.withLock { $0.issued }, 1)
        }
    }
}
