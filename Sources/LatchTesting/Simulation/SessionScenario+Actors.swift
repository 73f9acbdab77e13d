// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

extension SessionScenario {
    /// Sends some requests, and may be cancelled at any moment.
    func work(as worker: Int, in process: SimulatedProcess) {
        let count = 1 + simulation.below(5)
        let isCancelled = simulation.chance(25)
        let task = spawn(in: process) {
            for number in 0..<count {
                try await self.simulation.pause(upToMilliseconds: 45_000)
                let id = "\(process.id).\(worker).\(number)"
                let result = await self.request(id, in: process)
                self.simulation.note("request \(id): \(result)")
                self.judge(result, isCancelled: isCancelled)
            }
        }
        guard isCancelled else { return }
        spawn(in: process) {
            try await self.simulation.pause(upToMilliseconds: 60_000)
            task.cancel()
        }
    }

    /// The person and the world: sign-outs, sign-ins, kills, clocks, keys.
    func disturb() {
        let count = simulation.below(6)
        record.withLock { $0.open += 1 }
        simulation.spawn {
            defer { self.record.withLock { $0.open -= 1 } }
            for _ in 0..<count {
                try await self.simulation.pause(upToMilliseconds: 60_000)
                try await self.disturb(by: self.simulation.below(14))
            }
        }
    }

    private func disturb(by choice: Int) async throws {
        let living = living
        let process = living[simulation.below(living.count)]
        simulation.note("disturbance \(choice)")
        switch choice {
        case 0, 1: signOut(in: process)
        case 2, 3, 4: signIn(in: process)
        case 5: simulation.jumpDate(bySeconds: Double(simulation.below(172_800) - 86_400))
        case 6, 7: eachFamily { issuer.refuseAccessTokens(of: $0) }
        case 8: revokeCurrent()
        case 9, 10, 11:
            // Most kills come while a renewal is on its way, which the tokens' age brings about.
            try await simulation.sleep(for: .milliseconds(simulation.below(3_000)))
            kill(process)
            startProcess()
        default: try await simulation.sleep(for: .seconds(120))
        }
    }

    /// Being signed out is allowed from the attempt on.
    private func signOut(in process: SimulatedProcess) {
        guard let session = session(of: process) else { return }
        allowSignedOut()
        spawn(in: process) {
            do { try await session.signOut() } catch { self.simulation.note("sign-out failed: \(error)") }
        }
    }

    /// Another account each time, so that a credential that survives its session is seen.
    private func signIn(in process: SimulatedProcess) {
        guard let session = session(of: process) else { return }
        let tokens = issuer.signIn()
        spawn(in: process) {
            do { try await session.signIn(tokens) } catch { self.simulation.note("sign-in failed: \(error)") }
        }
    }

    /// The issuer ends the session that the person is in.
    private func revokeCurrent() {
        guard simulation.chance(40), case .signedIn(let family) = record.withLock({ $0.expectation }) else { return }
        allowSignedOut()
        issuer.revoke(family)
    }

    /// All families so far, also those that have ended.
    private func eachFamily(_ body: (Int) -> Void) {
        for family in 0..<issuer.inspect({ $0.families.count }) { body(family) }
    }

    /// Whether a request may have ended this way.
    private func judge(_ result: Result<HTTPStatus, any Error>, isCancelled: Bool) {
        switch result {
        case .success: return
        case .failure(is CancellationError):
            if !isCancelled { violated("a caller that nobody cancelled was cancelled") }
        case .failure(let error as AuthError) where error == .missingToken || error == .reauthenticationRequired:
            if !record.withLock({ $0.mayBeSignedOut }) { violated("signed out for no reason: \(error.code)") }
        case .failure(let error):
            if !(error is HTTPError || error is AuthError) { violated("an error of another kind: \(error)") }
        }
    }
}
