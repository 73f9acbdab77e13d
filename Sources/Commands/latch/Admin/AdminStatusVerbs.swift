// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchIdentity

/// `latch admin user enable|disable|suspend|ban`: who may use their account.
enum AdminStatusVerbs {
    static let all = [
        verb("enable", .active, "opens an account again"),
        verb("disable", .disabled, "shuts an account, and ends its sessions"),
        verb("suspend", .suspended, "shuts an account for a while; a moderator may do it"),
        verb("ban", .banned, "shuts an account for what its owner did"),
    ]

    private static func verb(_ name: String, _ status: LatchIdentity.Account.Status, _ summary: String) -> Verb {
        Verb(
            name: name, summary: summary, options: AdminCall.options + [AdminCall.reason], operands: [AdminCall.who],
            examples: [
                .init(command: "latch admin user \(name) ada@example.com --reason \"case 12\"", purpose: summary)
            ],
            body: { invocation, shell in
                try await AdminCall.with(invocation, shell) { office in
                    let id = try await id(of: invocation.operands[0], office)
                    let account = try await office.setStatus(
                        status, of: id, because: invocation[AdminCall.reason] ?? "")
                    AdminCall.show(account, invocation, shell)
                }
            })
    }

    /// An account that was deleted and kept is shown to nobody, and is opened again by its id.
    private static func id(of who: String, _ office: any AccountOffice) async throws -> String {
        do {
            return try await office.account(who).id
        } catch let error as CommandError where error.message == CommandError.noAccount(who).message {
            return who
        }
    }
}
