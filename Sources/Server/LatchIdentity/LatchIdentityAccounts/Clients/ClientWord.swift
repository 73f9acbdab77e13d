// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchIdentityStorage

extension OAuthClient {
    /// The reason why a configuration's word cannot be used.
    ///
    /// It quotes only names, since a value may be a misplaced secret.
    package struct WordError: Error {
        /// A sentence without its full stop.
        package let reason: String
    }

    /// Parses the word of a configuration; nil if it is malformed.
    package init?(word: String) {
        do throws(WordError) { try self.init(parsing: word) } catch { return nil }
    }

    /// Creates a client with nothing but an id, which must be a valid one.
    private init(checkedID id: String) throws(WordError) {
        guard Self.isID(id) else {
            throw WordError(reason: "an id has 1 to 100 characters: letters, digits, '-', '.' or '_'")
        }
        guard id != Self.firstPartyID else { throw WordError(reason: "the id '\(id)' is reserved") }
        self.init(id: id)
    }

    /// Parses the word of a configuration.
    package init(parsing word: String) throws(WordError) {
        let parts = word.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
        try self.init(checkedID: parts.first ?? "")
        for part in parts.dropFirst() {
            do throws(WordError) { try apply(part) } catch {
                throw WordError(reason: "the client '\(id)' \(error.reason)")
            }
        }
    }

    /// Takes one part of a word, such as `trusted` or `grants=password`.
    private mutating func apply(_ part: String) throws(WordError) {
        let pair = part.unicodeScalars.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { String($0) }
        let list = pair.count == 2 ? pair[1].unicodeScalars.split(separator: ",").map { String($0) } : []
        let name = pair[0]
        switch (name, pair.count) {
        case ("confidential", 1): isConfidential = true
        case ("trusted", 1): isTrusted = true
        case ("grants", 2): grants = try Self.grants(list)
        case ("redirects", 2): redirectURIs = try Self.redirects(list, name)
        case ("logout", 2): postLogoutRedirectURIs = try Self.redirects(list, name)
        case ("scopes", 2): scopes = try Self.scopes(list)
        case ("confidential", _), ("trusted", _): throw WordError(reason: "has a value for '\(name)', which takes none")
        case ("grants", _), ("redirects", _), ("logout", _), ("scopes", _):
            throw WordError(reason: "has no value for '\(name)', such as \(name)=…")
        default:
            let known = "confidential, trusted, grants, scopes, redirects and logout"
            // A part without a value may be a misplaced secret.
            let quoted =
                pair.count == 2 && name.isWord(maximum: 20, also: "_-")
                ? "the unknown part '\(name)'" : "an unknown part"
            throw WordError(reason: "has \(quoted); known are \(known)")
        }
    }

    private static func grants(_ list: [String]) throws(WordError) -> Set<GrantType> {
        for name in list where GrantType(rawValue: name) == nil {
            let quoted = name.isWord(maximum: 60, also: "_-:") ? "the unknown grant '\(name)'" : "an unknown grant"
            let known = GrantType.supported.map(\.rawValue).joined(separator: ", ")
            throw WordError(reason: "has \(quoted); known are \(known)")
        }
        let grants = Set(list.compactMap(GrantType.init))
        guard grants.count == list.count else { throw WordError(reason: "names a grant twice") }
        return grants
    }

    private static func scopes(_ list: [String]) throws(WordError) -> Scopes {
        let scopes = Scopes(list.compactMap(Scope.init))
        guard scopes.count == list.count else {
            throw WordError(reason: "names a scope twice, or an invalid scope")
        }
        return scopes
    }

    private static func redirects(_ list: [String], _ name: String) throws(WordError) -> [String] {
        guard !list.isEmpty else { throw WordError(reason: "has no URL in '\(name)'") }
        if let index = list.firstIndex(where: { !AppRedirect.isValid($0) }) {
            throw WordError(
                reason: "has a URL in '\(name)' that is not allowed, number \(index + 1) of \(list.count): it must be "
                    + "https, a custom scheme of the app, or http on this machine, without a fragment")
        }
        guard Set(list).count == list.count else { throw WordError(reason: "names a URL twice in '\(name)'") }
        return list
    }
}

extension OAuthClient {
    /// The form as tables of a file.
    package static let tables: SettingTables<[OAuthClient]> = .list(
        known: ["id", "confidential", "trusted", "grants", "scopes", "redirects", "logout"], key: "id",
        id: \.id,
        parse: { table throws(SettingTable.MemberError) in try OAuthClient(table) }, table: { $0.table })

    /// Parses a table of a file.
    private init(_ table: SettingTable) throws(SettingTable.MemberError) {
        let id = try table.requiredText("id")
        let (confidential, trusted) = (try table.flag("confidential"), try table.flag("trusted"))
        let (grants, scopes) = (try table.list("grants"), try table.list("scopes"))
        let (redirects, logout) = (try table.list("redirects"), try table.list("logout"))
        do throws(WordError) { try self.init(checkedID: id) } catch { throw SettingTable.MemberError(error.reason) }
        (isConfidential, isTrusted) = (confidential, trusted)
        do throws(WordError) {
            if let grants { self.grants = try Self.grants(grants) }
            if let scopes { self.scopes = try Self.scopes(scopes) }
            if let redirects { redirectURIs = try Self.redirects(redirects, "redirects") }
            if let logout { postLogoutRedirectURIs = try Self.redirects(logout, "logout") }
        } catch {
            throw SettingTable.MemberError("the client '\(id)' \(error.reason)")
        }
    }

    /// The table that `init(_:)` parses.
    private var table: JSONObject {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
        var table: JSONObject = ["id": .string(id)]
        if isConfidential { table["confidential"] = true }
        if isTrusted { table["trusted"] = true }
        table["grants"] = list(grants.map(\.rawValue).sorted())
        if let scopes { table["scopes"] = list(scopes.elements.map(\.rawValue)) }
        if !redirectURIs.isEmpty { table["redirects"] = list(redirectURIs) }
        if !postLogoutRedirectURIs.isEmpty { table["logout"] = list(postLogoutRedirectURIs) }
        return table
    }
}
