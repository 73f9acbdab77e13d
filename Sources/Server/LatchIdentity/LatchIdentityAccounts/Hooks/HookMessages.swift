// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// The messages to hooks as JSON: the member `data` of a request.

extension IdentityHooks.SignUpAttempt {
    var json: JSONObject {
        [
            "way": .string(way.rawValue), "email": .string(email), "email_verified": .bool(isEmailVerified),
            "name": .optional(name), "username": .optional(username), "provider": .optional(provider),
            "attributes": .object(JSONObject(sorting: attributes)), "address": .optional(address),
            "user_agent": .optional(userAgent), "language": .optional(language),
        ]
    }
}

extension IdentityHooks.User {
    package init(_ account: Account) {
        self.init(
            id: account.id, email: account.email?.text, isEmailVerified: account.emailVerifiedAt != nil,
            name: account.name, username: account.username?.text, roles: account.roles,
            permissions: account.permissions, attributes: account.attributes,
            createdAt: account.createdAt)
    }

    var json: JSONObject {
        [
            "id": .string(id), "email": .optional(email), "email_verified": .bool(isEmailVerified),
            "name": .optional(name), "username": .optional(username), "roles": .strings(roles),
            "permissions": .strings(permissions), "attributes": .object(JSONObject(sorting: attributes)),
            "created_at": .date(createdAt),
        ]
    }
}

extension IdentityHooks.TokenRequest {
    var json: JSONObject {
        [
            "user": user.map { .object($0.json) } ?? .null, "client_id": .string(clientID), "scopes": .strings(scopes),
            "audience": .optional(audience), "grant": .string(grant),
        ]
    }
}

extension IdentityHooks.HookMail {
    init(_ message: MailMessage, for purpose: OutboxMail.Purpose) {
        self.init(
            id: message.id, purpose: purpose.rawValue, recipient: message.recipient, subject: message.subject,
            text: message.text, html: message.html, language: message.language)
    }

    var json: JSONObject {
        [
            "id": .string(id), "purpose": .string(purpose), "to": .string(recipient), "subject": .string(subject),
            "text": .string(text), "html": .optional(html), "language": .optional(language),
        ]
    }
}

extension IdentityHooks.TextMessage {
    package init(verifying phone: PhoneNumber, code: String, text: String, language: String) {
        self.init(purpose: "verifyPhone", recipient: phone.text, code: code, text: text, language: language)
    }

    var json: JSONObject {
        [
            "purpose": .string(purpose), "to": .string(recipient), "code": .string(code), "text": .string(text),
            "language": .string(language),
        ]
    }
}

extension IdentityHooks.PasswordQuestion {
    var json: JSONObject {
        ["login": .string(login), "password": .string(password), "address": .optional(address)]
    }
}

extension JSONValue {
    /// Returns a text; null for none.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
