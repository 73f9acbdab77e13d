// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Observation
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import LatchAuth

@MainActor @Suite struct ObservableSessionTests {
    let clock = ManualClock()
    let session: Session<Tokens>

    init() {
        session = Session(store: InMemoryTokenStore<Tokens>(), clock: clock.wallClock()) { request in
            Tokens(access: "refreshed", refresh: "r1", expiry: request.credential.expiry?.addingTimeInterval(900))
        }
    }

    private func tokens(_ access: String = "first") -> Tokens {
        Tokens(access: access, refresh: "r0", expiry: clock.now.addingTimeInterval(900))
    }

    /// Writes down what a view would show: it looks anew each time it is told of a change.
    @MainActor private final class Viewer<Shown: Equatable & Sendable> {
        private(set) var shown: [Shown] = []
        private let look: @MainActor () -> Shown

        init(_ look: @escaping @MainActor () -> Shown) {
            self.look = look
            show()
        }

        private func show() {
            let now = withObservationTracking {
                look()
            } onChange: { [weak self] in
                Task { @MainActor in self?.show() }
            }
            shown.append(now)
        }
    }

    @Test(.tags(.sessionObservers))
    func `A session that a view observes shows each state once and in order, also expiries`() async throws {
        let observed = ObservableSession(session, restores: false)
        let viewer = Viewer { observed.state }
        let first = tokens()
        try await session.signIn(first)
        try await eventually { clock.sleepers.count == 1 }
        clock.advance(by: 901)
        try await eventually { session.currentState == .expired(first) }
        let second = tokens("second")
        try await session.signIn(second)
        try await session.signOut()
        try await eventually { viewer.shown.last == .signedOut(.user) }
        let expected: [SessionState<Tokens>] = [
            .unknown, .signedIn(first), .expired(first), .signedIn(second), .signedOut(.user),
        ]
        expectEqual(viewer.shown, expected)
    }

    @Test func `A session that a view observes shows the last of many changes that outrun an observer`() async throws {
        let observed = ObservableSession(session, restores: false)
        let viewer = Viewer { observed.state }
        let all = (0..<100).map { tokens("access-\($0)") }
        for tokens in all { try await session.signIn(tokens) }
        try await eventually { viewer.shown.count == 101 }
        expectEqual(viewer.shown, [.unknown] + all.map { .signedIn($0) })
    }

    @Test func `A session that a view observes answers a view's questions in short properties`() async throws {
        let observed = ObservableSession(session, restores: false)
        #expect(observed.isRestoring && !observed.isSignedIn)
        let viewer = Viewer { [observed.isRestoring, observed.isSignedIn, observed.isExpired] }
        try await session.signIn(tokens())
        try await eventually { observed.isSignedIn }
        try await eventually { clock.sleepers.count == 1 }
        clock.advance(by: 901)
        try await eventually { observed.isExpired }
        #expect(observed.isSignedIn)
        try await session.signOut()
        try await eventually { observed.signedOutReason == .user }
        #expect(!observed.isSignedIn && !observed.isExpired && observed.unavailability == nil)
        try await eventually { viewer.shown.count == 4 }
        expectEqual(
            viewer.shown, [[true, false, false], [false, true, false], [false, true, true], [false, false, false]])
    }

    @Test func `A session that a view observes begins with the known state`() async throws {
        try await session.signIn(tokens())
        let observed = ObservableSession(session)
        expectEqual(observed.state, .signedIn(tokens()))
        #expect(observed.isSignedIn)
    }

    @Test func `A session that a view observes restores it by itself`() async throws {
        let stored = Session(store: InMemoryTokenStore(tokens())) { $0.credential }
        let observed = ObservableSession(stored)
        #expect(observed.isRestoring)
        try await eventually { !observed.isRestoring }
        #expect(observed.isSignedIn)
        let empty = ObservableSession(session)
        try await eventually { !empty.isRestoring }
        expectEqual(empty.signedOutReason, .noAccount)
    }

    @Test func `A session that a view observes shows that a store cannot be read`() async throws {
        let session = SessionFixture()
        session.world.withLock { $0.loadFailure = .storeLocked }
        let locked = Session(store: FixtureStore(fixture: session)) { $0.credential }
        let observed = ObservableSession(locked, restores: false)
        await #expect(throws: AuthError.storeLocked) { try await locked.restore() }
        try await eventually { observed.unavailability != nil }
        expectEqual(observed.unavailability, .storeLocked)
        #expect(!observed.isSignedIn && !observed.isRestoring)
    }

    @Test func `A session that a view observes shows what a server asks of the user, and its end`() async throws {
        let observed = ObservableSession(session, restores: false)
        let viewer = Viewer { observed.stepUp }
        let asked = StepUpRequirement(contextClasses: ["gold"])
        try await session.signIn(tokens())
        let snapshot = try await session.snapshot()
        await #expect(throws: AuthError.stepUpRequired) {
            try await session.steppedUp(for: asked, refusing: snapshot, by: nil)
        }
        try await eventually { observed.stepUp == asked }
        try await session.stepUp(to: tokens("gold"))
        try await eventually { viewer.shown.count == 3 }
        expectEqual(viewer.shown, [nil, asked, nil])
    }

    @Test func `A session that a view observes ends with its owner, and leaves no stream open`() async throws {
        var owned: ObservableSession<Tokens>? = ObservableSession(session, restores: false)
        weak let observed = owned
        expectEqual(session.broadcast.watcherCount, 1)
        try await session.signIn(tokens())
        try await eventually { owned?.isSignedIn == true }
        owned = nil
        expectNil(observed)
        try await eventually { session.broadcast.watcherCount == 0 && session.stepUpBroadcast.watcherCount == 0 }
        try await session.signOut()
        expectEqual(session.broadcast.watcherCount, 0)
        expectEqual(session.stepUpBroadcast.watcherCount, 0)
    }

    @Test func `A session that a view observes is not kept longer than its owner`() async throws {
        var session: Session<Tokens>? = Session(store: InMemoryTokenStore<Tokens>()) { $0.credential }
        weak let released = session
        var observed = session.map { ObservableSession($0, restores: false) }
        session = nil
        #expect(observed?.session === released)
        observed = nil
        try await eventually { released == nil }
        expectNil(released)
    }
}
