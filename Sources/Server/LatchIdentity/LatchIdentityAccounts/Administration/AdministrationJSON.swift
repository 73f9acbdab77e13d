// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage
package import LatchJOSE

extension FullAccount {
    /// The account as administrators see it.
    package var administrationJSON: JSONObject {
        var json: JSONObject = [
            "id": .string(account.id), "email": .optional(account.email?.text), "role": .string(account.role.name),
            "roles": .array(account.roles.map { .string($0) }), "status": .string(status.rawValue),
            "email_verified": .bool(account.emailVerifiedAt != nil), "created_at": .date(account.createdAt),
            "last_login_at": .date(lastLoginAt),
        ]
        let name = details.shownName.isEmpty ? account.name : details.shownName
        json["username"] = account.username.map { .string($0.text) }
        json["name"] = name.map { .string($0) }
        if account.isGuest { json["is_guest"] = true }
        json["phone"] = account.phone.map { .string($0.text) }
        json["phone_verified"] = account.phone.map { _ in .bool(account.phoneVerifiedAt != nil) }
        json["foreign_id"] = account.foreignID.map { .string($0) }
        json["accepted_terms"] = account.acceptedTerms.map { .string($0.version) }
        if !account.attributes.isEmpty { json["attributes"] = .object(JSONObject(sorting: account.attributes)) }
        return json
    }
}

extension Device {
    /// The device as administrators see it, without its secrets.
    package var administrationJSON: JSONValue {
        [
            "id": .string(publicID), "name": .optional(name), "user_agent": .optional(userAgent),
            "address": .optional(address),
            "client_id": .optional(clientID), "created_at": .date(createdAt), "last_used_at": .date(lastUsedAt),
            "expires_at": .date(expiresAt),
        ]
    }
}

extension Passkey {
    /// The passkey as administrators see it.
    package var administrationJSON: JSONValue {
        [
            "id": .string(publicID), "name": .string(name), "created_at": .date(createdAt),
            "last_used_at": .date(lastUsedAt),
        ]
    }
}

extension UpstreamLink {
    /// The link as administrators see it.
    package var administrationJSON: JSONValue {
        [
            "provider": .string(identity.provider), "issuer": .string(identity.issuer),
            "subject": .string(identity.subject), "email": .optional(identity.email?.text),
            "linked_at": .date(linkedAt),
        ]
    }
}

extension APIKey {
    /// The key as administrators see it, without its text, of which the store has only the digest.
    package var administrationJSON: JSONObject {
        [
            "id": .string(id), "name": .string(name), "account_id": .string(accountID),
            "scopes": .array(
                scope.utf8.split(separator: UInt8(ascii: " ")).map { .string(String(Substring($0))) }),
            "created_at": .date(createdAt), "expires_at": .date(expiresAt), "last_used_at": .date(lastUsedAt),
        ]
    }

    /// Returns the members of ``administrationJSON`` and the key itself, which is shown once.
    package func administrationJSON(text: String) -> JSONObject {
        var json = administrationJSON
        json["api_key"] = .string(text)
        return json
    }
}

extension AuditRecord {
    /// The entry as administrators see it.
    package var administrationJSON: JSONValue {
        [
            "id": .integer(id), "at": .date(at), "event": .string(event), "account_id": .optional(accountID),
            "detail": .optional(detail),
        ]
    }
}

extension SigningKeyDescription {
    /// The key as administrators see it, without its private part.
    ///
    /// - Parameter algorithm: The algorithm of access tokens.
    package func administrationJSON(signingAccessTokensWith algorithm: SignatureAlgorithm) -> JSONValue {
        [
            "id": .string(id), "alg": .string(self.algorithm.rawValue), "state": .string(state.rawValue),
            "signs_access_tokens": .bool(state == .signing && self.algorithm == algorithm),
            "created_at": .date(createdAt), "signs_at": .date(signsAt), "ends_at": .date(endsAt),
            "public_key": .string(pem),
        ]
    }
}

extension WaitingMail {
    /// The email as administrators see it, without its content.
    package var administrationJSON: JSONValue {
        [
            "purpose": .string(purpose), "recipient": .string(recipient), "created_at": .date(createdAt),
            "next_attempt_at": .date(nextAttemptAt), "attempts": .integer(Int64(attempts)),
        ]
    }
}

extension JSONValue {
    /// Returns a date in ISO 8601; null for none.
    package static func date(_ date: Date?) -> JSONValue { .optional(date?.formatted(.iso8601)) }
}
