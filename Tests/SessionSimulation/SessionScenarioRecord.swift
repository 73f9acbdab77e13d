// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP

/// The observations of a scenario's actors, for the checks.
struct SessionScenarioRecord: Sendable {
    /// The expected result of the user's last action.
    enum Expectation: Sendable {
        /// The session must stay signed out.
        case signedOut
        /// The session of this family must be alive, unless the issuer has ended it.
        case signedIn(family: Int)
    }

    /// A process, its session, and what its observers saw.
    struct Life: Sendable {
        let process: SimulatedProcess
        /// The locks of a coordination by files.
        let files: SimulatedFileLocks?
        /// Nil once the process is over; the client goes with it.
        var session: Session<Tokens>?
        var client: (any Handler)?
        /// Each observer's states in order; all of them must be equal in the end.
        var observed: [[Session<Tokens>.State]] = [[], []]
        /// The states that an observer saw that came late, or left early.
        var glimpsed: [Session<Tokens>.State] = []
        /// Tasks, and streams of observers, that have not ended.
        var open = 0
        var watching = 0
        /// The request that each worker waits for, and those of them that are on their way.
        var requests: [Int: String] = [:]
        var onTheWay: Set<String> = []
        /// The number of running sign-ins and sign-outs.
        var leaving = 0
        /// The part of `left` that it knows.
        var knowledge = Knowledge()
        /// The moment since which it is stopped or suspended, and the time for which it was so before.
        var awaySince: Int64?
        var away: Int64 = 0
        /// Whether it was ever stopped or suspended.
        var wasStopped: Bool { away > 0 || awaySince != nil }
        /// The requests that wait for the session, and the cancelled workers, since so much of its own time.
        var waits: [String: Int64] = [:]
        var cancelled: [Int: Int64] = [:]
        /// The locks that it holds, since so much of its own time.
        var holds: [SessionSection: Int64] = [:]
        /// The moments of its last requests to the issuer.
        var requestTimes: [Int64] = []

        /// Returns the time that it has not been stopped.
        func awake(at moment: Int64) -> Int64 { (awaySince ?? moment) - away }
    }

    /// An answer of the issuer that a session has heard.
    struct Heard: Sendable {
        let process: Int
        let version: TokenVersion
    }

    /// The number of left sign-ins that a process has read or written to be over.
    ///
    /// It cannot act on that immediately, so an observation counts from the next moment on.
    struct Knowledge: Sendable {
        private var moment: Int64 = -1
        private var count = 0
        private var earlier = 0

        /// Records that the process learns of the first `count` at this moment.
        mutating func learn(_ count: Int, at moment: Int64) {
            if moment > self.moment { (earlier, self.moment) = (self.count, moment) }
            self.count = max(self.count, count)
        }

        /// Gives a process that was stopped the time to act on what it has learned.
        mutating func postpone(to moment: Int64) { self.moment = moment }

        /// Returns the number that it has had the time to learn of.
        func count(at moment: Int64) -> Int { moment > self.moment ? count : earlier }
    }

    /// The expected result of the user's last action, according to the disk.
    var expectation = Expectation.signedOut
    /// Descriptions of the violated rules.
    var violations: [String] = []
    /// All processes so far, by their numbers.
    var lives: [Life] = []
    /// The number of environment tasks that have not ended.
    var open = 0
    /// The number of changes of the disk.
    var changes = 0
    /// The last change up to which the disk held no credential, because of the user or because of the issuer.
    var wasSignedOut = 0
    var wasEnded = 0
    /// Whether a session has read that there is no record, though there was one.
    var wasForgotten = false
    /// The families whose sign-in was left, in that order; nothing may bring them back.
    var left: [Int] = []
    /// The access tokens that were stored; no other may be used.
    var stored: Set<String> = []

    /// The versions that were stored.
    var storedVersions: Set<TokenVersion> = []
    /// The answers that sessions have heard, and the credentials that sign-outs gave to the app.
    var heard: [Heard] = []
    /// The process in which the last sign-in or sign-out began.
    var lastLeaver: Int?
    var handedBack: Set<TokenVersion> = []
    /// The longest times so far.
    var longest = SessionScenario.Longest()

    /// Begins with a restored session.
    mutating func begin(with access: String) {
        expectation = .signedIn(family: 0)
        stored.insert(access)
    }

    /// Records the end of a sign-in or sign-out.
    ///
    /// - Parameter isAlone: Whether only the process itself reads the store, so that a sign-in counts from its end.
    mutating func hasLeft(_ process: Int, isAlone: Bool) {
        lives[process].leaving -= 1
        guard isAlone else { return }
        changes += 1
        (wasSignedOut, wasEnded) = (changes, changes)
    }

    /// Whether no task runs in the environment and in the living processes.
    var isAtRest: Bool {
        guard open == 0 else { return false }
        for life in lives where life.open > 0 && !life.process.isKilled { return false }
        return true
    }
}
