// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchHTTP
import LatchTesting
import SessionHistories

/// Lets clients sign in, refresh and sign out at several servers over one store, kills, stops, cuts off and slows down, and
/// checks that each family's answers have an order (Tests/SessionHistories).
///
///     check-histories 1 1000              the seeds of the histories
///     check-histories 1 1000 sqlite:PATH  a store that is there already
///     check-histories 1 1000 postgres     servers of PostgreSQL with a standby, the faults of both, of their disks and of the
///                                         network, and nodes whose dates are wrong and jump
///     check-histories … --all-faults      fails unless each kind of fault happened
///
/// The servers listen at 127.0.0.1, or at LATCH_HISTORIES_HOST where other programs take ports meanwhile.
///
/// What is signed out is accepted for a second at most, and nothing else may be late. Within thirty seconds of the faults each
/// server is ready, signs in and refreshes. At the end each account whose creation was acknowledged is there with the last
/// password that was, and the audit log is intact.
///
/// It prints its figures. A history without an order is printed with its explanation, and written to a file as a whole. A seed
/// repeats what clients and faults try, and not the order in which the processes run. Exit code 0: every history has one.
@main struct CheckHistories {
    /// The servers of each store, and the histories that they serve.
    private static let nodes = 3
    private static let batch: UInt64 = 50

    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        let needsAllFaults = arguments.last == "--all-faults"
        if needsAllFaults { arguments.removeLast() }
        let numbers = arguments.prefix(2).compactMap { UInt64($0) }
        guard numbers.count == 2, numbers[0] <= numbers[1], arguments.count <= 3 else {
            FileHandle.standardError.write(Data("usage: check-histories FIRST LAST [STORE] [--all-faults]\n".utf8))
            exit(2)
        }
        let store = arguments.dropFirst(2).first
        let database =
            store == "postgres" ? try await DatabasePair(nodes: Self.nodes, transport: Transport.live) : nil
        var (counts, findings, first) = (HistoryCounts(), 0, numbers[0])
        while first <= numbers[1] {
            let seeds = first...min(numbers[1], (first / batch + 1) * batch - 1)
            findings += try await withTemporaryFolder { @Sendable folder in
                try await play(seeds, store: store, on: database, in: folder)
            }.add(to: &counts)
            first = seeds.upperBound + 1
        }
        do { try await database?.end() } catch {
            print("the database did not end well: \(error)")
            findings += 1
        }
        if needsAllFaults {
            let missing = Fault.names(overDatabase: database != nil).subtracting(counts.faults.keys)
            if !missing.isEmpty { print("there were no \(missing.sorted().joined(separator: ", "))") }
            findings += missing.count
        }
        let faults = counts.faults.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        print(
            "\(counts.histories) histories, \(counts.families) families, \(counts.operations) operations, "
                + "\(counts.unknown) without an answer, \(counts.accounts) accounts; "
                + "\(faults.joined(separator: ", ")); \(findings) findings, \(counts.undecided) undecided")
        exit(findings == 0 && counts.undecided == 0 ? 0 : 1)
    }

    /// What the histories of one store came to.
    private struct Batch {
        var counts = HistoryCounts()
        var findings = 0

        /// Adds the figures, and returns the number of findings.
        func add(to sum: inout HistoryCounts) -> Int {
            sum.add(counts)
            return findings
        }
    }

    /// Plays with servers of their own; every other store has no window in which an old token is repeated.
    private static func play(
        _ seeds: ClosedRange<UInt64>, store: String?, on database: DatabasePair?, in folder: String
    ) async throws -> Batch {
        let window = seeds.lowerBound / batch % 2 == 0 ? 30 : 0
        let checker = LinearizabilityChecker(
            FamilyModel(replayWindow: .seconds(window)), staleness: .seconds(1))
        let settings = serverSettings(window: window, in: folder)
        // Without a slow disk among the faults, nothing needs to be compiled.
        let hasSlowDisk = seeds.contains { seed in
            History.faults(seed: seed, nodes: Self.nodes, overDatabase: database != nil).contains(where: \.isOfDisk)
        }
        let disk = database == nil && hasSlowDisk ? try await NodeDisk(in: folder) : nil
        let nodes =
            if let database {
                try await nodes(over: database, settings, seed: seeds.lowerBound, in: folder)
            } else {
                try await nodes(over: store ?? "sqlite:\(folder)/identity.sqlite", settings, disk, in: folder)
            }
        let stage = HistoryStage(nodes: nodes, database: database, disk: disk)
        let played: Batch
        do { played = try await play(seeds, on: stage, by: checker, window: window) } catch {
            for node in nodes { await node.end() }
            throw error
        }
        for node in nodes { await node.end() }
        return played
    }

    private static func play(
        _ seeds: ClosedRange<UInt64>, on stage: HistoryStage, by checker: LinearizabilityChecker, window: Int
    ) async throws -> Batch {
        var (played, accounts) = (Batch(), [AcknowledgedAccount]())
        for seed in seeds {
            let history = History(seed: seed, stage: stage, transport: Transport.live)
            let recorder = try await history.play(&played.counts)
            for finding in recorder.findings {
                print("seed \(seed): \(finding)")
                played.findings += 1
            }
            let passwords = recorder.passwordChanges.possiblePasswords(from: HistoryClient.passwords[0])
            accounts += recorder.accounts + [AcknowledgedAccount(email: history.email, passwords: passwords)]
            for (number, family) in recorder.families.enumerated() {
                switch checker.check(family.operations) {
                case .linearizable: continue
                case .undecided: played.counts.undecided += 1
                case .notLinearizable: played.findings += 1
                }
                let name = "seed \(seed), family \(number), window \(window) s"
                try report(family.operations, name, recorder.events, by: checker)
            }
        }
        for finding in try await StoreCheck(stage: stage, transport: Transport.live).findings(accounts) {
            print("seeds \(seeds.lowerBound) to \(seeds.upperBound): \(finding)")
            played.findings += 1
        }
        played.counts.accounts = accounts.count
        return played
    }

    /// Prints why a family has no order, and writes all of its operations to a file, with the history's events.
    private static func report(
        _ operations: [FamilyOperation], _ name: String, _ events: [String], by checker: LinearizabilityChecker
    ) throws {
        let reason = Explanation(operations, by: checker).map { "\($0)" } ?? "the search was given up"
        print("\(name): \(reason)")
        let text = ([name, reason, ""] + operations.table + [""] + events).joined(separator: "\n") + "\n"
        let file = FileManager.default.temporaryDirectory.appending(path: "history-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        print("see \(file.path)")
    }

    /// Starts servers on one machine, over its file or a database.
    private static func nodes(
        over store: String, _ settings: [String: String], _ disk: NodeDisk?, in folder: String
    ) async throws -> [ServerNode] {
        var nodes: [ServerNode] = []
        for _ in 0..<Self.nodes {
            nodes.append(try await node(store, settings, machine: disk?.environment ?? [:], in: folder))
        }
        return nodes
    }

    /// Starts servers on machines with a network and a date of their own.
    private static func nodes(
        over database: DatabasePair, _ settings: [String: String], seed: UInt64, in folder: String
    ) async throws -> [ServerNode] {
        let library = try await NodeClock.library(in: folder)
        var (nodes, random) = ([ServerNode](), SplitMix64(state: seed))
        for (number, store) in database.stores.enumerated() {
            let clock = try NodeClock(
                "\(folder)/clock-\(number)", library: library, seconds: random.pick(NodeClock.offsets))
            nodes.append(try await node(store, settings, machine: clock.environment, clock, in: folder))
        }
        return nodes
    }

    private static func node(
        _ store: String, _ settings: [String: String], machine: [String: String], _ clock: NodeClock? = nil,
        in folder: String
    ) async throws -> ServerNode {
        let program = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "latch").path
        return try await ServerNode(
            ServerNode.Program(
                path: program, store: store, settings: settings, errors: "\(folder)/errors", machine: machine,
                clock: clock), at: ProcessInfo.processInfo.environment["LATCH_HISTORIES_HOST"] ?? "127.0.0.1")
    }

    private static func serverSettings(window: Int, in folder: String) -> [String: String] {
        let settings = [
            "LATCH_HOME": folder, "LATCH_ISSUER": "http://localhost:8080", "LATCH_ACCESS_LOG": "off",
            "LATCH_ARGON2_MEMORY_KIB": "8", "LATCH_ARGON2_PASSES": "1", "LATCH_REPLAY_WINDOW": "\(window)",
            "LATCH_MAIL_DIRECTORY": "\(folder)/mails", "LATCH_LOGIN_LIMIT_PER_MINUTE": "1000000",
            "LATCH_SIGNUP_LIMIT_PER_HOUR": "1000000", "LATCH_TOKEN_LIMIT_PER_MINUTE": "10000000",
            "LATCH_REQUEST_LIMIT_PER_MINUTE": "10000000", "LATCH_REFRESH_LIMIT_PER_MINUTE": "10000000",
        ]
        // Scripts/mutate selects a defect of the servers by a variable.
        return settings.merging(ProcessInfo.processInfo.environment.filter { $0.key == "LATCH_MUTANT" }) { $1 }
    }
}
