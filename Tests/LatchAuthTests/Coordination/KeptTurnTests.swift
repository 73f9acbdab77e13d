// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

/// Two processes over one record, and an issuer without a replay window: who asks twice has lost the session.
@Suite(.timeLimit(.minutes(5))) struct KeptTurnTests {
    @Test
    func `A successor that cannot be stored is kept with the turn, so that others wait and do not ask again`()
        async throws
    {
        try await withTemporaryFolder { folder in
            let stage = Stage(folder, left: -1)
            let (holder, other) = (stage.session(), stage.session(isBroken: false))
            try await stage.signIn(holder)
            await #expect(throws: AuthError.storeFull) { try await holder.credential() }
            await stage.untilItRests()
            async let waiting = other.credential().access
            await stage.clock.sleeper(for: Stage.patience)
            // Nobody uses the session that holds it; it tries again by itself.
            stage.isFull.withLock { $0 = false }
            stage.clock.advance(by: .seconds(1))
            try await expectEqual(waiting, "successor of r0")
            try await expectEqual(holder.credential().access, "successor of r0")
            expectEqual(stage.issuer.asked, ["r0"])
        }
    }

    @Test
    func `A successor that cannot be stored does not delay callers whose credential is still accepted`() async throws {
        try await withTemporaryFolder { folder in
            let stage = Stage(folder, left: 60)
            let (holder, other) = (stage.session(), stage.session(isBroken: false))
            try await stage.signIn(holder)
            try await expectEqual(holder.credential().refresh, "r0")
            // It is due here as well; no task waits, or this would not return.
            let old = try await other.credential()
            expectEqual(old.refresh, "r0")
            expectEqual(stage.issuer.asked, ["r0"])
            // Who was refused with it can do nothing but wait.
            async let waiting = other.refreshed(replacing: old).access
            await stage.clock.sleeper(for: Stage.patience)
            stage.isFull.withLock { $0 = false }
            try await expectEqual(holder.refreshed(replacing: old).access, "successor of r0")
            try await expectEqual(waiting, "successor of r0")
            expectEqual(stage.issuer.asked, ["r0"])
        }
    }

    @Test func `A successor that cannot be stored delays a caller who joins a refresh that ran ahead`() async throws {
        try await withTemporaryFolder { folder in
            let stage = Stage(folder, left: 60)
            let (holder, other) = (stage.session(), stage.session(isBroken: false))
            try await stage.signIn(holder)
            let old = try await holder.credential()
            let tasks = (0..<20).map { number in
                Task {
                    number.isMultiple(of: 2)
                        ? try await other.refreshed(replacing: old) : try await other.credential()
                }
            }
            await stage.clock.sleeper(for: Stage.patience)
            stage.isFull.withLock { $0 = false }
            _ = try await holder.refreshed(replacing: old)
            for (number, task) in tasks.enumerated() {
                let access = try await task.value.access
                #expect(access == "successor of r0" || !number.isMultiple(of: 2) && access == old.access)
            }
            expectEqual(stage.issuer.asked, ["r0"])
        }
    }

    @Test
    func `A successor that cannot be stored delays a process for a limited time, and signs no user out`() async throws {
        try await withTemporaryFolder { folder in
            let stage = Stage(folder, left: -1)
            let (holder, other) = (stage.session(), stage.session(isBroken: false))
            try await stage.signIn(holder)
            await #expect(throws: AuthError.storeFull) { try await holder.credential() }
            await stage.untilItRests()
            let waiting = Task { try await other.credential() }
            await stage.clock.sleeper(for: Stage.patience)
            stage.clock.advance(by: .seconds(90))
            let error = await #expect(throws: AuthError.lockHeld) { try await waiting.value }
            expectEqual(error?.message.contains(ProcessInfo.processInfo.processName), true)
            #expect(other.currentState.isSignedIn)
            await stage.clock.sleeper(for: .seconds(2) ... .seconds(2))
            stage.isFull.withLock { $0 = false }
            try await expectEqual(holder.credential().access, "successor of r0")
            try await expectEqual(other.credential().access, "successor of r0")
        }
    }

    @Test
    func `A successor that cannot be stored gives way, and the turn with it, to another user's sign-in`() async throws {
        try await withTemporaryFolder { folder in
            let stage = Stage(folder, left: -1)
            let (holder, other) = (stage.session(), stage.session(isBroken: false))
            try await stage.signIn(holder)
            await #expect(throws: AuthError.storeFull) { try await holder.credential() }
            // Neither of the two waits for the turn.
            try await other.signOut()
            try await other.signIn(stage.tokens("q0", left: -1))
            try await expectEqual(other.credential().access, "successor of q0")
            expectEqual(stage.issuer.asked, ["r0", "q0"])
            try await expectEqual(holder.credential().access, "successor of q0")
        }
    }

    @Test func `A successor that cannot be stored outlives the last reference to its session`() async throws {
        try await withTemporaryFolder { folder in
            let stage = Stage(folder, left: -1)
            var holder: Session<Tokens>? = stage.session()
            let other = stage.session(isBroken: false)
            try await stage.signIn(try #require(holder))
            await #expect(throws: AuthError.storeFull) { try await holder?.credential() }
            await stage.untilItRests()
            holder = nil
            stage.isFull.withLock { $0 = false }
            async let waiting = other.credential().access
            await stage.clock.sleeper(for: Stage.patience)
            stage.clock.advance(by: .seconds(1))
            try await expectEqual(waiting, "successor of r0")
            expectEqual(stage.issuer.asked, ["r0"])
        }
    }
}

/// The state that two processes share, and a stopped clock.
private final class Stage: Sendable {
    /// The time until a session that waits has something to do by itself.
    static let patience: ClosedRange<Duration> = .seconds(5) ... .seconds(5)

    let clock = ManualClock()
    let issuer = StrictIssuer()
    /// Whether the first session's store takes nothing any more; it becomes true when the issuer has answered.
    let isFull = Mutex(false)
    private let folder: String
    private let left: TimeInterval

    /// - Parameter left: How long the first tokens are accepted.
    init(_ folder: String, left: TimeInterval) {
        self.folder = folder
        self.left = left
    }

    func tokens(_ refresh: String, left: TimeInterval) -> Tokens {
        Tokens(
            access: "of \(refresh)", refresh: refresh, expiry: clock.now.addingTimeInterval(left),
            issued: clock.now.addingTimeInterval(left - 900))
    }

    /// Waits until the session that holds the successor has tried to store it once more by itself, and waits too.
    func untilItRests() async { await clock.sleeper(for: .seconds(1) ... .seconds(1)) }

    func signIn(_ session: Session<Tokens>) async throws { try await session.signIn(tokens("r0", left: left)) }

    /// A session as a process makes it, with locks and watches of its own.
    ///
    /// - Parameter isBroken: Whether its store is full from its first refresh on.
    func session(isBroken: Bool = true) -> Session<Tokens> {
        let secrets = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
        let coordination = FileCoordination(path: "\(folder)/account", clock: clock.wallClock())
        let store = SecretTokenStore<Tokens>(
            isBroken ? FillingStore(store: secrets, stage: self) : secrets, name: "account", coordination: coordination)
        return Session(
            store: store, policy: RefreshPolicy(jitter: .zero), clock: clock.wallClock()
        ) { request in
            if isBroken { self.isFull.withLock { $0 = true } }
            return try self.issuer.refresh(request.credential, at: self.clock.now)
        }
    }
}

/// Rotates, and takes each repetition for a theft, whatever its key (RFC 9700 §4.14.2).
private final class StrictIssuer: Sendable {
    private let seen = Mutex<[String]>([])

    var asked: [String] { seen.withLock { $0 } }

    func refresh(_ tokens: Tokens, at now: Date) throws -> Tokens {
        let refresh = tokens.refresh ?? ""
        let isUsed = seen.withLock { seen in
            defer { seen.append(refresh) }
            return seen.contains(refresh)
        }
        if isUsed { throw AuthError.reauthenticationRequired }
        return Tokens(
            access: "successor of \(refresh)", refresh: "\(refresh)+", expiry: now.addingTimeInterval(900), issued: now)
    }
}

/// A store that can be read, and takes nothing while it is full.
private struct FillingStore: SecretStore {
    let store: any SecretStore
    let stage: Stage

    func read(_ name: String) async throws -> [UInt8]? { try await store.read(name) }

    func write(_ secret: [UInt8], for name: String) async throws {
        if stage.isFull.withLock({ $0 }) { throw AuthError.storeFull }
        try await store.write(secret, for: name)
    }

    func remove(_ name: String) async throws { try await store.remove(name) }

    func names() async throws -> [String] { try await store.names() }
}
