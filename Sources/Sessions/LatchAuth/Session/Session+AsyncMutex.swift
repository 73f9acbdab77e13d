// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension Session {
    /// The turn to ask the issuer; nil where there is only one session.
    ///
    /// - Throws: `renewalElsewhere` where another session has it and nobody needs a successor of `value` at once.
    func turnToRenew(_ value: Value) async throws -> SessionTurn? {
        guard keeps(.turns), let coordination = records.coordination else { return nil }
        do {
            if let turn = try await coordination.enterIfFree(.renewal) { return turn }
            // The other one may be out of order for long. Whoever joins before this line is waited for.
            guard renewalIsNeeded || isExpired(value) || !keeps(.waitsInNeed) else { throw AuthError.renewalElsewhere }
            return try await coordination.enter(.renewal)
        } catch {
            throw AuthError.fromStore(error)
        }
    }

    /// Ends a turn, or keeps it as long as what it has brought is not stored.
    ///
    /// Another session would ask with what is used up, and some issuers take that for theft (RFC 9700 §4.14.2). The kernel
    /// ends the turn with this process.
    func leave(_ turn: SessionTurn?) {
        guard let turn else { return }
        guard uncommitted != nil, keeps(.turnKept) else { return turn.end() }
        keptTurn?.end()
        keptTurn = turn
        storing?.cancel()
        storing = Task.detached(executorPreference: executor) { [weak self, clock] in
            var pause = 1
            while await self?.storeAgain() ?? false {
                do { try await clock.sleep(for: .seconds(pause)) } catch { return }
                pause = min(pause * 2, 15)
            }
        }
    }

    /// Lets the next one ask: there is nothing left to store.
    func endKeptTurn() {
        keptTurn?.end()
        keptTurn = nil
    }

    /// Stores what the issuer has handed out, though nobody asks for it now: others may wait.
    ///
    /// - Returns: Whether it could not be stored again.
    private func storeAgain() async -> Bool {
        guard let (value, predecessor) = uncommitted else { return false }
        do {
            _ = try await commit(value, after: predecessor, in: generation)
        } catch {
            // Whoever uses the session is told.
        }
        return uncommitted != nil
    }
}

extension AuthError {
    /// Another session asks the issuer at this moment; told to nobody whose credential is still accepted.
    static let renewalElsewhere = AuthError(
        code: "renewalElsewhere", message: "Another process renews the session.", hint: "Try again.")
}
