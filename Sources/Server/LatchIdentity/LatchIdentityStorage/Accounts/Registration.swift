// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchFoundation

/// The data of a registration besides the account: the app's attributes, and the terms that the user has accepted.
///
/// Authorization never depends on it.
package struct Registration: Sendable, Hashable {
    /// The values of attributes by name.
    package var attributes: [String: JSONValue] = [:]
    /// The version of the accepted terms; nil if the request contains none.
    package var acceptedTerms: String?

    /// Creates a registration without attributes and terms.
    package init() {}
}

extension Registration: Redacting {}

/// The terms that a user has accepted.
package struct AcceptedTerms: Sendable, Hashable {
    /// The version, as the app names it.
    package var version: String
    /// The time of the registration.
    package var acceptedAt: Date

    package init(version: String, acceptedAt: Date) {
        self.version = version
        self.acceptedAt = acceptedAt
    }
}
