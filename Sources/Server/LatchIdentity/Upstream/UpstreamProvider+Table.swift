// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore

extension UpstreamProvider {
    /// The members that are texts, without the name.
    private static let texts = ["kind", "client_id", "issuer", "tenant", "team_id", "key_id", "secret_file"]
    /// The members that are lists.
    private static let lists = ["tenants", "email_domains", "app_ids", "scopes"]

    /// The form as tables of a file.
    static let tables: SettingTables<[UpstreamProvider]> = .list(
        known: ["name"] + texts + lists, key: "name", id: \.name,
        parse: { table throws(SettingTable.MemberError) in try UpstreamProvider(table) }, table: { $0.table })

    /// Parses a table of a file.
    private init(_ table: SettingTable) throws(SettingTable.MemberError) {
        let name = try table.requiredText("name")
        guard Self.isName(name) else {
            throw SettingTable.MemberError(
                "'name' has 1 to 40 of the letters a to z, digits and '-', and is not that of a route")
        }
        self.init(name: name, kind: Kind(rawValue: name) ?? .openID, clientID: try table.requiredText("client_id"))
        for member in Self.texts {
            guard let text = try table.text(member) else { continue }
            guard !text.isEmpty, set(member, text, []) else { throw Self.unusable(member, of: name) }
        }
        for member in Self.lists {
            guard let list = try table.list(member) else { continue }
            // Without scopes none are requested, in place of those of the kind.
            guard !list.isEmpty || member == "scopes", set(member, "", list) else {
                throw Self.unusable(member, of: name)
            }
        }
    }

    private static func unusable(_ member: String, of name: String) -> SettingTable.MemberError {
        let known = member == "kind" ? "; known are \(Kind.allCases.map(\.rawValue).joined(separator: ", "))" : ""
        return SettingTable.MemberError("the provider '\(name)' has a value in '\(member)' that cannot be used\(known)")
    }

    /// The table that `init(_:)` parses.
    private var table: JSONObject {
        var table: JSONObject = ["name": .string(name)]
        let isKnown = kind == Kind(rawValue: name) ?? .openID
        let texts = [
            ("kind", isKnown ? nil : kind.rawValue), ("client_id", clientID), ("issuer", issuer), ("tenant", tenant),
            ("team_id", teamID), ("key_id", keyID), ("secret_file", secretFile),
        ]
        for (member, text) in texts { table[member] = text.map { .string($0) } }
        let lists =
            [("tenants", tenants), ("email_domains", emailDomains), ("app_ids", appIDs)]
            .filter { !$0.1.isEmpty } + (scopes.map { [("scopes", $0.elements.map(\.rawValue))] } ?? [])
        for (member, list) in lists { table[member] = .array(list.map { .string($0) }) }
        return table
    }
}
