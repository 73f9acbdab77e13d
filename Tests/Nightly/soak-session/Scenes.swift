// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// Many processes and tasks meet each expiry at once: it has to cost one refresh.
enum ExpiryStorm {
    static func play(_ server: SoakServer, processes: Int, tasks: Int, expiries: Int) async throws -> Verdict {
        let workers = try (0..<processes).map { _ in try server.worker(tasks: tasks) }
        let begin = ContinuousClock.now
        var failures = 0
        for _ in 0..<expiries {
            server.expire()
            for worker in workers { failures += await worker.failures() ?? tasks }
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        for worker in workers { worker.kill() }
        for worker in workers { await worker.end() }
        let refreshes = server.refreshes.requests
        return Verdict(
            text: "\(processes) processes × \(tasks) tasks × \(expiries) expiries: \(refreshes) refreshes, "
                + "\(processes * tasks * expiries) requests, \(failures) failures, "
                + String(format: "%.1f s", seconds),
            holds: refreshes == expiries && failures == 0 && server.refreshes.refusals == 0)
    }
}

/// Processes are killed at random moments, and at the worst ones: those that follow them stay signed in.
enum RandomKills {
    static func play(_ server: SoakServer, processes: Int, tasks: Int, kills: Int) async throws -> Verdict {
        var workers = try (0..<processes).map { _ in try server.worker(tasks: tasks) }
        var (killed, rounds, failures) = (0, 0, 0)
        while killed < kills {
            rounds += 1
            let count = min(rounds.isMultiple(of: 3) ? 2 : processes, processes, kills - killed)
            // Mostly nobody is left who could finish what was begun.
            let victims = workers.indices.shuffled().prefix(count)
            if let place = [nil, RefreshCount.Place.beforeCommit, nil, .beforeAnswer][rounds % 4] {
                let stopped = server.refreshes.stopNext(at: place)
                server.expire()
                for await _ in stopped {}
                for victim in victims { workers[victim].kill() }
            } else {
                server.expire()
                for victim in victims {
                    try await Task.sleep(for: .milliseconds(.random(in: 0...20)) / count)
                    workers[victim].kill()
                }
            }
            for victim in victims { await workers[victim].end() }
            server.refreshes.release()
            for victim in victims { workers[victim] = try server.worker(tasks: tasks) }
            killed += count
            for worker in workers { failures += await worker.failures() ?? tasks }
        }
        let isSignedIn = try await server.isSignedIn()
        for worker in workers { worker.kill() }
        for worker in workers { await worker.end() }
        let repeats = server.refreshes.requests - rounds
        return Verdict(
            text: "\(killed) × kill -9 in \(rounds) expiries, \(processes) processes × \(tasks) tasks: "
                + "\(failures) failures, \(server.refreshes.refusals) refused, \(repeats) refreshes asked for again, "
                + (isSignedIn ? "still signed in" : "signed out"),
            holds: failures == 0 && server.refreshes.refusals == 0 && isSignedIn && repeats > 0)
    }
}

extension ChildProcess {
    /// The number of failed requests of the round; nil where the process ended instead.
    fileprivate func failures() async -> Int? {
        await line()?.split(separator: " ").last.flatMap { Int($0) }
    }
}
