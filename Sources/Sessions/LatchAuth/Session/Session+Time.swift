// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import Synchronization

extension Session {
    /// Follows the credential through time, so that its expiry is seen without a request.
    func watchTime(of value: Value) {
        timer?.cancel()
        timer = nil
        guard value.expiry != nil else { return }
        watchDate()
        // Detached: it outlives its maker, whose task-local values may hold this very session.
        timer = Task.detached(executorPreference: executor) { [weak self, clock] in
            while let wait = await self?.passTime(of: value) {
                do { try await clock.sleep(for: wait) } catch { return }
            }
        }
    }

    /// Does what is due at this moment.
    ///
    /// - Returns: How long until something else is due; nil when `value` is no longer current or nothing will be.
    private func passTime(of value: Value) async -> Duration? {
        guard state.credential == value, let expiry = value.expiry else { return nil }
        showAge(of: value)
        guard policy.renewsInBackground else {
            return isExpired(value) ? nil : wait(until: expiry)
        }
        let due = view.withLock { $0.due }
        if issuerNow >= due, clock.now >= pausedUntil {
            do { _ = try await shareRenewal(of: value, isNeeded: isExpired(value)) } catch {
                pauseRenewal(after: error)
            }
            guard state.credential == value else { return nil }
        }
        let pause = pausedUntil.timeIntervalSince(clock.now)
        let next = issuerNow >= due ? Duration.seconds(min(max(pause, 1), 86_400)) : wait(until: due)
        return isExpired(value) ? next : min(next, wait(until: expiry))
    }

    /// Makes it visible whether the current credential is accepted by its age, in either direction: a clock that is
    /// corrected may make an expired one fresh again.
    func showAge(of value: Value) { publish(isExpired(value) ? .expired(value) : .signedIn(value)) }

    /// Looks at the time again: it is another one than was thought, since the issuer's clock is known better now.
    func timeHasMoved() {
        guard let value = state.credential else { return }
        showAge(of: value)
        watchTime(of: value)
    }

    /// Listens for jumps of this device's date, once: who sleeps does not notice them.
    private func watchDate() {
        guard dateWatch == nil else { return }
        let changes = clock.dateChanges()
        dateWatch = Task.detached(executorPreference: executor) { [weak self] in
            for await _ in changes { await self?.dateHasJumped() }
        }
    }

    private func dateHasJumped() {
        // A pause until a date of the old time could last for days of the new one.
        pausedUntil = .distantPast
        timeHasMoved()
    }

    /// How long until a date by the issuer's clock, at most a day.
    ///
    /// Who waits looks at the clock again afterwards, so a day is no limit. Without it the expiry that an issuer made up,
    /// such as the year 10^20, would become a duration that does not exist, and end the program.
    private func wait(until date: Date) -> Duration {
        // A little late rather than a little early: waking early would only mean to wait again.
        .seconds(min(max(date.timeIntervalSince(issuerNow), 0) + 0.001, 86_400))
    }
}
