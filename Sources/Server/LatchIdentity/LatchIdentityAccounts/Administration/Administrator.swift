// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage

/// An administrator who calls a route: in a session, or through a program with an API key; or the operator.
package struct Administrator: Sendable {
    /// The account as currently stored; nil for the operator.
    package let account: Account?
    /// The account for rules and the audit log, with its device or its key; nil for the operator.
    package let actor: AccountActor?

    /// The operator, who has opened the store and may do everything, except to remove the last administrator.
    package static let serverOperator = Administrator()

    private init() { (account, actor) = (nil, nil) }

    /// The name in the audit log.
    package var name: String { actor?.text ?? "the operator" }

    package init(_ session: AuthenticatedSession) { (account, actor) = (session.account, session.actor) }

    init(_ account: Account, with key: APIKey) {
        (self.account, actor) = (account, AccountActor(account.id, with: key.digest))
    }
}

/// A part of the administration that an API key may open.
package enum AdministrationScope: String, Sendable, CaseIterable {
    case readUsers = "users:read"
    case writeUsers = "users:write"
    case readClients = "clients:read"
    case writeClients = "clients:write"
    /// Emails that wait, signing keys, identity providers, settings and statistics.
    case readServer = "server:read"
    case writeServer = "server:write"
    case readAudit = "audit:read"

    /// Whether it lets a program change something.
    package var isForChanges: Bool {
        switch self {
        case .writeUsers, .writeClients, .writeServer: true
        case .readUsers, .readClients, .readServer, .readAudit: false
        }
    }

    /// The lowest role that may use it: a client of the operator can get tokens of every user.
    package var minimumRole: Role { self == .writeClients ? .superAdmin : .admin }
}
