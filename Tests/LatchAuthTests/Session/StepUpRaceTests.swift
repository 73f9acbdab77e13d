// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import SessionSimulation
import Synchronization
import Testing

@testable import LatchAuth

/// Hands out tokens of two kinds, `plain` and `gold`; only the last ones are accepted, and `/gold` takes only gold ones.
private final class StepUpIssuer: Sendable {
    struct World: Sendable {
        var accepted = ""
        var issued = 0
        /// The numbers of prompts so far, at this moment, and the most at the same time.
        var asked = 0
        var asking = 0
        var mostAsking = 0
    }

    let simulation: Simulation
    private let world = Mutex(World())

    init(_ simulation: Simulation) { self.simulation = simulation }

    var mostAsking: Int { world.withLock { $0.mostAsking } }

    func issue(_ kind: String) -> Tokens {
        let access = world.withLock { world in
            world.issued += 1
            world.accepted = "\(kind)-\(world.issued)"
            return world.accepted
        }
        let now = simulation.trueNow
        return Tokens(access: access, refresh: "r-\(access)", expiry: now.addingTimeInterval(900), issued: now)
    }

    func refresh(_ tokens: Tokens) async throws -> Tokens {
        try await simulation.pause(upToMilliseconds: 80)
        return issue(tokens.access.hasPrefix("gold") ? "gold" : "plain")
    }

    /// The user, who takes their time.
    func ask() async throws -> Tokens {
        world.withLock { world in
            world.asking += 1
            world.mostAsking = max(world.mostAsking, world.asking)
        }
        defer { world.withLock { $0.asking -= 1 } }
        try await simulation.pause(upToMilliseconds: 200)
        if simulation.chance(20) { throw CancellationError() }
        return issue("gold")
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await simulation.pause(upToMilliseconds: 40)
        let token = String((request.fields[.authorization] ?? "").dropFirst("Bearer ".count))
        guard token == world.withLock({ $0.accepted }) else { return HTTPResponse(status: .unauthorized) }
        guard request.path != "/gold" || token.hasPrefix("gold") else {
            let challenge = #"Bearer error="insufficient_user_authentication", acr_values="gold""#
            return HTTPResponse(status: .unauthorized, fields: [.wwwAuthenticate: challenge])
        }
        return HTTPResponse(status: .ok)
    }
}

@Suite struct StepUpRaceTests {
    /// Lets five tasks do as they like with one session, and returns the errors that no caller may see.
    private func play(_ simulation: Simulation, _ issuer: StepUpIssuer, _ session: Session<Tokens>) -> [String] {
        let handler = ClosureHandler { try await issuer.respond(to: $0) }
        let auth = SessionInterceptor(session, for: .host("api.example.com")) { _ in try await issuer.ask() }
        let client = handler.intercepted(by: [auth])
        let strange = Mutex<[String]>([])
        for _ in 0..<5 {
            simulation.spawn {
                for _ in 0..<4 {
                    do {
                        try await simulation.pause(upToMilliseconds: 100)
                        try await act(simulation.below(20), issuer, session, client)
                    } catch AuthError.superseded, AuthError.missingToken, AuthError.stepUpRequired {
                        // What an app has to reckon with.
                    } catch {
                        strange.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        if !simulation.run() { strange.withLock { $0.append("it goes on for ever") } }
        return strange.withLock { $0 }
    }

    private func act(
        _ choice: Int, _ issuer: StepUpIssuer, _ session: Session<Tokens>, _ client: any Handler
    ) async throws {
        switch choice {
        case 0: try await session.signOut()
        case 1, 2: try await session.signIn(issuer.issue("plain"))
        case 3: try await session.stepUp(to: issuer.issue("gold"))
        case 4...9: _ = try await client.respond(to: .example(.get, "/plain"))
        case 10...13: _ = try await session.refreshed(replacing: session.currentCredential())
        default: _ = try await client.respond(to: .example(.get, "/gold"))
        }
    }

    @Test(arguments: 0..<4)
    func `Concurrent step-ups, refreshes and sign-outs leave the session and its store consistent`(part: UInt64) throws
    {
        for seed in (part * 250)..<(part * 250 + 250) {
            let simulation = Simulation(seed: seed)
            let issuer = StepUpIssuer(simulation)
            let store = InMemoryTokenStore<Tokens>()
            var policy = RefreshPolicy()
            policy.requestLimit = 1_000
            let session = Session(
                store: store, policy: policy, clock: simulation.clock, random: simulation.random,
                executor: simulation.taskExecutor
            ) { try await issuer.refresh($0.credential) }
            simulation.spawn { try await session.signIn(issuer.issue("plain")) }
            let strange = play(simulation, issuer, session)
            #expect(strange.isEmpty, "seed \(seed)")
            expectEqual(session.currentState.credential, store.load(), "seed \(seed)")
            #expect(session.stepUp == nil || session.currentState.isSignedIn, "seed \(seed)")
            // A step-up that a sign-out has ended may still be under way when the next one begins.
            #expect(issuer.mostAsking <= 3, "seed \(seed)")
        }
    }
}
