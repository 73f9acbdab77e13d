// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchTesting

/// A check of what a store must still know once all of its histories were played.
struct StoreCheck {
    let stage: HistoryStage
    let transport: any Handler

    /// Returns the accounts that are lost or have another password than was acknowledged, and what is wrong with the audit log.
    func findings(_ accounts: [AcknowledgedAccount]) async throws -> [String] {
        var findings: [String] = []
        if let problem = try await stage.nodes[0].auditProblem() { findings.append("the audit log: \(problem)") }
        for (number, account) in accounts.enumerated() {
            var client = HistoryClient(
                number: 0, email: account.email, nodes: stage.nodes, recorder: HistoryRecorder(), transport: transport,
                random: SplitMix64(state: UInt64(number)))
            let accepted = try await client.acceptedPasswords()
            guard let accepted, accepted.count == 1, accepted.isSubset(of: account.passwords) else {
                let found = accepted.map { "\($0.sorted())" } ?? "nothing, since no server answers"
                findings.append(
                    "\(account.email): \(account.passwords.sorted()) was acknowledged, accepted is \(found)")
                continue
            }
        }
        return findings
    }
}
