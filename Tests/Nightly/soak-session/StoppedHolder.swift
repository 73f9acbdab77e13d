// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// The process that holds the lock is stopped in the middle of its refresh: the others use a token that is still valid,
/// or learn in time whom they wait for.
enum StoppedHolder {
    /// The time limit of a refresh.
    private static let limit = Duration.seconds(5)

    /// A stop of the holder.
    private struct Stop {
        /// Where its request is when it stops.
        let place: RefreshCount.Place
        /// The age of the token in seconds; due from 750 on.
        let age: Int
    }

    /// What the requests came to.
    private struct Outcome {
        var during = RoundReport()
        var after = RoundReport()
        /// The longest wait of a request with a valid token, in milliseconds.
        var longestServed = 0
    }

    static func play(_ crew: Crew, processes: Int, tasks: Int, seconds count: Int) async throws -> Verdict {
        var verdict = Verdict()
        var outcome = Outcome()
        let workers = try crew.start(processes, tasks: tasks, limit: limit)
        verdict.expectServed(try await crew.round(of: workers), "at first")
        let stops = [
            Stop(place: .beforeCommit, age: SoakServer.expiry), Stop(place: .beforeAnswer, age: SoakServer.expiry),
            Stop(place: .beforeAnswer, age: 800),
        ]
        for stop in stops { try await play(stop, crew, workers, .seconds(count), &outcome, &verdict) }
        let requests = crew.server.refreshes.requests
        try await verdict.expectKept(crew.server)
        verdict.text =
            "\(stops.count) × SIGSTOP of the lock's holder for \(count) s, \(processes) processes × \(tasks) tasks: "
            + "meanwhile \(outcome.during.served) requests of the others served (longest \(seconds(outcome.longestServed))), "
            + "failed: \(outcome.during.summary) (longest wait \(seconds(outcome.during.longest)) of \(limit)); "
            + "afterwards \(outcome.after.served) served, failed: \(outcome.after.summary); "
            + "\(requests) refreshes, \(crew.server.refreshes.refusals) refused"
        return verdict
    }

    private static func play(
        _ stop: Stop, _ crew: Crew, _ workers: [ChildProcess], _ time: Duration, _ outcome: inout Outcome,
        _ verdict: inout Verdict
    ) async throws {
        var (holder, round) = try await crew.stopRefresh(at: stop.place, after: stop.age, of: workers)
        holder.stop()
        crew.server.refreshes.release()
        let others = workers.filter { $0.id != holder.id }
        let end = ContinuousClock.now + time
        var during = RoundReport()
        repeat {
            during.add(try await crew.reports(of: others, in: round))
            // The server limits the requests of an account, too.
            try await Task.sleep(for: .milliseconds(500))
            round = crew.server.open()
        } while ContinuousClock.now < end
        let moment = "while \(holder.id) was stopped \(stop.place) at \(stop.age) s"
        if stop.age < SoakServer.expiry {
            verdict.expectServed(during, moment)
            outcome.longestServed = max(outcome.longestServed, during.longest)
        } else {
            verdict.expectFailures(during, ["lockHeld"], within: limit, moment)
            let text = during.messages["lockHeld"] ?? "nothing"
            verdict.expect(text.contains("(\(holder.id))"), "\(moment) the error says: \(text)")
        }
        outcome.during.add(during)

        holder.send(SIGCONT)
        // Its own requests are as old as the stop: those that the refresh served, and those whose time was over.
        var after = try await crew.reports(of: [holder], in: round)
        verdict.expectFailures(after, ["refreshTimedOut"], within: limit + time, "after its stop \(stop.place)")
        // This round has begun while the holder was stopped.
        let last = try await crew.reports(of: others, in: round)
        verdict.expectFailures(last, ["lockHeld"], within: limit, "at the end of the stop \(stop.place)")
        after.add(last)
        let (served, _) = try await crew.roundsUntilServed(of: workers, within: .zero)
        verdict.expectServed(served, "after the stop \(stop.place)")
        after.add(served)
        outcome.after.add(after)
    }
}
