// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProcess

/// The issuer accepts requests and does not answer, or never comes to the end of its answer: callers learn that in time,
/// and nothing is lost once it answers again.
enum HungIssuer {
    /// The time limit of a refresh.
    private static let limit = Duration.seconds(3)
    /// The errors that say what a caller waited for.
    private static let codes: Set = ["refreshTimedOut", "lockHeld", "tooManyRefreshes"]
    /// The window of `RefreshPolicy.requestLimit`: a process that has used it up waits for its end.
    private static let window = Duration.seconds(30)

    /// An issuer that hangs.
    private struct Hang {
        /// Where it stops the refreshes.
        let place: RefreshCount.Place
        /// The age of the token in seconds; due from 750 on.
        let age: Int

        var isExpired: Bool { age >= SoakServer.expiry }
    }

    /// What the requests came to.
    private struct Outcome {
        var expired = RoundReport()
        var due = RoundReport()
        var after = RoundReport()
        /// The longest time until all were served by an issuer that answers again, in seconds.
        var recovery = 0.0
    }

    static func play(_ crew: Crew, processes: Int, tasks: Int, seconds count: Int) async throws -> Verdict {
        var (verdict, outcome) = (Verdict(), Outcome())
        let server = crew.server
        let workers = try crew.start(processes, tasks: tasks, limit: limit)
        verdict.expectServed(try await crew.round(of: workers), "at first")
        let hangs = [
            Hang(place: .beforeCommit, age: SoakServer.expiry), Hang(place: .beforeAnswer, age: SoakServer.expiry),
            Hang(place: .inContent, age: SoakServer.expiry), Hang(place: .beforeCommit, age: 800),
        ]
        for hang in hangs { try await play(hang, crew, workers, .seconds(count), &outcome, &verdict) }
        verdict.expect(outcome.expired.failures["refreshTimedOut"] != nil, "no caller learned of the time limit")
        // The late answers may still come: the next expiry shows that none of them did harm.
        outcome.after.add(try await crew.round(after: SoakServer.expiry, of: workers))
        verdict.expectServed(outcome.after, "after the hung issuer")
        try await verdict.expectKept(server)
        verdict.text =
            "\(hangs.count) × an issuer that hangs for \(count) s, \(processes) processes × \(tasks) tasks: with an expired "
            + "token failed: \(outcome.expired.summary) (longest wait \(seconds(outcome.expired.longest)) of \(limit)); with "
            + "one that is due \(outcome.due.served) served, failed: \(outcome.due.summary) (longest wait "
            + "\(seconds(outcome.due.longest))); then \(outcome.after.served) served, failed: \(outcome.after.summary), the "
            + "last after \(seconds(outcome.recovery)); \(server.refreshes.requests) refreshes, "
            + "\(server.refreshes.refusals) refused"
        return verdict
    }

    private static func play(
        _ hang: Hang, _ crew: Crew, _ workers: [ChildProcess], _ time: Duration, _ outcome: inout Outcome,
        _ verdict: inout Verdict
    ) async throws {
        let moment = "while the issuer hung \(hang.place) at \(hang.age) s"
        crew.server.refreshes.hang(at: hang.place)
        let end = ContinuousClock.now + time
        var report = try await crew.round(after: hang.age, of: workers)
        while ContinuousClock.now < end {
            // Errors that come immediately are no reason to ask without a pause.
            try await Task.sleep(for: .milliseconds(500))
            report.add(try await crew.round(of: workers))
        }
        verdict.expectFailures(report, hang.isExpired ? codes : [], within: limit, moment)
        if hang.isExpired {
            verdict.expect(report.served == 0, "\(moment) \(report.served) requests were served")
            outcome.expired.add(report)
        } else {
            outcome.due.add(report)
        }
        crew.server.refreshes.release()
        let (after, wait) = try await crew.roundsUntilServed(of: workers, within: window)
        verdict.expectServed(after, "once the issuer answered again, after it hung \(hang.place)")
        outcome.recovery = max(outcome.recovery, wait)
        outcome.after.add(after)
    }
}
