// SPDX-License-Identifier: Apache-2.0

import Baselines
import CMeasure
import Foundation

/// Measures, and prints what was measured beside its limit.
struct Report {
    private var missed = 0
    private let baseline = Baseline("Benchmarks/Crypto/allocations.txt")

    /// The most blocks of memory that a token may cost; OpenSSL takes 21 of them for RSA-PSS.
    private static let mostAllocations = 31.0

    func section(_ title: String, _ peer: String, _ ours: String) {
        print("\n\(title)")
        print(row("", peer, ours, "", "", "allocations"))
    }

    /// Measures one algorithm against OpenSSL's own figures, round by round.
    mutating func compare(_ name: String, _ peer: Peer, limit: Double, _ contest: Contest) throws {
        var (signs, verifies, tokens): ([Pair], [Pair], [Pair]) = ([], [], [])
        for _ in 0..<BenchCrypto.rounds {
            let theirs = try peer.measure()
            signs.append(Pair(theirs: theirs.sign, ours: try Series.measure(name, contest.sign)))
            verifies.append(Pair(theirs: theirs.verify, ours: try Series.measure(name, contest.verify)))
            tokens.append(Pair(theirs: theirs.verify, ours: try Series.measure(name, contest.token)))
        }
        line("\(name), a whole token", tokens, limit: limit)
        line("\(name) verify", verifies, limit: nil)
        line("\(name) sign", signs, limit: nil)
        checkAllocations(name, tokens.map(\.ours.allocations).min() ?? 0)
    }

    /// Holds a token's blocks of memory against the limit of all, and against what they were.
    private mutating func checkAllocations(_ name: String, _ measured: Double) {
        let limit = min(baseline[name].map { $0 + 0.5 } ?? Self.mostAllocations, Self.mostAllocations)
        let holds = measured <= limit
        if !holds { missed += 1 }
        print(
            row(
                "\(name), a token's blocks of memory", "", String(format: "%.1f", measured), "",
                "≤ \(limit) \(holds ? "PASS" : "FAIL")", ""))
    }

    /// Measures something so short that a read of the clock would count, in nanoseconds.
    mutating func nanoseconds(_ name: String, limit: Double, _ body: () -> Bool) throws {
        let times = try (0..<BenchCrypto.rounds).map { _ in
            1e9 / (try Series.measure(name) { (0..<64).allSatisfy { _ in body() } }.rate * 64)
        }.sorted()
        let median = times[times.count / 2]
        if median > limit { missed += 1 }
        let verdict = "≤ \(whole(limit)) \(median > limit ? "FAIL" : "PASS")"
        print(row(name, "", String(format: "%.1f", median), "", verdict, ""))
    }

    /// Measures something that has no peer and no limit.
    func note(_ name: String, _ body: () throws -> Bool) throws {
        let series = try (0..<3).map { _ in try Series.measure(name, body) }.sorted { $0.rate < $1.rate }[1]
        print(row(name, "", whole(series.rate), "", "", String(format: "%.1f", series.allocations)))
    }

    func finish(isChecking: Bool) {
        print(missed == 0 ? "\nall limits hold" : "\n\(missed) limits missed")
        if missed > 0, isChecking { exit(1) }
    }

    private mutating func line(_ name: String, _ pairs: [Pair], limit: Double?) {
        // The median of the rounds' ratios: both sides of a round met the same load.
        let median = pairs.sorted { $0.ratio < $1.ratio }[pairs.count / 2]
        let verdict = limit.map { limit in
            let holds = median.ratio >= limit
            if !holds { missed += 1 }
            return "≥ \(limit) \(holds ? "PASS" : "FAIL")"
        }
        print(
            row(
                name, whole(median.theirs), whole(median.ours.rate), String(format: "%.2f", median.ratio),
                verdict ?? "",
                String(format: "%.1f", median.ours.allocations)))
    }

    private func whole(_ value: Double) -> String { String(format: "%.0f", value) }

    private func row(_ cells: String...) -> String {
        let widths = [-42, 10, 10, 6, 11, 12]
        return zip(cells, widths).map { cell, width in
            let space = String(repeating: " ", count: max(0, abs(width) - cell.count))
            return width < 0 ? cell + space : space + cell
        }.joined(separator: " ")
    }
}

/// What is measured of one algorithm.
struct Contest {
    let sign: () throws -> Bool
    let verify: () throws -> Bool
    /// The whole check of a token.
    let token: () throws -> Bool
}

/// One round: theirs and ours.
struct Pair {
    let theirs: Double
    let ours: Series

    var ratio: Double { ours.rate / theirs }
}

/// What one run of a loop showed.
struct Series {
    /// Operations per second of processor time.
    let rate: Double
    /// Blocks of memory per operation.
    let allocations: Double

    /// Runs `body`, which has to answer true, for a second of processor time.
    static func measure(_ name: String, _ body: () throws -> Bool) throws -> Series {
        guard try body() else { throw BenchError.wrongAnswer(name) }
        let (start, blocks) = (measure_processor_seconds(), measure_allocations())
        var count = 0.0
        var now = start
        while now < start + 1 {
            // The clock is read once in sixteen times, for it costs as much as a digest.
            for _ in 0..<16 where try !body() { throw BenchError.wrongAnswer(name) }
            count += 16
            now = measure_processor_seconds()
        }
        return Series(rate: count / (now - start), allocations: Double(measure_allocations() - blocks) / count)
    }
}
