// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP

extension SessionScenario {
    /// Watches the states; the stream must end with the session.
    func observe(_ session: Session<Tokens>, as observer: Int) {
        let states = session.states
        _ = spawn {
            for await state in states {
                self.simulation.note("observer \(observer): \(state)")
                self.record.withLock { $0.observed[observer, default: []].append(state) }
            }
        }
    }

    /// Sends some requests, and may be cancelled at any moment.
    func work(with session: Session<Tokens>, as worker: Int) {
        let count = 1 + simulation.below(5)
        let isCancelled = simulation.chance(25)
        let task = spawn {
            for number in 0..<count {
                try await self.simulation.pause(upToMilliseconds: 45_000)
                let result = await self.request("\(worker).\(number)", with: session)
                self.simulation.note("request \(worker).\(number): \(result)")
                self.judge(result, isCancelled: isCancelled)
            }
        }
        guard isCancelled else { return }
        _ = spawn {
            try await self.simulation.pause(upToMilliseconds: 60_000)
            task.cancel()
        }
    }

    /// The person and the world: sign-outs, sign-ins, clocks, keys.
    func disturb(_ session: Session<Tokens>) {
        let count = simulation.below(5)
        _ = spawn {
            for _ in 0..<count {
                try await self.simulation.pause(upToMilliseconds: 60_000)
                let choice = self.simulation.below(10)
                self.simulation.note("disturbance \(choice)")
                switch choice {
                case 0, 1: await self.signOut(session)
                case 2, 3, 4: await self.signIn(session)
                case 5: self.simulation.jumpDate(bySeconds: Double(self.simulation.below(172_800) - 86_400))
                case 6, 7: self.eachFamily { self.issuer.refuseAccessTokens(of: $0) }
                case 8: self.revokeCurrent()
                default: try await self.simulation.sleep(for: .seconds(120))
                }
            }
        }
    }

    /// Being signed out is allowed from the attempt on, and expected from its success on.
    private func signOut(_ session: Session<Tokens>) async {
        allowSignedOut()
        do {
            try await session.signOut()
            record.withLock { $0.expectation = .signedOut }
        } catch {
            simulation.note("sign-out failed: \(error)")
        }
    }

    /// Another account each time, so that a credential that survives its session is seen.
    private func signIn(_ session: Session<Tokens>) async {
        let tokens = issuer.signIn()
        guard let family = SimulatedIssuer.parse(tokens.access, "a")?.family else { return }
        do {
            try await session.signIn(tokens)
            record.withLock { $0.expectation = .signedIn(family: family) }
        } catch {
            simulation.note("sign-in failed: \(error)")
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
