// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import SessionSimulation
import Synchronization
import Testing

@testable import LatchAuth

@Suite struct StepUpLifeTests {
    let fixture = SessionFixture()
    static let asked = StepUpRequirement(contextClasses: ["gold"])

    private func token(_ subject: String, acr: String) throws -> String {
        try JWT.sign(["sub": .string(subject), "acr": .string(acr)], with: Key.generate(.es256))
    }

    /// A session of which `gold` is asked.
    private func session(_ tokens: Tokens? = nil) throws -> Session<Tokens> {
        let session = fixture.makeSession()
        let tokens = tokens ?? fixture.tokens(0)
        try fixture.run {
            try await session.signIn(tokens)
            let snapshot = try await session.snapshot()
            await #expect(throws: AuthError.stepUpRequired) {
                try await session.steppedUp(for: Self.asked, refusing: snapshot, by: nil)
            }
        }
        expectEqual(session.stepUp, Self.asked)
        return session
    }

    @Test func `A step-up that is asked for outlives a refresh`() throws {
        let session = try session()
        _ = try fixture.run { try await session.refreshed(replacing: fixture.tokens(0)) }
        expectEqual(fixture.refreshes, 1)
        expectEqual(session.stepUp, Self.asked)
    }

    @Test func `A step-up that is asked for ends with a sign-in, unless the tokens do not satisfy it`() throws {
        let session = try session()
        let silver = Tokens(access: try token("1", acr: "silver"))
        try fixture.run { try await session.signIn(silver) }
        expectEqual(session.stepUp, Self.asked)
        let gold = Tokens(access: try token("1", acr: "gold"))
        try fixture.run { try await session.signIn(gold) }
        expectNil(session.stepUp)
        let other = try self.session()
        try fixture.run { try await other.signIn(Tokens(access: "opaque")) }
        expectNil(other.stepUp)
    }

    @Test func `A step-up that is asked for ends with a sign-out`() throws {
        let session = try session()
        _ = try fixture.run { try await session.signOut() }
        expectNil(session.stepUp)
    }

    @Test func `A step-up that is asked for is not met by another user, whose tokens are not taken`() throws {
        let mine = Tokens(access: try token("1", acr: "silver"))
        let session = try session(mine)
        let others = Tokens(access: try token("2", acr: "gold"))
        #expect(throws: AuthError.differentUser) { try fixture.run { try await session.stepUp(to: others) } }
        expectEqual(session.currentState, .signedIn(mine))
        expectEqual(session.stepUp, Self.asked)
    }

    @Test func `A step-up that is asked for is not met while no user is signed in`() throws {
        let session = fixture.makeSession()
        #expect(throws: AuthError.missingToken) {
            try fixture.run { try await session.stepUp(to: Tokens(access: "gold")) }
        }
        expectNil(fixture.stored)
    }

    @Test func `A step-up that is asked for ends with an earlier sign-out, and nothing of it is kept`() throws {
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        #expect(throws: AuthError.superseded) {
            try fixture.run {
                try await session.signIn(tokens)
                let snapshot = try await session.snapshot()
                async let stepped = session.steppedUp(for: Self.asked, refusing: snapshot) { _ in
                    // The worst that an app may bring: it goes on although it is cancelled.
                    await Task { try? await fixture.simulation.clock.sleep(for: .seconds(9)) }.value
                    return Tokens(access: "gold")
                }
                try await fixture.simulation.clock.sleep(for: .seconds(1))
                try await session.signOut()
                _ = try await stepped
            }
        }
        _ = fixture.simulation.run()
        expectEqual(session.currentState, .signedOut(.user))
        expectNil(session.stepUp)
        expectNil(fixture.stored)
    }

    @Test func `A step-up that is asked for is carried on for the others when one request is canceled`() throws {
        let session = fixture.makeSession()
        let tokens = fixture.tokens(0)
        let stepped = try fixture.run {
            try await session.signIn(tokens)
            let snapshot = try await session.snapshot()
            let first = fixture.simulation.spawn {
                try await session.steppedUp(for: Self.asked, refusing: snapshot) { _ in
                    try await fixture.simulation.clock.sleep(for: .seconds(9))
                    return Tokens(access: "gold")
                }
            }
            try await fixture.simulation.clock.sleep(for: .seconds(1))
            first.cancel()
            await #expect(throws: CancellationError.self) { try await first.value }
            return try await session.steppedUp(for: Self.asked, refusing: snapshot) { _ in Tokens(access: "second") }
        }
        expectEqual(stepped.credential.access, "gold")
    }

    @Test func `A step-up that is asked for gives the new credential to callers that wait for a refresh`() throws {
        let session = try session()
        let refreshed = try fixture.run {
            async let refreshed = session.refreshed(replacing: fixture.tokens(0))
            try await fixture.simulation.clock.sleep(for: .milliseconds(50))
            try await session.stepUp(to: Tokens(access: "gold", refresh: "gold-0"))
            return try await refreshed
        }
        _ = fixture.simulation.run()
        expectEqual(refreshed.access, "gold")
        expectEqual(fixture.stored?.access, "gold")
        expectEqual(session.currentState.credential?.access, "gold")
    }

    @Test func `A step-up that is asked for that cannot be stored changes nothing`() throws {
        let session = try session()
        let before = session.currentState
        fixture.world.withLock { $0.saveFailure = .storeFull }
        #expect(throws: AuthError.storeFull) {
            try fixture.run { try await session.stepUp(to: Tokens(access: "gold")) }
        }
        expectEqual(session.currentState, before)
        expectEqual(session.stepUp, Self.asked)
    }

    @Test func `A step-up that is asked for keeps the key that the tokens are bound to`() throws {
        let key = try DPoPKey.generate()
        let session = try session(Tokens(access: "silver", tokenType: .dpop, key: key))
        try fixture.run { try await session.stepUp(to: Tokens(access: "gold", tokenType: .dpop)) }
        expectEqual(fixture.stored?.key, key)
    }
}
