// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import SessionHistories

/// The figures of a run.
struct HistoryCounts {
    var histories = 0, families = 0, operations = 0, unknown = 0, kills = 0, pauses = 0, undecided = 0
}

/// One account, its clients and the faults of their servers, all from a seed.
struct History {
    /// A fault of a server, once as many requests were sent.
    private enum Fault {
        case kill(node: Int, after: Int)
        case pause(node: Int, after: Int, milliseconds: Int)
    }

    static let clients = 8
    static let requests = 10

    let seed: UInt64
    let nodes: [ServerNode]
    let transport: any Handler

    /// Plays, and returns the families that have come of it.
    func play(_ counts: inout HistoryCounts) async throws -> [HistoryRecorder.Family] {
        var random = SplitMix64(state: seed)
        // A store that was there before may know the address of an earlier run.
        let email = "ada\(seed).\(UUID().uuidString)@example.com"
        try await signUp(email)
        let recorder = HistoryRecorder()
        var members = (0...Self.clients).map {
            HistoryClient(
                number: $0, email: email, nodes: nodes, recorder: recorder, transport: transport,
                random: SplitMix64(state: random.next()))
        }
        var last = members.removeLast()
        let faults = faults(&random)
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
        try await last.settle()
        let families = recorder.families
        counts.histories += 1
        counts.families += families.count
        counts.operations += recorder.invocations
        counts.unknown += families.reduce(0) { $0 + $1.operations.count { $0.outcome == .unknown } }
        for fault in faults { if case .kill = fault { counts.kills += 1 } else { counts.pauses += 1 } }
        return families
    }

    /// A kill in each history and a pause in every third, at any time.
    private func faults(_ random: inout SplitMix64) -> [Fault] {
        let total = Self.clients * Self.requests
        let kill = Fault.kill(node: random.below(nodes.count), after: random.below(total / 2))
        guard random.below(3) == 0 else { return [kill] }
        return [
            kill,
            .pause(
                node: random.below(nodes.count), after: random.below(total - 10),
                milliseconds: 10 + random.below(200)),
        ]
    }

    private func apply(_ fault: Fault, _ recorder: HistoryRecorder) async throws {
        switch fault {
        case .kill(let node, let after):
            try await wait(for: after, recorder)
            try await nodes[node].restart()
        case .pause(let node, let after, let milliseconds):
            try await wait(for: after, recorder)
            try await nodes[node].pause(for: .milliseconds(milliseconds))
        }
    }

    /// Waits until as many requests were sent, or the clients are done.
    private func wait(for count: Int, _ recorder: HistoryRecorder) async throws {
        while recorder.invocations < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    private func signUp(_ email: String) async throws {
        let content: JSONObject = ["email": .string(email), "password": .string(HistoryClient.passwords[0])]
        let request = try HTTPRequest(
            method: .post, url: nodes[0].url.appending(path: "auth/signup"),
            fields: ["Content-Type": "application/json"], body: HTTPBody(JSONValue.object(content).serialized()))
        let response = try await transport.respond(to: request)
        guard response.status == 201 else { throw HTTPError.unacceptableStatus }
    }
}
