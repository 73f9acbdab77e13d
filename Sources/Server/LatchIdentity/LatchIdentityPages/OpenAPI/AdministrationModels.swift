// SPDX-License-Identifier: Apache-2.0

import LatchIdentityAccounts
import LatchIdentityStorage

/// The objects of the administration's routes.
extension JSONSchema.Model {
    static let user = JSONSchema.Model(
        name: "User",
        members: [
            .required("id", .text()), .required("email", .optional(.text()), "Null for a guest."),
            .optional("is_guest", .flag, "Whether the account has nothing to sign in with yet."),
            .optional("username", .text()),
            .optional("name", .text()), .required("role", .choice(Role.allCases.map(\.name))),
            .required("roles", .words), .required("status", .choice(AccountStatus.allCases.map(\.rawValue))),
            .required("email_verified", .flag), .required("created_at", .date),
            .required("last_login_at", .optional(.date)), .optional("accepted_terms", .text()),
            .optional("phone", .text()), .optional("phone_verified", .flag),
            .optional("foreign_id", .text(), "The identifier in the system that the account was imported from."),
            .optional("attributes", .map(.any)),
        ])

    static let userDetails = JSONSchema.Model(
        name: "UserDetails",
        members: user.members + [
            .required("has_password", .flag), .required("second_factor", .flag),
            .required("passkeys", .list(.model(.userPasskey))), .required("links", .list(.model(.userLink))),
            .required("devices", .list(.model(.userDevice))),
            .optional("unknown_attributes", .words, "The attributes that the settings no longer name."),
        ])

    private static let userPasskey = JSONSchema.Model(
        name: "UserPasskey",
        members: [
            .required("id", .text()), .required("name", .text()), .required("created_at", .date),
            .required("last_used_at", .optional(.date)),
        ])

    private static let userLink = JSONSchema.Model(
        name: "UserLink",
        members: [
            .required("provider", .text()), .required("issuer", .text()), .required("subject", .text()),
            .required("email", .optional(.text())), .required("linked_at", .date),
        ])

    private static let userDevice = JSONSchema.Model(
        name: "UserDevice",
        members: [
            .required("id", .text()), .required("name", .optional(.text())),
            .required("user_agent", .optional(.text())), .required("address", .optional(.text())),
            .required("client_id", .optional(.text())), .required("created_at", .date),
            .required("last_used_at", .date), .required("expires_at", .date),
        ])

    static let importReport = JSONSchema.Model(
        name: "ImportReport",
        members: [
            .required("imported", .integer()),
            .required("known", .integer(), "The number of records whose 'foreign_id' an account has."),
            .required("refused", .list(.model(.importRefusal))),
        ])

    private static let importRefusal = JSONSchema.Model(
        name: "ImportRefusal",
        members: [
            .required("record", .integer(), "The number of the record, from 1."), .required("code", .text()),
            .required("message", .text()), .optional("hint", .text()), .optional("field", .text()),
        ])

    static let auditEntry = JSONSchema.Model(
        name: "AuditEntry",
        members: [
            .required("id", .integer()), .required("at", .date), .required("event", .text()),
            .required("account_id", .optional(.text())), .required("detail", .optional(.text())),
        ])

    static let waitingMail = JSONSchema.Model(
        name: "WaitingMail",
        members: [
            .required("purpose", .text()), .required("recipient", .text()), .required("created_at", .date),
            .required("next_attempt_at", .date), .required("attempts", .integer()),
        ])

    static let hook = JSONSchema.Model(
        name: "Hook",
        members: [
            .required("name", .text()), .required("on", .choice(Hook.Point.allCases.map(\.rawValue))),
            .required("url", .optional(.url), "Without its query; null for code."),
            .required("if_down", .optional(.choice(Hook.Fallback.allCases.map(\.rawValue)))),
            .required("waiting", .optional(.integer()), "The events that wait; null for other points."),
            .required("oldest", .optional(.date), "The time from which the oldest one waits."),
        ])

    static let signingKey = JSONSchema.Model(
        name: "SigningKey",
        members: [
            .required("id", .text()), .required("alg", .text()),
            .required("state", .choice(["published", "signing", "verifying"])),
            .required("signs_access_tokens", .flag, "Whether it is the key that signs access tokens now."),
            .required("created_at", .date), .required("signs_at", .date), .required("ends_at", .optional(.date)),
            .required("public_key", .text(), "In PEM (RFC 7468 §13)."),
        ])

    static let provider = JSONSchema.Model(
        name: "Provider",
        members: [
            .required("name", .text()), .required("display_name", .text()), .required("callback_url", .url),
        ])

    static let setting = JSONSchema.Model(
        name: "Setting",
        members: [
            .required("key", .text()), .required("value", .text()), .required("source", .text()),
            .required("is_default", .flag),
        ])

    static let warning = JSONSchema.Model(
        name: "Warning", members: [.required("message", .text()), .required("hint", .text())])

    static let apiKey = JSONSchema.Model(
        name: "APIKey",
        members: [
            .required("id", .text()), .required("name", .text()), .required("account_id", .text()),
            .required("scopes", .words), .required("created_at", .date), .required("expires_at", .date),
            .required("last_used_at", .optional(.date)),
        ])
}

extension JSONSchema {
    /// Returns the form of a page of a list.
    static func page(_ name: String, of element: Model, adding members: [Member] = []) -> JSONSchema {
        .model(
            Model(
                name: "\(element.name)Page",
                members: [.required(name, .list(.model(element)))] + members + [
                    .required("next", .optional(.text()), "The 'after' of the next page; null on the last one.")
                ]))
    }
}

extension [JSONSchema.Member] {
    /// The parameters of a list that select a page.
    static let range = [
        JSONSchema.Member.optional("limit", .integer(ListRange.limits), "50 by default."),
        .optional("after", .text(), "The 'next' of the page before."),
    ]
}
