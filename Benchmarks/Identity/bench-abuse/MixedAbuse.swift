// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchRPC
import ServedIdentity

/// Minutes of all kinds of abuse at the same time next to honest users, a killed server in the middle, and a mail
/// server that is down until the end.
enum MixedAbuse {
    /// The state of the server's process at one time.
    private struct Sample: Sendable {
        let seconds: Double, resident: Double, descriptors: Int
    }

    static func measure(minutes: Double, in folder: URL, report: inout Report) async throws {
        let relay = try MailRelay()
        let arguments = ["--smtp", "smtp://127.0.0.1:\(relay.port)"]
        var served = try ServerProcess.start(in: folder, arguments: arguments)
        let port = Int(served.url.split(separator: ":").last ?? "") ?? 0
        let scene = Scene(port: port)
        beginHonestUsers(scene)
        let expanding = try RPCCompression.gzip.compress(ExpansionFlood.links)
        Abusers(scene: scene, expanding: expanding).begin()

        let half = Duration.seconds(minutes * 30)
        let first = await samples(of: served, for: half)
        served.kill()
        served = try ServerProcess.start(in: folder, arguments: arguments + ["--port", String(port)])
        let second = await samples(of: served, for: half)
        await scene.finish()

        reportCounts(scene, &report)
        reportProcess("until the kill", first, &report)
        reportProcess("after the restart", second, &report)
        try await Task.sleep(for: .seconds(12))
        report.note("resident twelve seconds later, MiB", try served.residentMiB())
        report.require("descriptors twelve seconds later", Double(try served.descriptorCount()), below: 64)
        await reportMails(relay, scene.promised, &report)
        report.note("resident at the end, MiB", try served.residentMiB())
        try served.stop()
    }

    private static func beginHonestUsers(_ scene: Scene) {
        for number in 0..<8 {
            let user = HonestUser(scene, address: "127.1.\(number).1", email: "user-\(number)@example.com")
            scene.repeating(every: 1) { turn in
                if turn == 0 { user.begin() }
                if turn == 3, number % 2 == 0 { user.forgetPassword() }
                user.visit()
            }
        }
        for number in 0..<2 {
            scene.repeating(every: 12) { turn in
                HonestUser(scene, address: "127.2.\(number).1", email: "new-\(number)@example.com").signUp(turn)
            }
        }
    }

    private static func samples(of served: ServerProcess, for duration: Duration) async -> [Sample] {
        let begin = ContinuousClock.now
        var samples: [Sample] = []
        while ContinuousClock.now - begin < duration {
            if let resident = try? served.residentMiB(), let descriptors = try? served.descriptorCount() {
                let seconds = (ContinuousClock.now - begin) / .seconds(1)
                samples.append(Sample(seconds: seconds, resident: resident, descriptors: descriptors))
            }
            try? await Task.sleep(for: .seconds(1))
        }
        return samples
    }

    /// Memory and descriptors are flat: after a quarter of the time, in which tables fill, they do not grow.
    private static func reportProcess(_ name: String, _ samples: [Sample], _ report: inout Report) {
        print("the server \(name)")
        let quarters = (0..<4).map { part in
            Array(samples[(samples.count * part / 4)..<(samples.count * (part + 1) / 4)])
        }
        for (number, quarter) in quarters.enumerated() {
            report.note("resident, MiB, quarter \(number + 1)", mean(quarter.map(\.resident)))
        }
        report.require("resident at most, MiB", samples.map(\.resident).max() ?? 0, below: 256 + 64)
        let growth = mean(quarters[3].map(\.resident)) - mean(quarters[1].map(\.resident))
        report.require("growth from quarter 2 to 4, MiB", growth, below: 24)
        let descriptors = quarters.map { Double($0.map(\.descriptors).max() ?? 0) }
        report.note("descriptors at most", descriptors.max() ?? 0)
        report.require("their growth from quarter 2 to 4", descriptors[3] - descriptors[1], below: 100)
    }

    private static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }

    private static func reportCounts(_ scene: Scene, _ report: inout Report) {
        print("abuse and honest use")
        let counts = scene.counts
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) where !name.contains("honest") {
            report.note(name, Double(count))
        }
        for name in ["honest requests", "connections lost to honest users", "honest requests put off"] {
            report.note(name, Double(counts[name] ?? 0))
        }
        report.require("honest requests lost", Double(counts["honest requests lost"] ?? 0), below: 1)
        for failure in scene.failures.prefix(10) { print("    \(failure)") }
        for name in ["login", "profile", "refresh", "sign-up", "forgot-password", "repeated"] {
            let times = scene.times(name).sorted()
            guard !times.isEmpty else { continue }
            report.note("\(name): median of \(times.count), ms", times[times.count / 2])
            report.note("\(name): p99, ms", percentile99(times))
        }
    }

    /// Opens the mail server, and waits for the mails that responses have promised: the longest pause between two attempts
    /// is five minutes.
    private static func reportMails(_ relay: MailRelay, _ promised: Set<String>, _ report: inout Report) async {
        print("mails, after the mail server is up")
        report.note("promised", Double(promised.count))
        relay.open()
        let begin = ContinuousClock.now
        while !relay.missing(of: promised).isEmpty, ContinuousClock.now - begin < .seconds(600) {
            try? await Task.sleep(for: .milliseconds(200))
        }
        report.note("seconds until the last", (ContinuousClock.now - begin) / .seconds(1))
        report.note("accepted", Double(relay.count))
        report.note("accepted twice", Double(relay.duplicates))
        let missing = relay.missing(of: promised)
        report.require("promised and not arrived", Double(missing.count), below: 1)
        for mail in missing.sorted().prefix(5) { print("    \(mail)") }
    }
}
