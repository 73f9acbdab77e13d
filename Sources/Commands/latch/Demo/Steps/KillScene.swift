// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
import LatchAuth
import LatchCore
import LatchHTTP

/// One death of the server while a device renews, and what comes after it.
struct KillScene: Sendable {
    /// How far the renewal had come.
    enum Moment: String, CaseIterable {
        case beforeCommit = "before the commit"
        case answerLost = "between commit and answer"
        case answered = "after the answer"

        var code: String { "\(self)" }
    }

    /// How many authenticated calls a scene makes once the server is back.
    static let callsAfterwards = 4
    /// So many that some have joined the renewal and some have not asked yet when the server dies.
    private static let callers = 24

    let stage: DemoStage
    /// The program that sees the server die; it goes on living.
    let phone: LatchAccounts.AuthClient
    /// Whether a program that was started anew renews first, or the one that saw the server die.
    let isNewProgramFirst: Bool

    /// Kills the server that long after many callers begin to renew, starts it again, and sees who is still signed in.
    ///
    /// - Returns: What the renewal had come to, and the client that was started anew.
    ///
    /// - Parameter delay: From the moment in which the renewal's request leaves.
    func play(killingAfter delay: Duration) async throws -> (Moment, LatchAccounts.AuthClient) {
        let refused = try await phone.session.credential()
        let isAnswered = try await killWhileRenewing(refused, after: delay)
        try expect(phone.session.currentState.isSignedIn, "the death of the server signed the person out")
        try await callWithoutServer()
        try expect(phone.session.currentState.isSignedIn, "a call without a server signed the person out")
        try await stage.server.start()

        let newProgram = stage.client(stage.tokenFile)
        let order = isNewProgramFirst ? [newProgram, phone] : [phone, newProgram]
        for client in order {
            let tokens = try await client.session.renewed(replacing: refused)
            try expect(tokens.access != refused.access, "a renewal gave the same token")
            try await useTwice(client)
        }
        let metrics = try await stage.metrics()
        try expect(metrics.revoked == 0, "the server took the renewal after its death for a theft")
        try expect(
            metrics.renewals == (isAnswered ? 0 : 1),
            "the devices renewed \(DemoReport.counted(metrics.renewals, "time"))")
        return (isAnswered ? .answered : metrics.repeats > 0 ? .answerLost : .beforeCommit, newProgram)
    }

    /// - Returns: Whether the answer came before the end.
    private func killWhileRenewing(_ refused: Tokens, after delay: Duration) async throws -> Bool {
        let session = phone.session
        let renewals = stage.transport.counts.renewals
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<Self.callers {
                group.addTask {
                    do {
                        _ = try await session.renewed(replacing: refused)
                        return true
                    } catch let error where Self.isNetwork(error) {
                        return false
                    }
                }
            }
            // The delay counts from when the request leaves.
            let patience = ContinuousClock.now + .seconds(30)
            while stage.transport.counts.renewals == renewals, ContinuousClock.now < patience { await Task.yield() }
            try await Task.sleep(for: delay, tolerance: .zero)
            try await stage.server.kill()
            let answered = try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            try expect(
                answered == 0 || answered == Self.callers, "\(answered) of \(Self.callers) callers were answered")
            return answered > 0
        }
    }

    /// A call between two lives of the server fails as "offline", without costing the person their session.
    private func callWithoutServer() async throws {
        let phone = phone
        let error = try await refusal("a call without a server") { _ = try await phone.profile() }
        guard Self.isNetwork(error) else { throw error }
    }

    /// Two calls with what the renewal gave: the second one shows that nothing was used up.
    ///
    /// - Throws: Whatever a call throws, 401 included: a token that the renewal gave must work.
    private func useTwice(_ client: LatchAccounts.AuthClient) async throws {
        for _ in 0..<2 {
            let account = try await client.profile()
            try expect(account.email == stage.email, "the profile is somebody else's")
        }
    }

    /// Whether an error says that nobody answered, which must never end a session, unlike a refusal.
    ///
    /// Also where the session put its own error around the transport's.
    private static func isNetwork(_ error: any Error) -> Bool {
        (error as? HTTPError ?? (error as? AuthError)?.cause as? HTTPError)?.isConnectivity ?? false
    }
}
