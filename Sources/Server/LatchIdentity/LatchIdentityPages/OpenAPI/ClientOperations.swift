// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import LatchIdentityAccounts
import LatchIdentityProvider
import LatchIdentityStorage

/// The operations of administrators and their programs on the clients of the store.
extension APIOperation {
    static let listClients = administration(
        "listClients", "Returns the clients of the store, by their IDs.", for: .readClients, query: .range,
        returns: .json(.page("clients", of: .client)))

    static let createClient = administration(
        "createClient", "Registers a client; its secret is shown once.", for: .writeClients,
        takes: .members(JSONSchema.Model.clientFields),
        returns: .created(.model(.client)), refuses: [.clientExists])

    static let getClient = administration(
        "getClient", "Returns a client.", for: .readClients,
        returns: .json(.model(.client)), refuses: [.noSuchClient])

    static let updateClient = administration(
        "updateClient", "Replaces all members of a client.", for: .writeClients,
        takes: .members(JSONSchema.Model.clientFields.filter { $0.name != "id" }), returns: .json(.model(.client)),
        refuses: [.noSuchClient, .clientChanged])

    static let deleteClient = administration(
        "deleteClient", "Removes a client, its consents and its sessions.", for: .writeClients, refuses: [.noSuchClient]
    )

    static let rotateClientSecret = administration(
        "rotateClientSecret", "Makes another secret, which is shown once.", for: .writeClients,
        takes: .json(
            .optional(
                "overlap", .integer(0...31_536_000),
                "For how many seconds the one before stays valid; a day by default."),
            isRequired: false), returns: .json(.model(.client)),
        refuses: [.noSuchClient, .secretRefused("it is public"), .clientChanged])

    static let replaceRegistrationToken = administration(
        "replaceRegistrationToken", "Makes another registration access token of a client that registered itself.",
        for: .writeClients,
        returns: .json(.object([.required("registration_access_token", .text())])),
        refuses: [.noSuchClient, .notSelfRegistered, .clientChanged])

    static let listInitialTokens = administration(
        "listInitialTokens", "Returns the tokens with which clients may register themselves.", for: .readClients,
        returns: .json(.object([.required("initial_tokens", .list(.model(.initialToken)))])))

    static let createInitialToken = administration(
        "createInitialToken", "Makes a token with which clients may register themselves; it is shown once.",
        for: .writeClients,
        takes: .json(
            .optional("uses", .integer(InitialToken.uses)), .optional("lifetime", .integer(InitialToken.lifetimes)),
            isRequired: false),
        returns: .created(
            .object(JSONSchema.Model.initialToken.members + [.required("initial_access_token", .text())])))

    static let deleteInitialToken = administration(
        "deleteInitialToken", "Ends an initial token; clients that have registered with it stay.", for: .writeClients,
        refuses: [.noSuchInitialToken])
}

extension JSONSchema.Model {
    /// The members that an administrator sets, from the one list of them.
    static let clientFields: [JSONSchema.Member] =
        [.required("id", .text(), "The client_id.")]
        + OAuthClient.memberKinds.map { name, kind in .optional(name, JSONSchema(kind)) }

    static let client = JSONSchema.Model(
        name: "Client",
        members: clientFields + [
            .required("registered_itself", .flag), .optional("operator_members", .words),
            .required("created_at", .date), .required("updated_at", .date), .optional("expires_at", .date),
            .required(
                "secrets",
                .list(.object([.required("created_at", .date), .required("ends_at", .optional(.date))]))),
            .optional("problem", .text(), "Why the row cannot be read."),
            .optional("client_secret", .text(), "The secret that was made, which is shown once."),
        ])

    static let initialToken = JSONSchema.Model(
        name: "InitialToken",
        members: [
            .required("id", .text()), .required("uses", .integer()), .required("created_at", .date),
            .required("expires_at", .date),
        ])
}

extension JSONSchema {
    fileprivate init(_ kind: OAuthClient.MemberKind) {
        self =
            switch kind {
            case .flag: .flag
            case .list: .words
            case .number: .integer()
            case .text: .text()
            }
    }
}
