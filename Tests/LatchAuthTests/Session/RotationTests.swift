// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import Testing

/// A credential that each response replaces, and that the server refuses afterwards.
private struct Ticket: SessionCredential, Codable, Hashable {
    var number: Int
    var refresh = 0

    func authorize(_ request: inout HTTPRequest) { request.fields[.authorization] = "Ticket \(number)" }

    func hasSameRefreshToken(as other: Ticket) -> Bool { refresh == other.refresh }

    func rotated(by response: HTTPResponse, to request: HTTPRequest, sentWith sent: Ticket) -> Ticket? {
        guard sent == self, let number = response.fields["Next-Ticket"].flatMap({ Int($0) }) else { return nil }
        return Ticket(number: number, refresh: refresh)
    }
}

/// A disk that may be full.
private final class Disk: SecretStore {
    let isFull = Mutex(false)
    private let store = InMemorySecretStore()

    func read(_ name: String) -> [UInt8]? { store.read(name) }

    func write(_ secret: [UInt8], for name: String) throws {
        guard !isFull.withLock({ $0 }) else { throw AuthError.storeFull }
        store.write(secret, for: name)
    }

    func remove(_ name: String) { store.remove(name) }

    func names() -> [String] { store.names() }
}

@Suite struct RotationTests {
    private let disk = Disk()
    private let simulation = Simulation(seed: 1)

    private var store: SecretTokenStore<Ticket> { SecretTokenStore(disk, name: "account") }

    private func session() -> Session<Ticket> {
        Session(
            store: store, clock: simulation.clock, random: simulation.random, executor: simulation.taskExecutor
        ) { request in
            try await simulation.clock.sleep(for: .milliseconds(100))
            return Ticket(number: request.credential.number + 100, refresh: request.credential.refresh + 1)
        }
    }

    /// Sends a request whose response rotates the credential, or refuses it.
    private func send(_ session: Session<Ticket>, refused: Bool = false) async throws {
        let sent = Mutex(false)
        let server = ClosureHandler { request in
            let isFirst = sent.withLock { sent in
                defer { sent = true }
                return !sent
            }
            if refused, isFirst { return HTTPResponse(status: .unauthorized) }
            let number = Int((request.fields[.authorization] ?? "").split(separator: " ").last ?? "") ?? 0
            return HTTPResponse(status: .ok, fields: ["Next-Ticket": "\(number + 1)"])
        }
        let client = server.intercepted(by: [SessionInterceptor(session, for: .host("api.example.com"))])
        _ = try await client.respond(to: SessionFixture.request())
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) throws {
        let failure = Mutex<(any Error)?>(nil)
        simulation.spawn { do { try await body() } catch { failure.withLock { $0 = error } } }
        _ = simulation.run()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    /// Signs in, and lets a response rotate the credential while the disk is full.
    private func rotateUnstored(_ session: Session<Ticket>) async throws {
        try await session.signIn(Ticket(number: 0))
        disk.isFull.withLock { $0 = true }
        try await send(session)
    }

    private var stored: Ticket? { get async throws { try await store.load() } }

    @Test
    func `A credential that was rotated while the disk was full is used immediately, and stored later`() throws {
        let session = session()
        try run {
            try await rotateUnstored(session)
            try await send(session)
            expectEqual(session.currentState.credential, Ticket(number: 2))
            try await expectEqual(stored, Ticket(number: 0))
            disk.isFull.withLock { $0 = false }
            try await simulation.clock.sleep(for: .seconds(10))
            try await expectEqual(stored, Ticket(number: 2))
        }
    }

    @Test
    func `A credential that a response rotated while the disk was full is also stored by the next rotation`() throws {
        let session = session()
        try run {
            try await rotateUnstored(session)
            disk.isFull.withLock { $0 = false }
            try await send(session)
            try await expectEqual(stored, Ticket(number: 2))
            expectEqual(session.currentState.credential, Ticket(number: 2))
        }
    }

    @Test func `A credential that a response rotated while the disk was full refreshes like any other`() throws {
        let session = session()
        try run {
            try await rotateUnstored(session)
            disk.isFull.withLock { $0 = false }
            try await send(session, refused: true)
            // Refreshed from 1 to 101, which the repeated request rotated.
            expectEqual(session.currentState.credential, Ticket(number: 102, refresh: 1))
            try await expectEqual(stored, Ticket(number: 102, refresh: 1))
        }
    }

    @Test
    func `A credential that a response rotated while the disk was full does not come back after a sign-out`() throws {
        let session = session()
        try run {
            try await rotateUnstored(session)
            disk.isFull.withLock { $0 = false }
            try await session.signOut()
            try await simulation.clock.sleep(for: .seconds(60))
            try await expectNil(stored)
            expectEqual(session.currentState, .signedOut(.user))
        }
    }
}
