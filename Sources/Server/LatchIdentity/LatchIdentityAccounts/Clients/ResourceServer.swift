// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
import LatchIdentityStorage

/// A resource server besides the operator's API, for which clients request tokens by its URL (RFC 8707 §2).
///
/// In a configuration file it is a table. In the environment it is one word with parts that are separated by semicolons:
///
/// ```
/// [[resources]]
/// resource = "https://tools.example.com/mcp"
/// scopes = ["tools:use"]
///
/// https://tools.example.com/mcp;scopes=tools:use
/// ```
public struct ResourceServer: Sendable, Hashable {
    /// The URL that clients name as `resource`, and the `aud` of the tokens.
    public let resource: String
    /// The scopes that tokens for the resource server may have, besides those about the user; none if it has no scopes.
    public var scopes: Scopes
    /// The types of `authorization_details` that tokens for the resource server may have (RFC 9396).
    public var authorizationDetailsTypes: [String]

    /// Creates a resource server.
    public init(_ resource: String, scopes: Scopes = [], authorizationDetailsTypes: [String] = []) {
        self.resource = resource
        self.scopes = scopes
        self.authorizationDetailsTypes = authorizationDetailsTypes
    }
}

extension ResourceServer {
    /// Returns a URL in the one spelling that it is compared in.
    ///
    /// Scheme and host have no case, the default port is left out, and a missing path is `/` (RFC 3986 §6.2): libraries
    /// write the URL of one server in all these ways.
    ///
    /// Nil for a text that is not such a URL, or has a fragment (RFC 8707 §2).
    package static func key(_ text: String) -> String? {
        guard text.utf8.count <= 500, PublicURL.isLink(text), !text.utf8.contains(UInt8(ascii: "#")),
            let origin = PublicURL.origin(of: text), let start = text.utf8.firstRange(of: "://".utf8)
        else { return nil }
        let rest = text.utf8[start.upperBound...].drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        let path = String(Substring(rest))
        return origin + (path.utf8.first == UInt8(ascii: "/") ? path : "/" + path)
    }

    /// Creates a resource server of a configuration.
    private init(
        checking resource: String, scopes names: [String]?, types: [String]?
    ) throws(OAuthClient.WordError) {
        guard Self.key(resource) != nil, !resource.utf8.contains(where: { ";, ".utf8.contains($0) }) else {
            throw OAuthClient.WordError(
                reason: "'resource' must be a URL such as https://tools.example.com/mcp, without a fragment")
        }
        let scopes = (names ?? []).compactMap(Scope.init)
        guard scopes.count == names?.count ?? 0 else { throw OAuthClient.WordError(reason: "a scope is invalid") }
        guard !scopes.contains(where: ScopePolicy.openID.contains) else {
            throw OAuthClient.WordError(
                reason: "the scopes \(ScopePolicy.openID.text) are about the user and belong to no resource")
        }
        guard types?.allSatisfy(AuthorizationDetails.isType) ?? true else {
            throw OAuthClient.WordError(reason: "an authorization_details_type is invalid")
        }
        self.init(resource, scopes: Scopes(scopes), authorizationDetailsTypes: types ?? [])
    }

    /// Parses the word of a configuration.
    package init(parsing word: String) throws(OAuthClient.WordError) {
        let parts = word.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
        var lists: [String: [String]] = [:]
        for part in parts.dropFirst() {
            let pair = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(Substring(pair[0]))
            guard pair.count == 2, Self.listNames.contains(name), lists[name] == nil else {
                throw OAuthClient.WordError(
                    reason: "a part is not known; only scopes=… and authorization_details_types=… are, each once")
            }
            lists[name] = pair[1].split(separator: UInt8(ascii: ",")).map { String(Substring($0)) }
        }
        try self.init(
            checking: parts.first ?? "", scopes: lists["scopes"], types: lists["authorization_details_types"])
    }

    /// The word that `init(parsing:)` parses.
    package var word: String {
        Self.listNames.reduce(into: resource) { word, name in
            let list = list(name)
            if !list.isEmpty { word += ";\(name)=" + list.joined(separator: ",") }
        }
    }

    /// The members that are lists.
    private static let listNames = ["scopes", "authorization_details_types"]

    private func list(_ name: String) -> [String] {
        name == "scopes" ? scopes.elements.map(\.rawValue) : authorizationDetailsTypes
    }

    /// The form as tables of a file.
    package static let tables: SettingTables<[ResourceServer]> = .list(
        known: ["resource"] + listNames, key: "resource", id: { key($0.resource) ?? $0.resource },
        parse: { table throws(SettingTable.MemberError) in
            let (resource, scopes) = (try table.requiredText("resource"), try table.list("scopes"))
            let types = try table.list("authorization_details_types")
            do throws(OAuthClient.WordError) {
                return try ResourceServer(checking: resource, scopes: scopes, types: types)
            } catch {
                throw SettingTable.MemberError(error.reason)
            }
        },
        table: { server in
            var table: JSONObject = ["resource": .string(server.resource)]
            for name in listNames {
                let list = server.list(name)
                if !list.isEmpty { table[name] = .array(list.map { .string($0) }) }
            }
            return table
        })
}
