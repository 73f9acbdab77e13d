// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchFoundation

/// The consent of a user to a client, kept so that the client need not ask for the same scopes again.
///
/// It is for one origin of redirect URIs and one set of resource servers, which the user has seen on the page. A client that is registered again under
/// the same ID, with another origin, has to ask.
package struct Consent: Sendable, Hashable {
    package let accountID: String
    package let clientID: String
    /// The origin that receives the codes, such as `https://app.example.com`.
    package let redirectOrigin: String
    /// The scopes that the user has agreed to, of all decisions so far.
    package let scopes: Scopes
    /// The resource servers that the page has named beside the scopes; empty for the operator's API.
    package let resources: Set<String>
    /// The time of the first decision.
    package let grantedAt: Date
    /// The time of the latest decision.
    package let updatedAt: Date

    package init(
        accountID: String, clientID: String, redirectOrigin: String, scopes: Scopes, resources: Set<String> = [],
        grantedAt: Date,
        updatedAt: Date
    ) {
        self.accountID = accountID
        self.clientID = clientID
        self.redirectOrigin = redirectOrigin
        self.scopes = scopes
        self.resources = resources
        self.grantedAt = grantedAt
        self.updatedAt = updatedAt
    }
}

extension Consent {
    /// Returns whether the user has agreed to each of the scopes by its name, as the page showed it.
    package func covers(_ scopes: Scopes) -> Bool { scopes.elements.allSatisfy(self.scopes.contains) }

    /// Returns the text of resource servers, which is part of the key: URLs have no spaces.
    static func key(_ resources: some Sequence<String>) -> String { Set(resources).sorted().joined(separator: " ") }
}

/// The reason why a code may be issued.
package enum CodePermission: Sendable, Hashable {
    /// The client belongs to the operator, and no page has asked the user.
    case trusted
    /// The user has agreed on the page.
    ///
    /// - Parameters:
    ///   - keptFor: The origin of the redirect URIs that the consent is kept for; nil to keep none.
    ///   - detail: The description for the audit log.
    case decision(keptFor: String?, detail: String?)
    /// The user has agreed at an earlier request, for this origin of redirect URIs.
    case kept(for: String)
}
