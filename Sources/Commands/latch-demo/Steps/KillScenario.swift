// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP

/// A kill of the server during a refresh, and the recovery.
struct KillScenario: Sendable {
    /// The progress of the refresh when the server was killed.
    enum Phase: String, CaseIterable {
        case beforeCommit = "before the commit"
        case answerLost = "between commit and response"
        case answered = "after the response"
    }

    /// The number of authenticated calls after the restart.
    static let callsAfterwards = 4
    /// The number of callers: when the server is killed, some have joined the refresh, and some have not called yet.
    private static let callers = 24

    let stage: DemoStage
    /// The client that is running during the kill.
    let phone: LatchAccounts.AuthClient
    /// Whether a newly started client refreshes first.
    let isNewProgramFirst: Bool

    /// Kills the server while many callers refresh, restarts it, and checks the sessions.
    ///
    /// - Parameter delay: The time from the refresh request to the kill.
    /// - Returns: The progress of the refresh, and the newly started client.
    func play(killingAfter delay: Duration) async throws -> (Phase, LatchAccounts.AuthClient) {
        let refused = try await phone.session.credential()
        let isAnswered = try await killDuringRefresh(refused, after: delay)
        try expect(phone.session.currentState.isSignedIn, "the kill of the server signed the user out")
        try await callWithoutServer()
        try expect(phone.session.currentState.isSignedIn, "a call without a server signed the user out")
        try await stage.server.start()

        let newProgram = stage.client(stage.tokenFile)
        let order = isNewProgramFirst ? [newProgram, phone] : [phone, newProgram]
        for client in order {
            let tokens = try await client.session.refreshed(replacing: refused)
            try expect(tokens.access != refused.access, "a refresh returned the same token")
            try await useTwice(client)
        }
        let metrics = try await stage.metrics()
        try expect(metrics.revoked == 0, "the server took the refresh after its restart for a theft")
        try expect(
            metrics.refreshes == (isAnswered ? 0 : 1),
            "the devices refreshed \(DemoReport.counted(metrics.refreshes, "time"))")
        return (isAnswered ? .answered : metrics.repeats > 0 ? .answerLost : .beforeCommit, newProgram)
    }

    /// Kills the server during a refresh and returns whether the response came first.
    private func killDuringRefresh(_ refused: Tokens, after delay: Duration) async throws -> Bool {
        let session = phone.session
        let before = stage.transport.counts.refreshes
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<Self.callers {
                group.addTask {
                    do {
                        _ = try await session.refreshed(replacing: refused)
                        return true
                    } catch let error where Self.isNetwork(error) {
                        return false
                    }
                }
            }
            // The delay begins when the request is sent.
            let deadline = ContinuousClock.now + .seconds(30)
            while stage.transport.counts.refreshes == before, ContinuousClock.now < deadline { await Task.yield() }
            try await Task.sleep(for: delay, tolerance: .zero)
            try await stage.server.kill()
            let answered = try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            try expect(
                answered == 0 || answered == Self.callers, "\(answered) of \(Self.callers) callers got a response")
            return answered > 0
        }
    }

    /// Checks that a call without a server fails as offline and keeps the session.
    private func callWithoutServer() async throws {
        let phone = phone
        let error = try await refusal("a call without a server") { _ = try await phone.profile() }
        guard Self.isNetwork(error) else { throw error }
    }

    /// Makes two calls with the refreshed tokens.
    private func useTwice(_ client: LatchAccounts.AuthClient) async throws {
        for _ in 0..<2 {
            let account = try await client.profile()
            try expect(account.email == stage.email, "the profile belongs to another account")
        }
    }

    /// Whether the transport failed, directly or as the cause of a session's error.
    private static func isNetwork(_ error: any Error) -> Bool {
        (error as? HTTPError ?? (error as? AuthError)?.cause as? HTTPError)?.isConnectivity ?? false
    }
}
