// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchIdentityStorage

/// The forms of attributes in a configuration: words and tables.
extension AccountAttribute {
    /// The members besides the name, as a word or a table has them.
    private struct Members {
        var texts: [String: String] = [:]
        var values: [String]?
        var maximum: Int?
    }

    private static let textNames = ["type", "read", "write", "scope", "claim"]
    private static let names = ["type", "values", "maximum", "read", "write", "scope", "claim"]

    /// The claims that are not attributes.
    ///
    /// Those of tokens and of OpenID Connect Core §5.1 have meanings that clients rely on. Clients derive rights from the
    /// last ones (RFC 9068 §2.2.3.1), which a user must not choose.
    static let reservedClaims = ClientField.reservedClaims
        .union(AccessTokenIssuer.claimsOfIDTokens).union(UserClaims.names).union([
            "address", "birthdate", "gender", "middle_name", "profile",
            "website", "may_act", "s_hash", "sub_jwk", "_claim_names", "_claim_sources", "authorization_details",
            "active", "appid", "ath", "attributes", "azpacr", "cid", "entitlements", "groups", "id", "permissions",
            "role", "roles", "scp", "token_type", "token_use", "typ", "unique_name", "username",
        ])

    /// Creates an attribute of a configuration.
    private init(checking name: String, _ members: Members) throws(OAuthClient.WordError) {
        guard Self.isName(name) else {
            throw OAuthClient.WordError(
                reason: "a name must be a letter, then up to 63 letters, digits and _, and not a member of accounts")
        }
        self.init(name)
        type = try Self.choice("type", members) ?? type
        reader = try Self.choice("read", members) ?? reader
        writer = try Self.choice("write", members) ?? writer
        try setSize(members)
        guard reader == .user || writer != .user else {
            throw Self.problem(name, "has 'write' of users, who must also read it")
        }
        guard let text = members.texts["scope"] else {
            guard members.texts["claim"] == nil else { throw Self.problem(name, "has a 'claim' without a 'scope'") }
            return
        }
        guard reader == .user else {
            throw Self.problem(name, "has a 'scope', although only administrators read it")
        }
        // The texts of the other scopes on the consent page say what they give.
        guard let scope = Scope(rawValue: text), text.isWord(maximum: 100, also: "_-:/."), scope.level != "admin",
            !ScopePolicy.openID.contains(scope)
        else {
            throw Self.problem(
                name, "needs a 'scope' such as work, other than \(ScopePolicy.openID.text) and those of administrators")
        }
        self.scope = scope
        claim = members.texts["claim"]
        let shown = claim ?? name
        guard shown.isWord(maximum: 100, also: "_-:/."), shown.utf8.first?.isASCIIAlphanumeric == true,
            !Self.reservedClaims.contains(shown)
        else { throw Self.problem(name, "needs another 'claim': its name is reserved, or not one of a claim") }
    }

    private static func problem(_ name: String, _ reason: String) -> OAuthClient.WordError {
        OAuthClient.WordError(reason: "the attribute '\(name)' \(reason)")
    }

    private mutating func setSize(_ members: Members) throws(OAuthClient.WordError) {
        if let values = members.values {
            guard type == .text || type == .textList, (1...100).contains(values.count),
                Set(values).count == values.count,
                values.allSatisfy({ (1...200).contains($0.unicodeScalars.count) && $0.isPlain })
            else { throw Self.problem(name, "needs 1 to 100 different 'values' of type text, each on one line") }
            self.values = values
        }
        guard let maximum = members.maximum else { return }
        guard type != .number && type != .boolean, (1...Self.greatestMaximum).contains(maximum) else {
            throw Self.problem(name, "needs a 'maximum' from 1 to \(Self.greatestMaximum) of text or JSON")
        }
        self.maximum = maximum
    }

    /// Returns the value of a member that is one of some words; nil if it is missing.
    private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ member: String, _ members: Members
    ) throws(OAuthClient.WordError) -> Choice? {
        guard let text = members.texts[member] else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw OAuthClient.WordError(
                reason: "'\(member)' must be one of \(Choice.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return choice
    }

    /// Parses the word of a configuration.
    package init(parsing word: String) throws(OAuthClient.WordError) {
        let parts = word.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
        var (members, read): (Members, Set<String>) = (Members(), [])
        for part in parts.dropFirst() {
            let pair = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(Substring(pair[0]))
            guard pair.count == 2, Self.names.contains(name), read.insert(name).inserted else {
                throw OAuthClient.WordError(
                    reason: "a part is not known; only \(Self.names.joined(separator: ", ")) are, each once with =")
            }
            let text = String(Substring(pair[1]))
            switch name {
            case "values":
                members.values = pair[1].split(separator: UInt8(ascii: ",")).map {
                    String(decoding: PercentEncoding.decode($0, plusIsSpace: false), as: UTF8.self)
                }
            case "maximum":
                guard let number = Int(text) else { throw OAuthClient.WordError(reason: "a 'maximum' is not a number") }
                members.maximum = number
            default: members.texts[name] = text
            }
        }
        try self.init(checking: parts.first ?? "", members)
    }

    /// The members besides the name that differ from those of a new attribute.
    private var members: Members {
        let new = AccountAttribute(name)
        var members = Members()
        if type != new.type { members.texts["type"] = type.rawValue }
        if reader != new.reader { members.texts["read"] = reader.rawValue }
        if writer != new.writer { members.texts["write"] = writer.rawValue }
        members.texts["scope"] = scope?.rawValue
        members.texts["claim"] = claim
        if !values.isEmpty { members.values = values }
        if maximum != new.maximum { members.maximum = maximum }
        return members
    }

    /// The word that `init(parsing:)` parses.
    package var word: String {
        let members = members
        return Self.names.reduce(into: name) { word, name in
            switch name {
            case "values":
                guard let values = members.values else { return }
                word += ";values=" + values.map { PercentEncoding.encode($0.utf8) }.joined(separator: ",")
            case "maximum": if let maximum = members.maximum { word += ";maximum=\(maximum)" }
            default: if let text = members.texts[name] { word += ";\(name)=\(text)" }
            }
        }
    }

    /// The form as tables of a file.
    package static let tables: SettingTables<[AccountAttribute]> = .list(
        known: ["name"] + names, key: "name", id: { $0.name },
        parse: { table throws(SettingTable.MemberError) in
            var members = Members()
            for name in textNames { members.texts[name] = try table.text(name) }
            members.values = try table.list("values")
            members.maximum = try table.number("maximum")
            let name = try table.requiredText("name")
            do throws(OAuthClient.WordError) { return try AccountAttribute(checking: name, members) } catch {
                throw SettingTable.MemberError(error.reason)
            }
        },
        table: { attribute in
            let members = attribute.members
            var table: JSONObject = ["name": .string(attribute.name)]
            for name in names { table[name] = members.texts[name].map { .string($0) } }
            table["values"] = members.values.map { .array($0.map { .string($0) }) }
            table["maximum"] = members.maximum.map { .integer(Int64($0)) }
            return table
        })
}
