// SPDX-License-Identifier: Apache-2.0

/// An operation of a client on a family of refresh tokens, from its invocation to its answer.
package struct FamilyOperation: Sendable, Hashable {
    /// The request of a client.
    package enum Action: Sendable, Hashable {
        /// A login, which makes the family.
        case signIn
        /// A refresh with a token and an Idempotency-Key.
        case refresh(IssuedToken, key: String?)
        /// A read with an access token of the family.
        case read
        /// A logout, which signs out the family.
        case signOut
        /// A sign-out of all the account's families, from this or another one.
        case signOutEverywhere
        /// A new password, set in another family of the account, which signs out this one.
        case changePassword
    }

    /// The answer to a request.
    package enum Outcome: Sendable, Hashable {
        /// The operation has taken effect.
        case accepted
        /// Tokens were issued, of which this is the one for the next refresh.
        case issued(IssuedToken)
        /// The token was not accepted.
        case refused
        /// No answer came: the operation takes effect at any later time, or never.
        case unknown
    }

    package let action: Action
    package var outcome: Outcome
    /// The time of the invocation, since the begin of the history.
    package let start: Duration
    /// The time of the answer; nil without one.
    package var end: Duration?
    /// The number of the client.
    package let client: Int
    /// The number of the server process to which the request went.
    package let node: Int

    package init(
        _ action: Action, _ outcome: Outcome, from start: Duration, to end: Duration?, client: Int = 0, node: Int = 0
    ) {
        self.action = action
        self.outcome = outcome
        self.start = start
        self.end = outcome == .unknown ? nil : end
        self.client = client
        self.node = node
    }

    /// Returns the operation as it is known to somebody who has not seen its answer.
    package func withoutAnswer() -> FamilyOperation {
        FamilyOperation(action, .unknown, from: start, to: nil, client: client, node: node)
    }

    /// Whether it changes nothing, whatever its answer.
    var isRead: Bool { action == .read }
}
