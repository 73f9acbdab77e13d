// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchCore
package import LatchIdentityStorage

/// An identity provider that users may sign in through, and the registration of this server there.
///
/// In a configuration file it is a table. In the environment it is one word with parts that are separated by semicolons:
///
/// ```
/// [[upstreams]]
/// name = "staff"
/// issuer = "https://sso.example.com"
/// client_id = "latch"
/// secret_file = "/etc/latch/staff.secret"
/// email_domains = ["example.com"]
///
/// google;client_id=123.apps.googleusercontent.com;email_domains=gmail.com
/// microsoft;client_id=…;tenants=72f988bf-86f1-41af-91ab-2d7cd011db47
/// ```
///
/// The secrets are in the setting `upstream_secrets`, or each is in a file.
public struct UpstreamProvider: Sendable, Hashable {
    /// The protocol of a provider, and its deviations.
    public enum Kind: String, Sendable, CaseIterable {
        /// Any provider of OpenID Connect that publishes its metadata.
        case openID = "openid"
        case microsoft, google, apple, github, facebook
    }

    /// The last part of the path `/api/auth/…`.
    public let name: String
    /// The kind; by default the kind of the name.
    public var kind: Kind
    /// The client identifier of this server at the provider.
    public var clientID = ""
    /// The issuer of a provider that is not one of the known providers.
    public var issuer: String?
    /// The directory of Microsoft Entra: its ID or domain, or `common`, `organizations` or `consumers`.
    public var tenant: String?
    /// The tenants whose users may sign in: `tid` of Microsoft, `hd` of Google.
    ///
    /// If it is empty, all tenants are allowed.
    public var tenants: [String] = []
    /// The domains whose addresses the provider can verify.
    ///
    /// All other addresses of its users count as unverified.
    public var emailDomains: [String] = []
    /// The bundle identifiers of the apps whose own Sign in with Apple this server accepts.
    public var appIDs: [String] = []
    /// The identifier of the developer's team at Apple.
    public var teamID: String?
    /// The identifier of the key at Apple.
    public var keyID: String?
    /// The path of a file with the client secret, or with Apple's private key.
    public var secretFile: String?
    /// The requested scopes; nil for those of the kind.
    public var scopes: Scopes?

    /// Creates a provider of a kind.
    public init(name: String, kind: Kind, clientID: String) {
        (self.name, self.kind, self.clientID) = (name, kind, clientID)
    }
}

extension UpstreamProvider {
    /// The names that are already used by routes below `/api/auth/`.
    private static let reserved: Set<String> = [
        "clients", "consents", "continue", "exchange", "links", "logout", "second-factor", "refresh-token",
        "reauthenticate",
    ]

    /// Parses the word of a configuration; nil if it is malformed.
    package init?(word: String) {
        let parts = word.unicodeScalars.split(separator: ";", omittingEmptySubsequences: false).map { String($0) }
        guard let name = parts.first, Self.isName(name) else { return nil }
        self.init(name: name, kind: Kind(rawValue: name) ?? .openID, clientID: "")
        var seen: Set<String> = []
        for part in parts.dropFirst() {
            let pair = part.unicodeScalars.split(separator: "=", maxSplits: 1).map { String($0) }
            guard pair.count == 2, seen.insert(pair[0]).inserted else { return nil }
            let list = pair[1].unicodeScalars.split(separator: ",").map { String($0) }
            guard set(pair[0], pair[1], list) else { return nil }
        }
        guard !clientID.isEmpty else { return nil }
    }

    package static func isName(_ text: String) -> Bool {
        text.isWord(maximum: 40, also: "-") && text == text.lowercasedASCII() && !reserved.contains(text)
    }

    /// Sets a member to a value, or to the elements of a list; returns false where it cannot be used.
    package mutating func set(_ name: String, _ value: String, _ list: [String]) -> Bool {
        switch name {
        case "kind":
            guard let kind = Kind(rawValue: value) else { return false }
            self.kind = kind
        case "client_id": clientID = value
        case "issuer":
            guard PublicURL.isValid(value) else { return false }
            issuer = value
        case "tenant":
            guard value.isWord(maximum: 100, also: "-.") else { return false }
            tenant = value
        case "tenants":
            guard list.allSatisfy({ $0.isWord(maximum: 253, also: "-.") }) else { return false }
            tenants = list.map { $0.lowercasedASCII() }
        case "email_domains":
            guard list.allSatisfy({ $0.isWord(maximum: 253, also: "-.") }) else { return false }
            emailDomains = list.map { $0.lowercasedASCII() }
        case "app_ids":
            guard list.allSatisfy({ $0.isWord(maximum: 155, also: "-.") }) else { return false }
            appIDs = list
        case "team_id": teamID = value
        case "key_id": keyID = value
        case "secret_file": secretFile = value
        case "scopes":
            let named = Scopes(list.compactMap(Scope.init(rawValue:)))
            guard named.count == list.count else { return false }
            scopes = named
        default: return false
        }
        return true
    }

    /// The word that `init(word:)` parses.
    package var word: String {
        let parts: [(String, String?)] = [
            ("kind", kind.rawValue), ("client_id", clientID), ("issuer", issuer), ("tenant", tenant),
            ("tenants", tenants.isEmpty ? nil : tenants.joined(separator: ",")),
            ("email_domains", emailDomains.isEmpty ? nil : emailDomains.joined(separator: ",")),
            ("app_ids", appIDs.isEmpty ? nil : appIDs.joined(separator: ",")), ("team_id", teamID),
            ("key_id", keyID), ("secret_file", secretFile),
            ("scopes", scopes.map { $0.elements.map(\.rawValue).joined(separator: ",") }),
        ]
        return ([name] + parts.compactMap { name, value in value.map { "\(name)=\($0)" } }).joined(separator: ";")
    }

    /// The name that is shown to users.
    package var displayName: String {
        switch kind {
        case .microsoft: "Microsoft"
        case .google: "Google"
        case .apple: "Apple"
        case .github: "GitHub"
        case .facebook: "Facebook"
        case .openID: name
        }
    }

    /// The prompts for which the provider always shows a page.
    ///
    /// They are the prompt that the specification's conformance tests require, and those that a known provider
    /// documents.
    package var interactivePrompts: Set<StepUpRequirement.Prompt> {
        switch kind {
        case .openID: [.login]
        case .microsoft: [.login, .consent, .accountSelection]
        case .google: [.consent, .accountSelection]
        case .github: [.accountSelection]
        case .apple, .facebook: []
        }
    }

    /// The prompts that make a provider authenticate the user again, if it supports one.
    package var authenticationPrompts: [StepUpRequirement.Prompt] {
        [.login, .accountSelection].first { interactivePrompts.contains($0) }.map { [$0] } ?? []
    }

    /// Whether the provider posts its response from its own page.
    ///
    /// Browsers then send no cookie with SameSite=Lax.
    package var postsResponses: Bool { kind == .apple }

    /// Whether an address that the provider has verified counts as verified here.
    package func decides(about email: EmailAddress) -> Bool {
        guard let at = email.key.utf8.lastIndex(of: UInt8(ascii: "@")) else { return false }
        let domain = email.key[email.key.utf8.index(after: at)...]
        return emailDomains.contains { $0.utf8.elementsEqual(domain.utf8) }
    }

    /// Returns a description of the missing or invalid part of the configuration; nil if there is none.
    package var flaw: String? {
        switch kind {
        case .openID where issuer == nil: "an issuer for '\(name)', which is not one of the known providers"
        case .apple where teamID == nil || keyID == nil: "a team_id and a key_id for '\(name)'"
        case .microsoft, .google, .apple, .github, .facebook:
            issuer == nil ? misplaced : "no issuer for '\(name)', since its kind already defines the issuer"
        case .openID: misplaced
        }
    }

    private var misplaced: String? {
        guard appIDs.isEmpty || kind == .apple else { return "no app_ids for '\(name)', which is not Apple" }
        if tenant != nil, kind != .microsoft { return "no tenant for '\(name)'; only Microsoft has a tenant" }
        guard tenants.isEmpty || kind == .microsoft || kind == .google else {
            return "no tenants for '\(name)', which is neither Microsoft nor Google"
        }
        return nil
    }
}

extension UpstreamProvider {
    /// The members that are texts, without the name.
    private static let texts = ["kind", "client_id", "issuer", "tenant", "team_id", "key_id", "secret_file"]
    /// The members that are lists.
    private static let lists = ["tenants", "email_domains", "app_ids", "scopes"]

    /// The form as tables of a file.
    package static let tables: SettingTables<[UpstreamProvider]> = .list(
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
