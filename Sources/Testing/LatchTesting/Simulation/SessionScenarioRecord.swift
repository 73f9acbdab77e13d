// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchHTTP

/// What the actors of a scenario saw, to be judged at once or at the end.
struct SessionScenarioRecord: Sendable {
    /// What the person did last.
    enum Expectation: Sendable {
        /// Nothing may bring the session back.
        case signedOut
        /// The session of this family must be alive, unless the issuer has ended it.
        case signedIn(family: Int)
    }

    /// A process, its session, and what its observers saw.
    struct Life: Sendable {
        let process: SimulatedProcess
        /// Nil once the process is over; the client goes with it.
        var session: Session<Tokens>?
        var client: (any Handler)?
        /// Each observer's states in order; all of them must be equal in the end.
        var observed: [[Session<Tokens>.State]] = [[], []]
        /// The states that somebody saw who came late, or left early.
        var glimpsed: [Session<Tokens>.State] = []
        /// Tasks, and streams of observers, that have not ended.
        var open = 0
        var watching = 0
        /// The request that each worker waits for, and those of them that are on their way.
        var requests: [Int: String] = [:]
        var onTheWay: Set<String> = []
        /// How many sign-ins and sign-outs of its person are under way.
        var leaving = 0
        /// What it knows of `left`.
        var knowledge = Knowledge()
    }

    /// How many of the sign-ins that were left a process has read or written to be over.
    ///
    /// It cannot act on that before it has heard it, so what it learns in a moment counts from the next one on.
    struct Knowledge: Sendable {
        private var moment: Int64 = -1
        private var count = 0
        private var earlier = 0

        /// The process learns of the first `count` at this moment.
        mutating func learn(_ count: Int, at moment: Int64) {
            if moment > self.moment { (earlier, self.moment) = (self.count, moment) }
            self.count = max(self.count, count)
        }

        /// How many it has had the time to hear of.
        func count(at moment: Int64) -> Int { moment > self.moment ? count : earlier }
    }

    /// What the person last brought about, as the disk saw it.
    var expectation = Expectation.signedOut
    /// Sentences for people; empty is what every seed must give.
    var violations: [String] = []
    /// All processes so far, by their numbers.
    var lives: [Life] = []
    /// Tasks of the world that have not ended.
    var open = 0
    /// Counts the changes of the disk.
    var changes = 0
    /// The last change up to which the disk held nobody, because of the person or because of the issuer.
    var wasSignedOut = 0
    var wasEnded = 0
    /// The families whose sign-in was left, in that order; nothing may bring them back.
    var left: [Int] = []
    /// The access tokens that were stored; no other may be used.
    var stored: Set<String> = []

    /// A life that begins with somebody signed in.
    mutating func begin(with access: String) {
        expectation = .signedIn(family: 0)
        stored.insert(access)
    }

    /// A sign-in or sign-out has ended.
    ///
    /// - Parameter isAlone: Whether nobody but the process itself looks into the store, so that a sign-in becomes true
    ///   when it has heard of it, and not before.
    mutating func hasLeft(_ process: Int, isAlone: Bool) {
        lives[process].leaving -= 1
        guard isAlone else { return }
        changes += 1
        (wasSignedOut, wasEnded) = (changes, changes)
    }

    /// Whether no task is under way in the world and in the living processes.
    var isAtRest: Bool {
        guard open == 0 else { return false }
        for life in lives where life.open > 0 && !life.process.isKilled { return false }
        return true
    }
}
