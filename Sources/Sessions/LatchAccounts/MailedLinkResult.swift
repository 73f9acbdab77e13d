// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The effect of a link from an email, as the server states it.
public struct MailedLinkResult: Sendable, Hashable {
    /// The server's message; nil if it sent none.
    public var message: String?
    /// The address that received the link; nil if the server does not state it.
    public var email: String?
    /// Whether a change of address still waits for the link in the email to the other address.
    public var isChangePending: Bool

    /// Creates a result.
    public init(message: String? = nil, email: String? = nil, isChangePending: Bool = false) {
        self.message = message
        self.email = email
        self.isChangePending = isChangePending
    }

    /// Creates the result of a response's members.
    init(_ members: JSONObject) {
        self.init(
            message: members["message"]?.stringValue, email: members.filled("email"),
            isChangePending: members["changePending"] == true)
    }
}
