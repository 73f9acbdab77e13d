// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import SessionHistories

/// The figures of a run.
struct HistoryCounts {
    var histories = 0, families = 0, operations = 0, unknown = 0, undecided = 0
    /// The accounts whose creation was acknowledged.
    var accounts = 0
    /// The number of faults by their names.
    var faults: [String: Int] = [:]

    /// Adds other figures.
    mutating func add(_ other: HistoryCounts) {
        histories += other.histories
        families += other.families
        operations += other.operations
        unknown += other.unknown
        undecided += other.undecided
        accounts += other.accounts
        faults.merge(other.faults) { $0 + $1 }
    }
}

/// The servers of one store, and what may happen to them.
struct HistoryStage {
    let nodes: [ServerNode]
    /// The database's servers; nil for a store of another kind.
    var database: DatabasePair?
    /// The disk of a store that is a file.
    var disk: NodeDisk?
}

/// One account, its clients and the faults of their servers, all from a seed.
struct History {
    static let clients = 8
    static let requests = 10

    let seed: UInt64
    let stage: HistoryStage
    let transport: any Handler
    /// The address of its account: a store that was there before may know the one of an earlier run.
    let email: String
    private var nodes: [ServerNode] { stage.nodes }

    init(seed: UInt64, stage: HistoryStage, transport: any Handler) {
        self.seed = seed
        self.stage = stage
        self.transport = transport
        email = "ada\(seed).\(UUID().uuidString)@example.com"
    }

    /// Plays, and returns what the clients have seen.
    func play(_ counts: inout HistoryCounts) async throws -> HistoryRecorder {
        var random = SplitMix64(state: seed)
        try await signUp()
        let recorder = HistoryRecorder()
        var members = (0...Self.clients).map {
            HistoryClient(
                number: $0, email: email, nodes: nodes, recorder: recorder, transport: transport,
                random: SplitMix64(state: random.next()))
        }
        var last = members.removeLast()
        let faults = Self.faults(seed: seed, nodes: nodes.count, overDatabase: stage.database != nil)
        if faults.contains(where: \.outlastsServers) {
            // The clients wait until the server answers that it gave up.
            for index in members.indices { members[index].requestTimeout = .seconds(20) }
        }
        try await withThrowingTaskGroup { group in
            for member in members {
                group.addTask {
                    var member = member
                    try await member.play(Self.requests)
                }
            }
            group.addTask { for fault in faults { try await apply(fault, recorder) } }
            try await group.waitForAll()
        }
        let silent = try await last.findSilentNodes()
        for node in silent {
            recorder.find("node \(node) does not serve \(HistoryClient.recoveryLimit) after the faults")
        }
        // Nobody learns anything from requests to a server that does not answer.
        if silent.isEmpty {
            try await last.settle()
            if seed % 4 == 0 { try await last.signOutAndReadLater() }
        }
        let families = recorder.families
        counts.histories += 1
        counts.families += families.count
        counts.operations += recorder.invocations
        counts.unknown += families.reduce(0) { $0 + $1.operations.count { $0.outcome == .unknown } }
        for fault in faults { counts.faults[fault.kind.name, default: 0] += 1 }
        return recorder
    }

    /// Returns the faults of a seed, which are other numbers than those of its clients.
    static func faults(seed: UInt64, nodes: Int, overDatabase: Bool) -> [Fault] {
        var random = SplitMix64(state: ~seed)
        let requests = clients * Self.requests
        guard overDatabase else { return Fault.ofProcesses(nodes: nodes, requests: requests, &random) }
        return Fault.ofEverything(nodes: nodes, requests: requests, &random)
    }

    private func apply(_ fault: Fault, _ recorder: HistoryRecorder) async throws {
        while recorder.invocations < fault.after { try await Task.sleep(for: .milliseconds(1)) }
        recorder.note("\(fault.kind) begins")
        defer { recorder.note("\(fault.kind) is over") }
        switch fault.kind {
        case .kill(let node): try await nodes[node].restart()
        case .pause(let node, let milliseconds): try await nodes[node].pause(for: .milliseconds(milliseconds))
        case .roll: for node in nodes { try await node.restart(gracefully: true) }
        case .failover(let milliseconds): try await stage.database?.apply("failover", "ms=\(milliseconds)")
        case .stall(let node, let milliseconds):
            try await stage.database?.apply("stall", "node=\(node)&ms=\(milliseconds)")
        case .cut(let node, let milliseconds):
            try await stage.database?.apply("cut", "node=\(node)&ms=\(milliseconds)")
        case .slow(let milliseconds): try await stage.database?.apply("slow", "ms=\(milliseconds)")
        case .jump(let node, let seconds): try nodes[node].setDate(wrongBy: seconds)
        case .slowDisk(let delay, let milliseconds):
            try await stage.database?.apply("disk", "delay=\(delay)&ms=\(milliseconds)")
            try await stage.disk?.slowDown(by: delay, for: .milliseconds(milliseconds))
        }
    }

    private func signUp() async throws {
        let content: JSONObject = ["email": .string(email), "password": .string(HistoryClient.passwords[0])]
        let request = try HTTPRequest(
            method: .post, url: nodes[0].url.appending(path: "auth/signup"),
            fields: ["Content-Type": "application/json"], body: HTTPBody(JSONValue.object(content).serialized()))
        let response = try await transport.respond(to: request)
        guard response.status == 201 else { throw HTTPError.unacceptableStatus }
    }
}
