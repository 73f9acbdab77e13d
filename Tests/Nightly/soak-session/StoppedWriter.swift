// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// A process is stopped while it is inside of the store: the others read and use a valid token, and whatever has to
/// change the record ends in time.
enum StoppedWriter {
    /// The time limit of a refresh.
    private static let limit = Duration.seconds(5)
    /// The time limit of the store's lock, which a sign-out waits for.
    private static let lockLimit = Duration.seconds(15)

    static func play(_ crew: Crew, processes: Int, tasks: Int, seconds count: Int) async throws -> Verdict {
        var verdict = Verdict()
        let server = crew.server
        let early = try crew.start(processes, tasks: tasks, limit: limit)
        verdict.expectServed(try await crew.round(of: early), "at first")
        var writer = try await crew.startStoppedWriter()
        let workers = early + (try crew.start(processes, tasks: tasks, limit: limit))
        var (valid, expired) = (RoundReport(), RoundReport())
        for age in [0, 800] { valid.add(try await crew.round(after: age, of: workers)) }
        verdict.expectServed(valid, "with a valid token while \(writer.id) was inside of the store")
        let end = ContinuousClock.now + .seconds(count)
        repeat {
            expired.add(try await crew.round(after: expired.failed == 0 ? SoakServer.expiry : 0, of: workers))
            try await Task.sleep(for: .milliseconds(500))
        } while ContinuousClock.now < end
        verdict.expectFailures(
            expired, ["lockHeld", "refreshTimedOut"], within: limit, "while \(writer.id) was inside of the store")
        let requests = server.refreshes.requests
        verdict.expect(requests == 0, "\(requests) requests were sent whose key was not stored")
        writer.send(SIGCONT)
        let (after, recovery) = try await crew.roundsUntilServed(of: workers, within: limit)
        verdict.expectServed(after, "after the stop")
        verdict.expect(server.refreshes.requests == 1, "\(server.refreshes.requests) refreshes after the stop, not 1")
        try await verdict.expectKept(server)

        writer = try await crew.startStoppedWriter()
        let signOut = try await crew.reports(of: [early[0]], in: server.open(.signOut, for: [early[0].id]))
        verdict.expectFailures(signOut, ["lockHeld"], within: lockLimit, "sign-out")
        let text = signOut.messages["lockHeld"] ?? "nothing"
        verdict.expect(text.contains("(\(writer.id))"), "the sign-out does not name \(writer.id): \(text)")
        writer.send(SIGCONT)
        verdict.text =
            "SIGSTOP inside of the store for \(count) s, \(processes) processes × \(tasks) tasks and as many that start then: "
            + "with a valid token \(valid.served) served, failed: \(valid.summary) (longest \(seconds(valid.longest))); with "
            + "an expired one failed: \(expired.summary) (longest wait \(seconds(expired.longest)) of \(limit)); afterwards "
            + "\(after.served) served, the last after \(seconds(recovery)); sign-out: \(signOut.summary) after "
            + "\(seconds(signOut.longest))"
        return verdict
    }
}
