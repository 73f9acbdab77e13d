// SPDX-License-Identifier: Apache-2.0

import Expectations
import JWTAuthDependencies
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

/// Many tasks of one program that sign in, send, refresh and sign out in any order, at a server that loses answers.
@Suite struct StressTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    /// A server that refuses every third token, is out of order for every fifth refresh, and never takes one token twice.
    private func makeDisorder() {
        let used = Mutex<Set<String>>([])
        let count = Mutex(0)
        backend.on("/disorder") { [backend] request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let token = request.fields[.authorization]?.dropFirst("Bearer ".count).description ?? ""
            let isAccepted = backend.state.withLock { $0.accepted.contains(token) }
            return number % 3 == 0 || !isAccepted ? .json("{}", status: .unauthorized) : .json(#"{"name":"Ada"}"#)
        }
        backend.on("/auth/refresh") { [backend] request in
            let number = backend.refreshes
            if number % 5 == 0 { return .json("{}", status: .serviceUnavailable) }
            let old = try JSONValue(parsing: request.body.bytes)["refresh"]?.stringValue ?? ""
            // A refresh token that comes a second time after it was exchanged would be a theft to a real server.
            if !used.withLock({ $0.insert(old).inserted }) { return .json("{}", status: .conflict) }
            return try backend.refresh(request)
        }
    }

    /// The next operation of a task, by the seed.
    private func step(_ choice: UInt64, _ login: @Sendable () async -> Void) async -> (any Error)? {
        let client = Dependency(\.jwtAuthClient).wrappedValue
        switch choice % 20 {
        case 0:
            await login()
            return nil
        case 1: return await failure { try await client.refreshExpiredTokens() }
        case 2: return await failure { try await client.loadSession() }
        case 3:
            let task = Task { await failure { try await client.sendAuthenticated(.get("/disorder")) } }
            task.cancel()
            return await task.value
        default: return await failure { try await client.sendAuthenticated(.get("/disorder")) }
        }
    }

    @Test(.tags(.concurrentRefresh, .waiterCancellation, .logoutDuringRefresh), arguments: 1...8)
    func `A program in disorder uses no refresh token twice, and its keychain and session agree at the end`(
        seed: UInt64
    ) async throws {
        makeDisorder()
        let keychain = RecordedKeychain()
        try await backend.run(keychain: keychain.client) {
            let login: @Sendable () async -> Void = { [backend] in
                guard let tokens = try? backend.issue(life: 900) else { return }
                _ = await failure { try await Dependency(\.authTokensClient).wrappedValue.save(tokens) }
            }
            await login()
            let errors = await atOnce(16) { number in
                var random = SplitMix64(state: seed * 100 + UInt64(number))
                var errors: [any Error] = []
                for _ in 0..<25 {
                    if let error = await step(random.next(), login) { errors.append(error) }
                }
                return errors
            }
            for error in errors.joined() { #expect(isExpected(error), "\(error)") }
            @Shared(.authSession) var session
            let kept = try await Dependency(\.keychainClient).wrappedValue.loadTokens()
            expectEqual(session?.tokens, kept)
            #expect(session != nil)
        }
        #expect(!backend.requests(to: "/auth/refresh").isEmpty)
    }

    /// The errors that a program must expect here; a second use of a refresh token is not among them.
    private func isExpected(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError, is AuthTokens.Error: true
        case HTTPRequestClient.Error.badResponse(_, 401, _), HTTPRequestClient.Error.badResponse(_, 503, _): true
        default: "\(error)".contains("replaced in the meantime")
        }
    }

    @Test(.tags(.logoutDuringRefresh))
    func `A hundred logins and logouts during refreshes leave what the last one said`() async throws {
        try await backend.run {
            let client = Dependency(\.jwtAuthClient).wrappedValue
            @Dependency(\.authTokensClient) var authTokensClient
            @Shared(.authSession) var session
            for number in 0..<100 {
                let expired = AuthTokens(access: try backend.access(life: -10), refresh: try backend.issue().refresh)
                try await authTokensClient.save(expired)
                let sending = Task { await failure { try await client.sendAuthenticated(.get("/user/profile")) } }
                if number % 3 > 0 { await Task.yield() }
                try await authTokensClient.destroy()
                expectEqual(session, .missing)
                let error = await sending.value
                #expect(error == nil || error is AuthTokens.Error, "\(String(describing: error))")
                expectEqual(session, .missing)
            }
        }
    }
}
