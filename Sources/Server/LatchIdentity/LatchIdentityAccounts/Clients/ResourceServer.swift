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

    /// Creates a resource server.
    public init(_ resource: String, scopes: Scopes = []) {
        self.resource = resource
        self.scopes = scopes
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
    private init(checking resource: String, scopes names: [String]?) throws(OAuthClient.WordError) {
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
        self.init(resource, scopes: Scopes(scopes))
    }

    /// Parses the word of a configuration.
    package init(parsing word: String) throws(OAuthClient.WordError) {
        let parts = word.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
        var scopes: [String]?
        for part in parts.dropFirst() {
            guard part.utf8.starts(with: "scopes=".utf8), scopes == nil else {
                throw OAuthClient.WordError(reason: "a part is not known; only scopes=… is, once")
            }
            scopes = part.utf8.dropFirst("scopes=".utf8.count).split(separator: UInt8(ascii: ",")).map {
                String(Substring($0))
            }
        }
        try self.init(checking: parts.first ?? "", scopes: scopes)
    }

    /// The word that `init(parsing:)` parses.
    package var word: String {
        resource + (scopes.isEmpty ? "" : ";scopes=" + scopes.elements.map(\.rawValue).joined(separator: ","))
    }

    /// The form as tables of a file.
    package static let tables: SettingTables<[ResourceServer]> = .list(
        known: ["resource", "scopes"], key: "resource", id: { key($0.resource) ?? $0.resource },
        parse: { table throws(SettingTable.MemberError) in
            let (resource, scopes) = (try table.requiredText("resource"), try table.list("scopes"))
            do throws(OAuthClient.WordError) {
                return try ResourceServer(checking: resource, scopes: scopes)
            } catch {
                throw SettingTable.MemberError(error.reason)
            }
        },
        table: { server in
            var table: JSONObject = ["resource": .string(server.resource)]
            if !server.scopes.isEmpty {
                table["scopes"] = .array(server.scopes.elements.map { .string($0.rawValue) })
            }
            return table
        })
}
