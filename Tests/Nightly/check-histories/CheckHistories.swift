// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP
import LatchTesting
import SessionHistories

/// Lets clients sign in, refresh and sign out at several servers over one store, kills, stops and cuts off, and checks that
/// each family's answers have an order (Tests/SessionHistories).
///
///     check-histories 1 1000              the seeds of the histories
///     check-histories 1 1000 sqlite:PATH  a store that is there already
///
/// It prints its figures. A history without an order is printed with its explanation, and written to a file as a whole. A seed
/// repeats what clients and faults try, and not the order in which the processes run. Exit code 0: every history has one.
@main struct CheckHistories {
    /// The servers of each store, and the histories that they serve.
    private static let nodes = 3
    private static let batch: UInt64 = 50

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        let numbers = arguments.prefix(2).compactMap { UInt64($0) }
        guard numbers.count == 2, numbers[0] <= numbers[1], arguments.count <= 3 else {
            FileHandle.standardError.write(Data("usage: check-histories FIRST LAST [STORE]\n".utf8))
            exit(2)
        }
        let store = arguments.dropFirst(2).first
        var (counts, findings, first) = (HistoryCounts(), 0, numbers[0])
        while first <= numbers[1] {
            let seeds = first...min(numbers[1], (first / batch + 1) * batch - 1)
            findings += try await withTemporaryFolder { @Sendable folder in
                try await play(seeds, store: store, in: folder)
            }.add(to: &counts)
            first = seeds.upperBound + 1
        }
        print(
            "\(counts.histories) histories, \(counts.families) families, \(counts.operations) operations, "
                + "\(counts.unknown) without an answer; \(counts.kills) kills, \(counts.pauses) stops; "
                + "\(findings) findings, \(counts.undecided) undecided")
        exit(findings == 0 && counts.undecided == 0 ? 0 : 1)
    }

    /// What the histories of one store came to.
    private struct Batch {
        var counts = HistoryCounts()
        var findings = 0

        /// Adds the figures, and returns the number of findings.
        func add(to sum: inout HistoryCounts) -> Int {
            sum.histories += counts.histories
            sum.families += counts.families
            sum.operations += counts.operations
            sum.unknown += counts.unknown
            sum.kills += counts.kills
            sum.pauses += counts.pauses
            sum.undecided += counts.undecided
            return findings
        }
    }

    /// Plays with servers of their own; every other store has no window in which an old token is repeated.
    private static func play(_ seeds: ClosedRange<UInt64>, store: String?, in folder: String) async throws -> Batch {
        let window = seeds.lowerBound / batch % 2 == 0 ? 30 : 0
        let checker = LinearizabilityChecker(FamilyModel(replayWindow: .seconds(window)))
        let nodes = try await nodes(store: store ?? "sqlite:\(folder)/identity.sqlite", window: window, in: folder)
        var batch = Batch()
        do {
            for seed in seeds {
                let history = History(seed: seed, nodes: nodes, transport: Transport.live)
                let families = try await history.play(&batch.counts)
                for (number, family) in families.enumerated() {
                    switch checker.check(family.operations) {
                    case .linearizable: continue
                    case .undecided: batch.counts.undecided += 1
                    case .notLinearizable: batch.findings += 1
                    }
                    try report(family.operations, "seed \(seed), family \(number), window \(window) s", by: checker)
                }
            }
        } catch {
            for node in nodes { await node.end() }
            throw error
        }
        for node in nodes { await node.end() }
        return batch
    }

    /// Prints why a family has no order, and writes all of its operations to a file.
    private static func report(_ operations: [FamilyOperation], _ name: String, by checker: LinearizabilityChecker)
        throws
    {
        let reason = Explanation(operations, by: checker).map { "\($0)" } ?? "the search was given up"
        print("\(name): \(reason)")
        let text = ([name, reason, ""] + operations.table).joined(separator: "\n") + "\n"
        let file = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        print("see \(file.path)")
    }

    private static func nodes(store: String, window: Int, in folder: String) async throws -> [ServerNode] {
        let program = ServerNode.Program(
            path: URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
                .appending(path: "latch").path,
            store: store,
            settings: [
                "LATCH_HOME": folder, "LATCH_ISSUER": "http://localhost:8080", "LATCH_ACCESS_LOG": "off",
                "LATCH_ARGON2_MEMORY_KIB": "8", "LATCH_ARGON2_PASSES": "1", "LATCH_REPLAY_WINDOW": "\(window)",
                "LATCH_MAIL_DIRECTORY": "\(folder)/mails", "LATCH_LOGIN_LIMIT_PER_MINUTE": "1000000",
                "LATCH_SIGNUP_LIMIT_PER_HOUR": "1000000", "LATCH_TOKEN_LIMIT_PER_MINUTE": "10000000",
                "LATCH_REQUEST_LIMIT_PER_MINUTE": "10000000", "LATCH_REFRESH_LIMIT_PER_MINUTE": "10000000",
            ],
            errors: "\(folder)/errors")
        var nodes: [ServerNode] = []
        for _ in 0..<Self.nodes { nodes.append(try await ServerNode(program)) }
        return nodes
    }
}
