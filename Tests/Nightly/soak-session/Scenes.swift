// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchProcess

/// Many processes and tasks meet each expiry at the same time: it has to cost one refresh.
enum ExpiryStorm {
    static func play(_ crew: Crew, processes: Int, tasks: Int, expiries: Int) async throws -> Verdict {
        let server = crew.server
        let workers = try crew.start(processes, tasks: tasks)
        let begin = ContinuousClock.now
        var failures = 0
        for _ in 0..<expiries {
            server.expire()
            for worker in workers { failures += try await worker.report()?.failed ?? tasks }
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let refreshes = server.refreshes.requests
        var verdict = Verdict()
        verdict.text =
            "\(processes) processes × \(tasks) tasks × \(expiries) expiries: \(refreshes) refreshes, "
            + "\(processes * tasks * expiries) requests, \(failures) failures, " + String(format: "%.1f s", seconds)
        verdict.expect(refreshes == expiries, "\(refreshes) refreshes")
        verdict.expect(failures == 0, "\(failures) failures")
        verdict.expect(server.refreshes.refusals == 0, "\(server.refreshes.refusals) refused refreshes")
        return verdict
    }
}

/// Processes are killed at random moments, and at the worst ones: those that follow them stay signed in.
enum RandomKills {
    static func play(_ crew: Crew, processes: Int, tasks: Int, kills: Int) async throws -> Verdict {
        let server = crew.server
        var workers = try crew.start(processes, tasks: tasks)
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
            for victim in victims { workers[victim] = try crew.start(1, tasks: tasks)[0] }
            killed += count
            for worker in workers { failures += try await worker.report()?.failed ?? tasks }
        }
        let isSignedIn = try await server.isSignedIn()
        let repeats = server.refreshes.requests - rounds
        var verdict = Verdict()
        verdict.text =
            "\(killed) × kill -9 in \(rounds) expiries, \(processes) processes × \(tasks) tasks: "
            + "\(failures) failures, \(server.refreshes.refusals) refused, \(repeats) refreshes asked for again, "
            + (isSignedIn ? "still signed in" : "signed out")
        verdict.expect(failures == 0, "\(failures) failures")
        verdict.expect(server.refreshes.refusals == 0, "\(server.refreshes.refusals) refused refreshes")
        verdict.expect(isSignedIn, "signed out")
        verdict.expect(repeats > 0, "no refresh was asked for again")
        return verdict
    }
}
