// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP
import PortableFoundation

/// The steps that must not lose a session: many callers at an expiry, and kills of the server.
enum RenewalSteps {
    /// The first makes long tokens for the second device, so that only the first device has to renew later on.
    static let all: [DemoStep] = [
        DemoStep(code: "reload", name: "SIGHUP: longer tokens without a restart", play: reload),
        DemoStep(code: "expiry", name: "1,000 calls across an expiry, 1 renewal", play: expiry),
        DemoStep(code: "kills", name: "the server is killed in the middle of renewals", play: kills),
    ]

    /// The number of calls; a client without a shared refresh would send hundreds of refreshes.
    private static let calls = 1000
    /// The time of the second group of calls before the expiry, in seconds.
    private static let lead = 0.1

    /// Writes the configuration, sends SIGHUP, and reads from the next token that the server took it.
    ///
    /// The process and its port stay the same, and so do the sessions.
    private static func reload(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        try stage.folder.write("access_token_lifetime = 900\n", to: "latch.toml")
        try await stage.server.reload()
        let laptop = AuthPackage.AuthClient(config: AuthConfiguration(baseURL: stage.baseURL))
        let claims = try await laptop.login(email: stage.email, password: stage.password)
        stage.laptop = laptop
        guard let end = claims?.exp, let begin = claims?.iat else { throw DemoFailure("the token states no dates") }
        try expect(end - begin == 900, "the second device got a token of \(Int(end - begin)) s")
        try expect(claims?.email == stage.email, "the token belongs to another account")
        return .init("access tokens live 900 s now, not 4 s; the second device signs in", ["lifetimeSeconds": 900])
    }

    /// Sends a thousand calls around the phase in which the token ends.
    ///
    /// Both sides count: the server the renewals that it made, the transport those that were asked for. One each is
    /// right; two that happen to be answered alike would not be.
    private static func expiry(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        guard let expiry = phone.session.currentState.credential?.expiry else {
            throw DemoFailure("the token states no expiry")
        }
        let before = (server: try await stage.metrics(), client: stage.transport.counts)
        let clock = WallClock.system
        let life = expiry.timeIntervalSince(clock.now)
        try expect(life > lead, "the token had expired before the step began")
        let early = try await callTogether(phone, life: life, clock)
        try expect(early > 0 && early < calls, "\(early) of \(calls) calls began before the expiry")
        let after = (server: try await stage.metrics(), client: stage.transport.counts)
        stage.calls += calls
        let renewals = after.server.refreshes - before.server.refreshes
        try expect(renewals == 1, "the server counts \(DemoReport.counted(renewals, "renewal"))")
        let asked = after.client.refreshes - before.client.refreshes
        try expect(asked == 1, "the client asked for \(DemoReport.counted(asked, "renewal"))")
        let refused = after.client.refusals - before.client.refusals
        return .init(
            "\(early) began before, \(after.client.peak) at once, \(refused) sent again after a 401",
            [
                "calls": .integer(Int64(calls)), "successes": .integer(Int64(calls)),
                "renewals": .integer(Int64(renewals)), "refusedAndRepeated": .integer(Int64(refused)),
                "atOnce": .integer(Int64(after.client.peak)),
            ])
    }

    /// A few calls during the token's life, many at once right before its end, and half of all at its end.
    ///
    /// - Returns: How many began before the token expired.
    ///
    /// All of them must succeed; one that throws ends the others and the step.
    private static func callTogether(
        _ client: LatchAccounts.AuthClient, life: Double, _ clock: WallClock
    ) async throws -> Int {
        let expiry = clock.now.addingTimeInterval(life)
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<calls {
                let start =
                    switch number {
                    case ..<100: (life - lead) * Double(number) / 100
                    case ..<(calls / 2): life - lead
                    default: life
                    }
                group.addTask {
                    try await clock.sleep(for: .seconds(start))
                    let isEarly = clock.now < expiry
                    _ = try await client.profile()
                    return isEarly
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
    }

    /// Kills the server (SIGKILL) six times in a renewal, later each time, and lets the devices go on.
    ///
    /// Where the kill falls, before the commit, after it or after the answer, is the machine's choice and is only
    /// reported. No session may be lost in any case.
    private static func kills(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        var phone = try stage.requirePhone()
        let usual = try await usualRenewal(on: stage, by: phone)
        var phases: [KillScenario.Phase: Int] = [:]
        // From the phase the request leaves to about when the answer comes.
        for (number, share) in [0, 0.2, 0.4, 0.6, 0.8, 1].enumerated() {
            let scene = KillScenario(stage: stage, phone: phone, isNewProgramFirst: number.isMultiple(of: 2))
            let (phase, next) = try await scene.play(killingAfter: usual * share)
            phases[phase, default: 0] += 1
            stage.kills += 1
            stage.calls += KillScenario.callsAfterwards
            // Every other time a program that was started anew takes over.
            if number.isMultiple(of: 2) { phone = next }
        }
        stage.phone = phone
        _ = try await stage.requireLaptop().http.perform(.get("user/profile"))
        let counts = KillScenario.Phase.allCases.compactMap { phase in
            phases[phase].map { "\($0) \(phase.rawValue)" }
        }
        return .init(
            "\(stage.kills) × SIGKILL: " + counts.joined(separator: ", "),
            JSONObject(
                [("kills", .integer(Int64(stage.kills)))]
                    + KillScenario.Phase.allCases.map {
                        ($0.code, .integer(Int64(phases[$0] ?? 0)))
                    }))
    }

    /// Returns the median duration of five refreshes, the first of which includes the connection.
    private static func usualRenewal(
        on stage: DemoStage, by client: LatchAccounts.AuthClient
    ) async throws -> Duration {
        var times: [Duration] = []
        for _ in 0..<5 {
            _ = try await client.session.refreshed(replacing: try await client.session.credential())
            times.append(stage.transport.counts.lastRefresh)
        }
        return times.sorted()[2]
    }
}
