// SPDX-License-Identifier: Apache-2.0

import Expectations
import JWTAuthDependencies
import LatchCore
import LatchTesting
import TestTags
import Testing

/// A dependency of a program's own.
private struct Greeting: DependencyKey {
    static let liveValue = "hello"
    static let testValue = "test"
    static let previewValue = "preview"
}

private struct Fresh: DependencyKey {
    final class Box: Sendable {}
    typealias Value = Box
    static var liveValue: Box { Box() }
}

extension DependencyValues {
    fileprivate var greeting: String {
        get { self[Greeting.self] }
        set { self[Greeting.self] = newValue }
    }
}

private struct Feature: Sendable {
    @Dependency(\.greeting) var greeting
    @Shared(.authSession) var session
}

@Suite struct DependencyTests {
    let backend: Backend

    init() throws { backend = try Backend() }

    @Test func `A dependency is the one of the context, unless another was set`() {
        @Dependency(\.greeting) var greeting
        expectEqual(greeting, "hello")
        withDependencies {
            $0.context = .test
        } operation: {
            expectEqual(greeting, "test")
        }
        withDependencies {
            $0.context = .preview
        } operation: {
            expectEqual(greeting, "preview")
        }
        withDependencies {
            $0.greeting = "set"
        } operation: {
            expectEqual(greeting, "set")
            withDependencies {
                $0.context = .test
            } operation: {
                expectEqual(greeting, "set")
            }
        }
        expectEqual(greeting, "hello")
    }

    @Test func `A dependency is made once for all who share it`() {
        withDependencies {
            $0.context = .test
        } operation: {
            let first = withDependencies { _ in
            } operation: {
                Dependency(Fresh.self).wrappedValue
            }
            #expect(Dependency(Fresh.self).wrappedValue === first)
            let other = withDependencies {
                $0.context = .test
            } operation: {
                Dependency(Fresh.self).wrappedValue
            }
            #expect(other !== first)
        }
    }

    @Test
    func `A dependency stays with the object that was made with it, and with tasks that are started with it`() async {
        let feature = await withDependencies {
            $0.greeting = "made"
        } operation: {
            await expectEqual(Task { Dependency(\.greeting).wrappedValue }.value, "made")
            return Feature()
        }
        expectEqual(feature.greeting, "made")
        withDependencies {
            $0.greeting = "other"
        } operation: {
            expectEqual(feature.greeting, "other")
        }
    }

    @Test func `A dependency without a value names itself in the error`() async {
        await withDependencies {
            $0.context = .test
        } operation: {
            @Dependency(\.jwtAuthClient) var client
            await #expect(throws: MissingDependency.self) { try await client.send(.get("/x")) }
        }
    }

    @Test(.tags(.accountIsolation)) func `Two accounts of one program do not affect each other`() async throws {
        let keychain = RecordedKeychain()
        let (ada, bob) = (try backend.issue(), try backend.issue())
        let second = KeychainClient(over: keychain, prefix: "Bob.")
        try await backend.run(keychain: keychain.client) {
            try await Dependency(\.authTokensClient).wrappedValue.save(ada)
            try await withDependencies {
                $0.keychainClient = second
            } operation: {
                @Shared(.authSession) var session
                expectNil(session)
                try await Dependency(\.authTokensClient).wrappedValue.save(bob)
                expectEqual(session, .valid(bob))
            }
            @Shared(.authSession) var session
            expectEqual(session, .valid(ada))
            try await second.reset()
            try await expectEqual(Dependency(\.keychainClient).wrappedValue.loadTokens(), ada)
            try await expectNil(second.loadTokens())
        }
    }

    @Test(.tags(.accountIsolation)) func `Each of a hundred concurrent tests sees its own session`() async throws {
        let all = try (0..<100).map { _ in try backend.issue() }
        let right = await atOnce(100) { number in
            await withDependencies {
                $0.context = .test
                $0.wallClock = backend.clock.wallClock()
            } operation: { () -> Bool in
                @Shared(.authSession) var session
                @Dependency(\.authTokensClient) var authTokensClient
                guard session == nil else { return false }
                _ = await failure { try await authTokensClient.save(all[number]) }
                await Task.yield()
                return session == .valid(all[number])
            }
        }
        expectEqual(right, Array(repeating: true, count: 100))
        expectEqual(Dependency(\.greeting).wrappedValue, "hello")
    }

    @Test(.tags(.accountIsolation)) func `A dependency can set the session to begin with`() async throws {
        let (valid, expired) = (try backend.issue(), try backend.issue(life: -10))
        for initial in [AuthSession.valid(valid), .expired(expired)] {
            try await backend.run({ values, _ in values.authSession = initial }) {
                @Shared(.authSession) var session
                expectEqual(session, initial)
                try await Dependency(\.jwtAuthClient).wrappedValue.loadSession()
                expectEqual(session, initial)
                expectEqual(session?.tokens, initial.tokens)
            }
        }
    }

    @Test func `Another clock, policy or keychain means another session, but another client or request does not`()
        async throws
    {
        let tokens = try backend.issue()
        try await backend.run {
            try await Dependency(\.authTokensClient).wrappedValue.save(tokens)
            @Shared(.authSession) var session
            withDependencies {
                $0.jwtAuthClient.baseURL = { "" }
            } operation: {
                expectEqual(session, .valid(tokens))
            }
            withDependencies {
                $0.greeting = "x"
            } operation: {
                expectEqual(session, .valid(tokens))
            }
            withDependencies {
                $0.wallClock = .system
            } operation: {
                expectNil(session)
            }
            withDependencies {
                $0.keychainClient = .inMemory()
            } operation: {
                expectNil(session)
            }
        }
    }
}

/// A dependency that one test alone sets for the whole program.
private struct Prepared: DependencyKey {
    typealias Value = Int
    static let liveValue = 1
}

@Suite struct ProgramDependenciesTests {
    @Test
    func `The dependencies of a program are set before they are used, and a test's do not leave the test`() async {
        prepareDependencies { $0[Prepared.self] = 2 }
        expectEqual(Dependency(Prepared.self).wrappedValue, 2)
        await expectEqual(Task.detached { Dependency(Prepared.self).wrappedValue }.value, 2)
        withDependencies {
            $0[Prepared.self] = 3
        } operation: {
            expectEqual(Dependency(Prepared.self).wrappedValue, 3)
        }
        expectEqual(Dependency(Prepared.self).wrappedValue, 2)
    }

    @Test func `The dependencies of a program that throw while they are set change nothing`() async {
        struct Broken: Error {}
        #expect(throws: Broken.self) {
            try withDependencies { _ in
                throw Broken()
            } operation: {
                Issue.record("ran")
            }
        }
        await #expect(throws: Broken.self) {
            try await withDependencies {
                $0.context = .test
            } operation: {
                await Task.yield()
                throw Broken()
            }
        }
        #expect(
            withDependencies { _ in
            } operation: {
                Dependency(Prepared.self).wrappedValue
            } > 0)
    }
}
