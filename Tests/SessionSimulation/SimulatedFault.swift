// SPDX-License-Identifier: Apache-2.0

package import LatchAuth

/// A fault of a simulated run; each is counted where it happens, so that a test can check that each one occurs.
package enum SimulatedFault: Hashable, Sendable {
    // On the way to the issuer and back.
    /// The token endpoint is not reached.
    case issuerOffline
    /// The token endpoint says 503, and has done nothing.
    case issuerUnavailable
    /// The token endpoint says 429, without and with a `Retry-After`.
    case issuerBusy, issuerBusyUntil
    /// The issuer has acted, and nobody hears of it: a timeout, a gateway's 502, a broken connection, a cut-off answer.
    case answerLost, answerReplaced, answerCancelled, answerUnreadable
    /// The answer comes long after it was given, perhaps after the time limit of its callers.
    case answerLate
    /// The request arrives twice, as by a proxy that repeats it.
    case requestDoubled
    /// The answer that was lost comes twice: to the repeat as well.
    case answerDoubled
    /// No answer ever comes, before or after the issuer has acted.
    case requestSwallowed, answerSwallowed
    /// The token endpoint fails inside, having done nothing.
    case issuerFailed
    /// An answer lacks the expiry, or the refresh token, which stays the same.
    case expiryOmitted, refreshTokenOmitted

    // On the way to the resource and back.
    /// A refusal of a credential arrives when it has a successor already.
    case lateRefusal
    /// All access tokens so far are refused, whatever their expiry.
    case keysChanged
    /// The resource is not reached, is broken, or wants fewer requests.
    case resourceOffline, resourceBroken, resourceBusy
    /// Every credential is refused for a while, however new.
    case resourceRefuses

    // The store.
    /// Each error that a store may give before it does anything.
    case storeLocked, storeDenied, storeUnavailable, storeFull
    /// A store whose content cannot be decoded, that says there is none, or that has no room, for a while.
    case storeCorrupt, storeForgetful, diskFull
    /// A store as slow as a keychain that asks its person.
    case storeSlow
    /// A store that says it failed, and has stored: the disk's last word was an error.
    case storedThoughFailed
    /// A turn that is not to be had.
    case turnUnavailable
    /// A waiter for a lock whose patience has run out.
    case patienceOver
    /// A change that the other processes are not told of.
    case newsLost

    // The clock of the device.
    /// The date jumps by a whole day, or by a part of one.
    case dayForward, dayBack, clockMoved
    /// The date runs faster or slower than time.
    case clockDrifts

    // The person, and who decides over the account.
    /// Signs out, or in as somebody else.
    case signOut, accountSwitch
    /// A session is revoked because its store has said that there is none.
    case revokedByMistake
    /// The record still holds the key of a request at the end of the faults.
    case intentStands
    /// A successor is dropped because its user has signed out meanwhile.
    case successorDropped
    /// The issuer ends the session.
    case revocation
    /// A caller leaves while it waits for the session, or for the resource.
    case waiterCancelled, requestCancelled

    // Processes.
    /// Killed wherever it was, or at a step of its storage.
    case killed, killedAt(StorageStep)
    /// Suspended, and told so before.
    case suspended
    /// Stopped without notice, anywhere and in the middle of a refresh or of a change of the store.
    case stopped, stoppedWithLock

    // The kind of life.
    /// Other processes beside the first.
    case secondProcess, thirdProcess
    /// An issuer that takes each repeat for a theft.
    case issuerWithoutWindow
    /// An issuer that repeats its answer for a few seconds only.
    case issuerWithShortWindow
    /// An issuer whose refresh tokens stay the same.
    case issuerWithoutRotation
    /// An issuer at which a new sign-in ends the earlier one of the same user.
    case issuerWithOneGrant
    /// An issuer whose answers have no date, or an old one.
    case issuerDateMissing, issuerDateCached
    /// A resource whose answers have a wrong date, or that judges expiry by a wrong clock.
    case resourceDateWrong, resourceClockWrong
    /// A store that keeps records without turns, or credentials only.
    case loneStore, plainStore
    /// Waiters for the refresh lock that give up early.
    case impatience
    /// Production code below the session: its store, its locks, its token endpoint.
    case secretStore, fileLocks, tokenEndpoint

    /// All of them, of `killedAt` one for each step.
    package static let all: [SimulatedFault] =
        [
            .issuerOffline, .issuerUnavailable, .issuerBusy, .issuerBusyUntil, .answerLost, .answerReplaced,
            .answerCancelled, .answerUnreadable, .answerLate, .requestDoubled, .answerDoubled,
            .lateRefusal, .keysChanged, .resourceOffline, .resourceBroken, .resourceBusy, .storeLocked, .storeDenied,
            .storeUnavailable, .storeFull, .storeSlow, .storedThoughFailed, .turnUnavailable, .newsLost, .dayForward,
            .dayBack, .clockMoved, .signOut, .accountSwitch, .revocation, .waiterCancelled, .requestCancelled, .killed,
            .secondProcess, .thirdProcess, .issuerWithoutWindow, .issuerWithoutRotation, .loneStore, .plainStore,
            .requestSwallowed, .answerSwallowed, .issuerFailed, .expiryOmitted, .refreshTokenOmitted, .resourceRefuses,
            .storeCorrupt, .storeForgetful, .diskFull, .patienceOver, .clockDrifts, .successorDropped, .suspended,
            .stopped, .stoppedWithLock, .issuerWithShortWindow, .issuerWithOneGrant, .issuerDateMissing,
            .issuerDateCached, .resourceDateWrong, .resourceClockWrong, .impatience, .secretStore, .fileLocks,
            .tokenEndpoint,
        ] + StorageStep.all.map(SimulatedFault.killedAt)
}

/// A moment in what a process does with its store, at which it may be killed.
package enum StorageStep: Hashable, Sendable {
    /// The process has just entered the section.
    case turn(SessionSection)
    /// The process has begun to read.
    case reading
    /// The process is about to write, is writing, or has written and not yet continued.
    case writing(Writing, Moment)

    /// The kind of record that a session writes.
    package enum Writing: Hashable, Sendable, CaseIterable { case intent, successor, signIn, end, nothing }

    /// The moment of the write.
    package enum Moment: Hashable, Sendable, CaseIterable { case before, amid, after }

    /// All of them.
    package static let all: [StorageStep] =
        SessionSection.allCases.map(StorageStep.turn) + [.reading]
        + Writing.allCases.flatMap { writing in Moment.allCases.map { .writing(writing, $0) } }
}
