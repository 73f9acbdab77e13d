// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// Kills this process before a step: a request, or a call of the store.
private final class Killer: Interceptor, SecretStore {
    private let store: any SecretStore
    private let remaining: Mutex<Int>

    init(_ store: any SecretStore, before step: Int) {
        self.store = store
        remaining = Mutex(step)
    }

    private func step() {
        if remaining.withLock({ remaining in
            remaining -= 1
            return remaining < 0
        }) {
            kill(getpid(), SIGKILL)
        }
    }

    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        step()
        let response = try await next.respond(to: request)
        step()
        return response
    }

    func read(_ name: String) async throws -> [UInt8]? {
        step()
        return try await store.read(name)
    }

    func write(_ secret: [UInt8], for name: String) async throws {
        step()
        try await store.write(secret, for: name)
        step()
    }

    func remove(_ name: String) async throws {
        step()
        try await store.remove(name)
        step()
    }

    func names() async throws -> [String] {
        step()
        return try await store.names()
    }
}

/// A program that may begin a sign-in in one launch and finish it in another.
private struct Program {
    let issuer: URL
    let folder: String
    var step = Int.max

    private static let redirectURI = ScriptedProvider.redirectURI

    /// A sign-in at the provider, whose user approves immediately; the callback is kept, as a browser would.
    private struct SavingBrowser: Browser {
        let path: String

        func authorize(
            redirectingTo redirectURI: URL?, _ begin: @Sendable (URL) async throws -> AuthorizationAttempt
        ) async throws -> URL {
            let attempt = try await begin(redirectURI ?? Program.redirectURI)
            let client = Client(baseURL: attempt.url, redirects: .none)
            let response = try await client.respond(to: HTTPRequest(method: .get, url: attempt.url))
            let callback = try #require(response.fields[.location])
            try Data(callback.utf8).write(to: URL(filePath: path))
            return try #require(URL(string: callback))
        }
    }

    private var callbackPath: String { "\(folder)/callback" }

    /// The callback that the browser got, if it came to that.
    func callback() -> URL? {
        FileManager.default.contents(atPath: callbackPath).flatMap { URL(string: String(decoding: $0, as: UTF8.self)) }
    }

    private func launch() -> (AuthorizationClient, Session<Tokens>) {
        let files = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
        let killer = Killer(files, before: step)
        var configuration = OAuthConfiguration(issuer: issuer, clientID: "notes")
        configuration.redirectURI = Self.redirectURI
        let client = AuthorizationClient(configuration, attempts: killer, interceptors: [killer])
        return (client, Session(client: client, store: SecretTokenStore<Tokens>(killer, name: "tokens")))
    }

    /// Signs in from the beginning.
    func signIn() async throws -> Session<Tokens> {
        let (_, session) = launch()
        try await session.signIn(using: SavingBrowser(path: callbackPath))
        return session
    }

    /// Delivers a callback to a new launch.
    func finish(_ callback: URL) async throws {
        _ = try await launch().0.finish(callback)
    }

    /// Starts again, with the callback that the browser may still deliver, and says what has become of the sign-in.
    func resume() async throws -> (isSignedIn: Bool, wasFinished: Bool, session: Session<Tokens>) {
        let (client, session) = launch()
        do {
            _ = try await session.credential()
            return (true, false, session)
        } catch AuthError.missingToken {
            // Nobody is signed in.
        }
        guard let callback = callback() else { return (false, false, session) }
        do {
            try await session.signIn(try await client.finish(callback).tokens)
            return (true, true, session)
        } catch OAuthError.stateMismatch {
            return (false, false, session)
        } catch OAuthError.invalidGrant {
            return (false, false, session)
        }
    }
}

/// A program that is killed between two steps of a sign-in, and started again.
@Suite(.timeLimit(.minutes(10))) struct KilledSignInTests {
    @Test
    func `A sign-in whose program is killed at any step is finished by the next launch, or begins again`() async throws
    {
        try await ScriptedProvider.serving { provider in
            var outcomes: [String] = []
            var step = 0
            while true {
                try #require(step < 100)
                let isOver = try await withTemporaryFolder { folder in
                    var program = Program(issuer: provider.base, folder: folder)
                    let result = try await #require(processExitsWith: .failure) {
                        [issuer = provider.base.absoluteString as String, folder = folder as String, step = step as Int]
                        in
                        alarm(120)
                        let url = try #require(URL(string: issuer))
                        _ = try await Program(issuer: url, folder: folder, step: step).signIn()
                        exit(7)
                    }
                    program.step = .max
                    let (isSignedIn, wasFinished, session) = try await program.resume()
                    outcomes.append(isSignedIn ? wasFinished ? "finished" : "kept" : "begins anew")
                    if isSignedIn {
                        #expect(try await session.credential().refresh != nil)
                        // The response that was accepted is not accepted again.
                        if let callback = program.callback() {
                            await #expect(throws: OAuthError.self) { try await program.finish(callback) }
                        }
                    } else {
                        _ = try await program.signIn()
                    }
                    #expect(try await program.resume().isSignedIn)
                    return result.exitStatus == .exitCode(7)
                }
                if isOver { break }
                step += 1
            }
            // First nothing is lost but the page; then the response finishes it; between the code's use and the storage it
            // begins anew; afterwards it is there.
            let runs = outcomes.reduce(into: [String]()) { if $0.last != $1 { $0.append($1) } }
            expectEqual(runs, ["begins anew", "finished", "begins anew", "kept"], "\(outcomes)")
        }
    }
}
