// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation

/// An authorization request that a client has pushed (RFC 9126), stored by the digest of its `request_uri`.
///
/// The same table keeps the form of a page that continues after a visit to another site.
package struct PushedRequest: Sendable, Hashable {
    /// The time within which a browser must bring the `request_uri`.
    package static let lifetime: TimeInterval = 90
    /// The time from then on that a user has for the pages.
    package static let memory: TimeInterval = 3600
    /// The greatest size of the content in bytes.
    package static let longestContent = 16 << 10

    /// The SHA-256 digest of the `request_uri`, or of the identifier of the form.
    package let digest: [UInt8]
    /// The client; `Device.pagesClientID` for the form of a page.
    package let clientID: String
    /// The request, encrypted: it has state and hints of other parties.
    package let content: String
    package let validUntil: Date

    package init(digest: [UInt8], clientID: String, content: String, validUntil: Date) {
        self.digest = digest
        self.clientID = clientID
        self.content = content
        self.validUntil = validUntil
    }
}

extension PushedRequest: Redacting {
    package var description: String { "PushedRequest(\(clientID))" }
}
