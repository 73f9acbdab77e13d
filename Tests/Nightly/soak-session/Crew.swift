// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchAuth
import LatchCore
import LatchProcess
import Synchronization

/// The worker processes of a soak, of which none outlives it.
final class Crew: Sendable {
    /// A worker that ended although nobody ended it.
    struct WorkerEnded: Error, CustomStringConvertible {
        let id: Int32
        var description: String { "the worker \(id) ended, or did not answer in time" }
    }

    let server: SoakServer
    private let started = Mutex<[ChildProcess]>([])

    init(_ server: SoakServer) { self.server = server }

    /// Starts workers over the account.
    ///
    /// - Parameter limit: The time limit of their refreshes; nil for the policy's own.
    func start(_ count: Int, tasks: Int, limit: Duration? = nil) throws -> [ChildProcess] {
        try (0..<count).map { _ in
            let worker = try server.worker(tasks: tasks, limit: limit)
            started.withLock { $0.append(worker) }
            return worker
        }
    }

    /// Starts a process that stops itself inside of the store, and waits until it has.
    func startStoppedWriter() async throws -> ChildProcess {
        let writer = try ChildProcess.start(
            CommandLine.arguments[0], ["writer"], errors: .file("\(server.folder)/errors"))
        started.withLock { $0.append(writer) }
        guard await writer.line() != nil else { throw WorkerEnded(id: writer.id) }
        writer.waitUntilStopped()
        return writer
    }

    /// Opens a round, and returns the reports of its members together.
    func round(after seconds: Int = 0, of members: [ChildProcess]) async throws -> RoundReport {
        try await reports(of: members, in: server.open(after: seconds, for: members.map(\.id)))
    }

    /// Opens rounds until none of the requests fails, or the time is over.
    ///
    /// - Returns: The last report, and the seconds until then.
    func roundsUntilServed(
        of members: [ChildProcess], within limit: Duration
    ) async throws -> (report: RoundReport, seconds: Double) {
        let start = ContinuousClock.now
        while true {
            let report = try await round(of: members)
            let wait = ContinuousClock.now - start
            if report.failed == 0 || wait > limit { return (report, wait / .seconds(1)) }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// Returns the reports of workers about a round together; those about earlier rounds count as well.
    func reports(of workers: [ChildProcess], in round: Int) async throws -> RoundReport {
        var sum = RoundReport()
        for worker in workers {
            var report = RoundReport()
            while report.round < round {
                guard let next = try await worker.report() else { throw WorkerEnded(id: worker.id) }
                report = next
                sum.add(report)
            }
        }
        return sum
    }

    /// Lets the token expire, stops the refresh at the issuer, and returns the process that has sent it.
    ///
    /// - Parameter seconds: The time that passes for all clocks before the refresh.
    /// - Returns: The process with the lock, and the number of the round, whose reports are still to come.
    func stopRefresh(
        at place: RefreshCount.Place, after seconds: Int = SoakServer.expiry, of workers: [ChildProcess]
    ) async throws -> (holder: ChildProcess, round: Int) {
        let stopped = server.refreshes.stopNext(at: place)
        let round = server.open(after: seconds, for: workers.map(\.id))
        for await _ in stopped {}
        let name = platformCoordination(service: "soak", account: "ada").holder(of: .refresh) ?? "nobody"
        guard let holder = workers.first(where: { name.hasSuffix("(\($0.id))") }) else {
            throw UnknownHolder(name: name)
        }
        return (holder, round)
    }

    /// Lets one worker sign out where that cannot be stored, and again once it can.
    ///
    /// - Parameter mend: Makes the store writable again.
    /// - Returns: What came of it, in words.
    func signOut(
        by workers: [ChildProcess], failingWith code: String, within limit: Duration, _ verdict: inout Verdict,
        mend: () async throws -> Void
    ) async throws -> String {
        let first = try await reports(of: [workers[0]], in: server.open(.signOut, for: [workers[0].id]))
        verdict.expectFailures(first, [code], within: limit, "a sign-out that cannot be stored")
        let during = try await round(of: workers)
        verdict.expect(during.served == 0, "\(during.served) requests were served after a sign-out")
        try await mend()
        let second = try await reports(of: [workers[0]], in: server.open(.signOut, for: [workers[0].id]))
        verdict.expectServed(second, "a sign-out that can be stored")
        let after = try await round(of: workers)
        verdict.expect(after.served == 0, "\(after.served) requests were served after the second sign-out")
        return "\(first.failed == 0 ? "done" : first.summary), the others then \(during.summary); "
            + "afterwards \(second.failed == 0 ? "done" : second.summary), the others \(after.summary)"
    }

    /// Ends all workers, also those that are stopped.
    func end() async {
        let workers = started.withLock { $0 }
        for worker in workers { worker.kill() }
        for worker in workers { await worker.end() }
    }

    /// A lock whose file names no worker.
    struct UnknownHolder: Error {
        let name: String
    }
}

extension ChildProcess {
    /// The report of a worker about its next round; nil where the process ended instead.
    func report() async throws -> RoundReport? { try await line().map { try RoundReport(parsing: $0) } }

    /// Sends SIGSTOP, and waits until the process has stopped.
    func stop() {
        send(SIGSTOP)
        waitUntilStopped()
    }

    /// Waits until a signal has stopped the process.
    func waitUntilStopped() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WSTOPPED | WNOWAIT) != 0, errno == EINTR {}
    }
}
