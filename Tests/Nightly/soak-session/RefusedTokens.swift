// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProcess

/// A resource refuses every token: each process refreshes a few times only, keeps its session, and passes the 401 on.
enum RefusedTokens {
    /// The limit of `RefreshPolicy.requestLimit`.
    private static let limit = 5
    /// The window of the limit, and what its requests may have been on their way.
    private static let window = Duration.seconds(29)

    static func play(_ crew: Crew, processes: Int, tasks: Int, seconds count: Int) async throws -> Verdict {
        var verdict = Verdict()
        let server = crew.server
        let workers = try crew.start(processes, tasks: tasks)
        verdict.expectServed(try await crew.round(of: workers), "at first")
        server.resource.refusesTokens = true
        var during = RoundReport()
        let end = ContinuousClock.now + .seconds(count)
        repeat {
            during.add(try await crew.round(of: workers))
            try await Task.sleep(for: .milliseconds(50))
        } while ContinuousClock.now < end
        verdict.expectFailures(during, ["refused 401"], within: .seconds(60), "while the resource refused")
        verdict.expect(during.served == 0, "\(during.served) requests were served by a resource that refuses")
        let most =
            Dictionary(grouping: server.refreshes.arrivals, by: { $0.process ?? "unknown" })
            .mapValues(busiestWindow).values.max() ?? 0
        verdict.expect(most <= limit, "\(most) refreshes of one process within \(window)")
        verdict.expect(most > 0, "nobody refreshed a token that was refused")
        let rotations = server.refreshes.requests
        server.resource.refusesTokens = false
        var after = try await crew.round(of: workers)
        verdict.expectServed(after, "once the resource accepted tokens again")
        after.add(try await crew.round(after: SoakServer.expiry, of: workers))
        verdict.expectServed(after, "at the next expiry")
        try await verdict.expectKept(server)
        verdict.text =
            "a resource that answers 401 for \(count) s, \(processes) processes × \(tasks) tasks: \(during.failed) requests, "
            + "failed: \(during.summary) (longest wait \(seconds(during.longest))); \(rotations) rotations, at most \(most) "
            + "of one process within \(window), \(server.refreshes.refusals) refused; then \(after.served) served, "
            + "failed: \(after.summary)"
        return verdict
    }

    /// Returns the greatest number of refreshes within the window.
    private static func busiestWindow(_ arrivals: [RefreshCount.Arrival]) -> Int {
        arrivals.map { first in arrivals.count { (first.time...first.time + window).contains($0.time) } }.max() ?? 0
    }
}
