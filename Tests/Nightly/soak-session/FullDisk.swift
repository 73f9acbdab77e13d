// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProcess

/// The disk is full whenever something has to be stored: nothing is lost, and all continue once there is room.
enum FullDisk {
    /// The time limit of a refresh.
    private static let limit = Duration.seconds(3)
    /// The longest pause before a successor is stored again, which a session makes by itself.
    private static let longestPause = Duration.seconds(15)

    /// What the soak has counted.
    private struct Outcome {
        var during = RoundReport()
        var after = RoundReport()
        /// The longest time from the free space to the first round without a failure.
        var recovery = 0.0
    }

    static func play(_ crew: Crew, processes: Int, tasks: Int, count: Int) async throws -> Verdict {
        var (verdict, outcome) = (Verdict(), Outcome())
        var workers = try crew.start(processes, tasks: tasks, limit: limit)
        verdict.expectServed(try await crew.round(of: workers), "at first")
        for _ in 0..<count {
            try await beforeRequest(crew, workers, &outcome, &verdict)
            try await beforeStoring(crew, workers, &outcome, &verdict)
            let killed = try await beforeKill(crew, workers, &outcome, &verdict)
            workers = workers.filter { $0.id != killed.id } + (try crew.start(1, tasks: tasks, limit: limit))
            outcome.after.add(try await crew.round(of: workers))
        }
        verdict.expectServed(outcome.after, "with room again")
        try await verdict.expectKept(crew.server)
        let refreshes = crew.server.refreshes.requests
        let filler = try Mounts.fill(crew.server.home)
        let signOut = try await crew.signOut(by: workers, failingWith: "storeFull", within: limit, &verdict) {
            try Mounts.free(filler)
        }
        verdict.text =
            "\(3 * count) × a full disk, \(processes) processes × \(tasks) tasks: meanwhile \(outcome.during.served) "
            + "requests served, failed: \(outcome.during.summary) (longest wait \(seconds(outcome.during.longest)) of "
            + "\(limit)); with room again \(outcome.after.served) served, failed: \(outcome.after.summary), the last after "
            + "\(seconds(outcome.recovery)); \(refreshes) refreshes; sign-out on a full disk: \(signOut)"
        return verdict
    }

    /// The key of the request cannot be stored: no request is sent.
    private static func beforeRequest(
        _ crew: Crew, _ workers: [ChildProcess], _ outcome: inout Outcome, _ verdict: inout Verdict
    ) async throws {
        let requests = crew.server.refreshes.requests
        let filler = try Mounts.fill(crew.server.home)
        let during = try await crew.round(after: SoakServer.expiry, of: workers)
        verdict.expectFailures(during, ["storeFull"], within: limit, "without room for the key")
        verdict.expect(during.served == 0, "\(during.served) requests were served with an expired token")
        verdict.expect(crew.server.refreshes.requests == requests, "a request was sent whose key was not stored")
        try Mounts.free(filler)
        try await recover(crew, workers, within: .zero, &outcome, &verdict)
        verdict.expect(
            crew.server.refreshes.requests == requests + 1,
            "\(crew.server.refreshes.requests - requests) refreshes after a full disk, not 1")
        outcome.during.add(during)
    }

    /// The successor cannot be stored: its process keeps it, and stores it by itself later.
    private static func beforeStoring(
        _ crew: Crew, _ workers: [ChildProcess], _ outcome: inout Outcome, _ verdict: inout Verdict
    ) async throws {
        let requests = crew.server.refreshes.requests
        let (holder, round) = try await crew.stopRefresh(at: .beforeAnswer, of: workers)
        let filler = try Mounts.fill(crew.server.home)
        crew.server.refreshes.release()
        let during = try await crew.reports(of: workers, in: round)
        verdict.expectFailures(during, ["storeFull", "lockHeld"], within: limit, "without room for the successor")
        verdict.expect(during.failures["storeFull"] != nil, "the disk was not full: \(during.summary)")
        verdict.expect(
            during.failures["lockHeld"] == nil || during.messages["lockHeld"]?.contains("(\(holder.id))") == true,
            "the lock's holder \(holder.id) is not named: \(during.messages)")
        // From here on nobody asks the holder.
        let others = workers.filter { $0.id != holder.id }
        let later = try await crew.round(of: others)
        verdict.expectFailures(later, ["lockHeld"], within: limit, "while the holder keeps the successor")
        try Mounts.free(filler)
        try await recover(crew, others, within: longestPause, &outcome, &verdict)
        try await recover(crew, workers, within: .zero, &outcome, &verdict)
        verdict.expect(
            crew.server.refreshes.requests == requests + 1,
            "\(crew.server.refreshes.requests - requests) refreshes for one that could not be stored")
        outcome.during.add(during)
        outcome.during.add(later)
    }

    /// The process with the only copy of the successor is killed: another one repeats the request under its key.
    private static func beforeKill(
        _ crew: Crew, _ workers: [ChildProcess], _ outcome: inout Outcome, _ verdict: inout Verdict
    ) async throws -> ChildProcess {
        let (holder, round) = try await crew.stopRefresh(at: .beforeAnswer, of: workers)
        let filler = try Mounts.fill(crew.server.home)
        crew.server.refreshes.release()
        var during = try await crew.reports(of: workers, in: round)
        holder.kill()
        await holder.end()
        let others = workers.filter { $0.id != holder.id }
        during.add(try await crew.round(of: others))
        verdict.expectFailures(during, ["storeFull", "lockHeld"], within: limit, "around the kill on a full disk")
        try Mounts.free(filler)
        try await recover(crew, others, within: longestPause, &outcome, &verdict)
        outcome.during.add(during)
        return holder
    }

    private static func recover(
        _ crew: Crew, _ workers: [ChildProcess], within time: Duration, _ outcome: inout Outcome,
        _ verdict: inout Verdict
    ) async throws {
        let (report, seconds) = try await crew.roundsUntilServed(of: workers, within: time)
        verdict.expectServed(report, "with room again, after \(seconds) s")
        outcome.recovery = max(outcome.recovery, seconds)
        outcome.after.add(report)
    }
}
