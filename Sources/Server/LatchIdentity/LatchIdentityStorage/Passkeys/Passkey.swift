// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchFoundation
import LatchJOSE
package import LatchWebAuthn

/// A passkey of an account: a WebAuthn credential that signs in without a password (WebAuthn Level 3 §4, credential
/// record).
package struct Passkey: Sendable, Hashable {
    /// The maximum number of passkeys of an account.
    package static let maximumCount = 20

    /// The identifier of the credential, up to 1023 bytes.
    package let id: [UInt8]
    package let accountID: String
    /// The domain that it was created for; nil for one from an earlier version, which did not store the domain.
    package let relyingPartyID: String?
    /// The public key in COSE.
    package let publicKey: [UInt8]
    /// The number of signatures at the last use; 0 if the authenticator does not count them.
    package var counter: UInt32
    /// Whether it may be synchronized to other devices, which never changes.
    package let isBackupEligible: Bool
    package var isBackedUp: Bool
    /// The model of the authenticator, 16 bytes.
    package let aaguid: [UInt8]
    /// The transports by which the client reaches the authenticator, separated by spaces.
    package let transports: String
    /// The name in the list of passkeys.
    package var name: String
    package let createdAt: Date
    package var lastUsedAt: Date?
    /// The user handle of a passkey that another system has created; nil for ``userHandle(of:)``.
    package var userHandle: [UInt8]?

    package init(
        id: [UInt8], accountID: String, relyingPartyID: String?, publicKey: [UInt8], counter: UInt32,
        isBackupEligible: Bool, isBackedUp: Bool, aaguid: [UInt8], transports: String, name: String, createdAt: Date,
        lastUsedAt: Date? = nil, userHandle: [UInt8]? = nil
    ) {
        self.id = id
        self.accountID = accountID
        self.relyingPartyID = relyingPartyID
        self.publicKey = publicKey
        self.counter = counter
        self.isBackupEligible = isBackupEligible
        self.isBackedUp = isBackedUp
        self.aaguid = aaguid
        self.transports = transports
        self.name = name
        self.createdAt = createdAt
        self.lastUsedAt = lastUsedAt
        self.userHandle = userHandle
    }
}

extension Passkey {
    /// Whether it signs in at a relying party.
    ///
    /// A change of the domain makes every earlier passkey useless.
    package func isUsable(at relyingPartyID: String?) -> Bool {
        guard let relyingPartyID else { return false }
        return self.relyingPartyID.map { $0.utf8.elementsEqual(relyingPartyID.utf8) } ?? true
    }

    /// The id that is shown to its owner.
    package var publicID: String { Base64URL.encode(id) }

    /// Returns the id for a public id; nil if the text is not a public id.
    package static func id(fromPublicID text: String) -> [UInt8]? {
        guard (1...1364).contains(text.utf8.count), let bytes = try? Base64URL.decode(text) else { return nil }
        return bytes
    }

    /// Returns the user handle of an account in its passkeys: the account's id.
    ///
    /// It is stable and reveals nothing about the user (WebAuthn Level 3 §14.6.1).
    package static func userHandle(of accountID: String) -> [UInt8] { Array(accountID.utf8) }

    /// The credential that verifies a response.
    package var stored: StoredCredential {
        StoredCredential(
            id: id, userHandle: userHandle ?? Self.userHandle(of: accountID), publicKey: publicKey)
    }

    /// Returns the description of the passkey for its owner, with whether it signs in at a relying party.
    package func json(at relyingPartyID: String?) -> JSONObject {
        var object: JSONObject = [
            "id": .string(publicID), "name": .string(name), "createdAt": .string(createdAt.formatted(.iso8601)),
            "isBackedUp": .bool(isBackedUp), "isSynced": .bool(isBackupEligible),
            "isUsable": .bool(isUsable(at: relyingPartyID)),
        ]
        if let lastUsedAt { object["lastUsedAt"] = .string(lastUsedAt.formatted(.iso8601)) }
        return object
    }

    /// The passkey in a list of credentials (WebAuthn Level 3 §5.8.3).
    package var descriptor: JSONValue {
        var object: JSONObject = ["type": "public-key", "id": .string(publicID)]
        let known = transports.unicodeScalars.split(separator: " ").map { JSONValue.string(String($0)) }
        if !known.isEmpty { object["transports"] = .array(known) }
        return .object(object)
    }
}

extension Passkey: Redacting {}
