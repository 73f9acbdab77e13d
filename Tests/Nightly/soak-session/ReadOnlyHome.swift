// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProcess

/// The folder of the secrets is read-only: a valid token is used, a refresh fails with a typed error, and nothing is lost.
enum ReadOnlyHome {
    /// The time limit of a refresh, which has to outlast four programs that change the mounts.
    private static let limit = Duration.seconds(12)
    /// The longest pause before a successor is stored again.
    private static let longestPause = Duration.seconds(15)
    /// The code of a refusal by the file system.
    private static let code = "storeDenied"

    static func play(_ crew: Crew, processes: Int, tasks: Int, count: Int) async throws -> Verdict {
        var verdict = Verdict()
        let server = crew.server
        var (valid, expired, late, after) = (RoundReport(), RoundReport(), RoundReport(), RoundReport())
        var recovery = 0.0
        let early = try crew.start(processes, tasks: tasks, limit: limit)
        verdict.expectServed(try await crew.round(of: early), "at first")
        for _ in 0..<count {
            // A valid token is read and used, also by processes that start now.
            var requests = server.refreshes.requests
            try await Mounts.makeReadOnly(server.home)
            let workers = early + (try crew.start(processes, tasks: tasks, limit: limit))
            valid.add(try await crew.round(of: workers))
            // An expired one is not refreshed: the key of the request could not be stored.
            expired.add(try await crew.round(after: SoakServer.expiry, of: workers))
            verdict.expect(server.refreshes.requests == requests, "a request was sent whose key was not stored")
            try await Mounts.unmount(server.home)
            after.add(try await crew.round(of: workers))
            verdict.expect(server.refreshes.requests == requests + 1, "not one refresh for all")

            // The disk becomes read-only before the successor is stored.
            requests = server.refreshes.requests
            let (holder, round) = try await crew.stopRefresh(at: .beforeAnswer, of: workers)
            try await Mounts.makeReadOnly(server.home)
            server.refreshes.release()
            late.add(try await crew.reports(of: workers, in: round))
            // From here on nobody waits: the lock's file cannot be opened either. Nobody asks the holder.
            let others = workers.filter { $0.id != holder.id }
            let next = try await crew.round(of: others)
            verdict.expectFailures(next, [code], within: .zero, "with a successor that cannot be stored, later")
            late.add(next)
            try await Mounts.unmount(server.home)
            let (report, wait) = try await crew.roundsUntilServed(of: others, within: longestPause)
            after.add(report)
            recovery = max(recovery, wait)
            after.add(try await crew.round(of: workers))
            verdict.expect(
                server.refreshes.requests == requests + 1,
                "\(server.refreshes.requests - requests) refreshes for one that could not be stored")
        }
        verdict.expectServed(valid, "with a valid token")
        verdict.expectFailures(expired, [code], within: limit, "with an expired token")
        verdict.expect(expired.served == 0, "\(expired.served) requests were served with an expired token")
        verdict.expectFailures(late, [code, "lockHeld"], within: limit, "with a successor that cannot be stored")
        verdict.expectServed(after, "once it can be written again")
        try await verdict.expectKept(server)
        try await Mounts.makeReadOnly(server.home)
        let signOut = try await crew.signOut(by: early, failingWith: code, within: limit, &verdict) {
            try await Mounts.unmount(server.home)
        }
        verdict.text =
            "a read-only home, \(processes) processes × \(tasks) tasks and as many that start there: with a valid token "
            + "\(valid.served) served, failed: \(valid.summary); with an expired one \(expired.served) served, failed: "
            + "\(expired.summary) (longest \(seconds(expired.longest))); with a successor that cannot be stored "
            + "\(late.served) served, failed: \(late.summary) (longest \(seconds(late.longest))); writable again "
            + "\(after.served) served, failed: \(after.summary), the last after \(seconds(recovery)); sign-out: \(signOut)"
        return verdict
    }
}
