// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchFoundation

/// The signing keys and secrets of a store.
package struct StoredKeys: Sendable, Hashable {
    package var signing: [StoredKey]
    package var secrets: [StoredSecret]

    /// The IDs of the store keys that encrypt the rows; nil for each unencrypted one.
    var seals: [String?] { signing.map(\.sealedBy) + secrets.map(\.sealedBy) }
}

/// A change of the signing keys.
package struct KeyChange: Sendable {
    /// A key that is removed.
    package struct Removal: Sendable, Hashable {
        package let id: String
        /// The name of the entry in the audit log.
        package let event: String
    }

    package let inserted: [StoredKey]
    package let removed: [Removal]
    /// The list of the keys after the change.
    package let list: StoredSecret
}

/// A stored signing key; its description has only the ID.
package struct StoredKey: Sendable, Hashable, Redacting {
    /// The `kid` of signatures by this key (RFC 7515 §4.1.4).
    package let id: String
    /// The private JWK (RFC 7517), as JSON, or its encryption.
    package let privateJWK: [UInt8]
    package let createdAt: Date
    /// The time from which the key signs; before that time it is only published.
    package let signsAt: Date
    /// The ID of the store key that encrypts the JWK; nil for plain JSON.
    package let sealedBy: String?

    /// Creates a key, which signs from its creation unless another time is given.
    package init(
        id: String, privateJWK: [UInt8], createdAt: Date, signsAt: Date? = nil, sealedBy: String? = nil
    ) {
        self.id = id
        self.privateJWK = privateJWK
        self.createdAt = createdAt
        self.signsAt = signsAt ?? createdAt
        self.sealedBy = sealedBy
    }

    package var description: String { "StoredKey(\(id))" }
}

/// A stored secret; its description has only the name.
package struct StoredSecret: Sendable, Hashable, Redacting {
    package let name: String
    /// The secret, or its encryption.
    package let content: [UInt8]
    /// The ID of the store key that encrypts the content; nil for an unencrypted secret.
    package let sealedBy: String?

    /// Creates a secret.
    package init(name: String, content: [UInt8], sealedBy: String? = nil) {
        self.name = name
        self.content = content
        self.sealedBy = sealedBy
    }

    package var description: String { "StoredSecret(\(name))" }
}
