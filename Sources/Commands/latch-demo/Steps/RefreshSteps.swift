// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP

/// The steps that must not lose a session: many concurrent callers at an expiry, and kills of the server.
enum RefreshSteps {
    /// The first step gives the second device long-lived tokens, so that later only the first device has to refresh.
    static let all: [DemoStep] = [
        DemoStep(code: "reload", name: "SIGHUP: longer tokens without a restart", play: reload),
        DemoStep(code: "expiry", name: "1,000 calls across an expiry, 1 refresh", play: expiry),
        DemoStep(code: "kills", name: "the server is killed during refreshes", play: kills),
    ]

    /// The number of calls; a client without a shared refresh would send hundreds of refreshes.
    private static let calls = 1000
    /// How long before the expiry the second group of calls begins, in seconds.
    private static let lead = 0.1

    /// Writes the configuration, sends SIGHUP, and checks with the next token that the server applied it.
    ///
    /// The process, its port and the sessions stay the same.
    private static func reload(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        try stage.folder.write("access_token_lifetime = 900\n", to: "latch.toml")
        try await stage.server.reload()
        let laptop = AuthPackage.AuthClient(config: AuthConfiguration(baseURL: stage.baseURL))
        let claims = try await laptop.login(email: stage.email, password: stage.password)
        stage.laptop = laptop
        guard let end = claims?.exp, let begin = claims?.iat else { throw DemoFailure("the token states no dates") }
        try expect(end - begin == 900, "the second device has a token of \(Int(end - begin)) s")
        try expect(claims?.email == stage.email, "the token belongs to another account")
        return .init("access tokens live 900 s now, not 8 s; the second device signs in", ["lifetimeSeconds": 900])
    }

    /// Sends a thousand calls around the expiry of the token.
    ///
    /// Both sides count: the server its refreshes, the transport its requests. Even a second request with the same
    /// response would be one too many.
    private static func expiry(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        let phone = try stage.requirePhone()
        let expiry = try require(phone.session.currentState.credential?.expiry, "the token states no expiry")
        let before = (server: try await stage.metrics(), client: stage.transport.counts)
        let clock = WallClock.system
        let life = expiry.timeIntervalSince(clock.now)
        try expect(life > lead, "the token had expired before the step began")
        let early = try await callTogether(phone, life: life, clock)
        try expect(early > 0 && early < calls, "\(early) of \(calls) calls began before the expiry")
        let after = (server: try await stage.metrics(), client: stage.transport.counts)
        stage.calls += calls
        for (side, refreshes) in [
            ("server", after.server.refreshes - before.server.refreshes),
            ("client", after.client.refreshes - before.client.refreshes),
        ] {
            try expect(
                refreshes == 1, "the \(side) counts \(DemoReport.counted(refreshes, "refresh", plural: "refreshes"))")
        }
        let refused = after.client.refusals - before.client.refusals
        return .init(
            "\(early) began before, \(after.client.peak) at the same time, \(refused) sent again after a 401",
            [
                "calls": .integer(Int64(calls)), "successes": .integer(Int64(calls)),
                "renewals": 1, "refusedAndRepeated": .integer(Int64(refused)),
                "atOnce": .integer(Int64(after.client.peak)),
            ])
    }

    /// Sends a few calls during the token's lifetime, many at the same time just before its expiry, and half of all
    /// calls at the expiry.
    ///
    /// All of them must succeed; one that throws ends the others and the step.
    ///
    /// - Returns: The number of calls that began before the token expired.
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

    /// Kills the server (SIGKILL) six times during a refresh, later each time, and lets the devices continue.
    ///
    /// A kill can come before the commit, after it, or after the response. That depends on the machine and is only
    /// reported. No session may be lost in any case.
    private static func kills(_ stage: inout DemoStage) async throws -> DemoStep.Finding {
        var phone = try stage.requirePhone()
        let usual = try await usualDuration(on: stage, by: phone)
        var phases: [KillScenario.Phase: Int] = [:]
        // The kills range from the sending of the request to about the arrival of the response.
        for (number, share) in [0, 0.2, 0.4, 0.6, 0.8, 1].enumerated() {
            let scenario = KillScenario(stage: stage, phone: phone, isNewProgramFirst: number.isMultiple(of: 2))
            let (phase, next) = try await scenario.play(killingAfter: usual * share)
            phases[phase, default: 0] += 1
            stage.kills += 1
            stage.calls += KillScenario.callsAfterwards
            // Every other time, a newly started program takes over.
            if number.isMultiple(of: 2) { phone = next }
        }
        stage.phone = phone
        _ = try await stage.requireLaptop().http.perform(.get("user/profile"))
        let counts = KillScenario.Phase.allCases.compactMap { phase in
            phases[phase].map { "\($0) \(phase.rawValue)" }
        }
        var facts: JSONObject = ["kills": .integer(Int64(stage.kills))]
        for phase in KillScenario.Phase.allCases { facts["\(phase)"] = .integer(Int64(phases[phase] ?? 0)) }
        return .init("\(stage.kills) × SIGKILL: " + counts.joined(separator: ", "), facts)
    }

    /// Returns the median duration of five refreshes; the first one includes the connection setup.
    private static func usualDuration(
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
