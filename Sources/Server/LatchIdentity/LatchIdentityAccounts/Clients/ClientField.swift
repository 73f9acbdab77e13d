// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchIdentityStorage
import LatchJOSE

/// A member of a client: the one list for the tables of a file, the words of the environment, and what is printed.
struct ClientField: Sendable {
    /// The values of a field.
    enum Form: Sendable {
        /// True or false; `omitted` is the value of a client that does not say.
        case flag(any WritableKeyPath<OAuthClient, Bool> & Sendable, omitted: Bool)
        /// Texts; `write` returns nil for a client that has the value of one that does not say.
        case list(
            read: @Sendable ([String], inout OAuthClient) throws(OAuthClient.WordError) -> Void,
            write: @Sendable (OAuthClient) -> [String]?)
        /// One of some texts; the first is the value of a client that does not say.
        case algorithm(any WritableKeyPath<OAuthClient, SignatureAlgorithm> & Sendable, of: [SignatureAlgorithm])
        /// A text; `write` returns nil for a client that has none.
        case text(
            read: @Sendable (String, inout OAuthClient) throws(OAuthClient.WordError) -> Void,
            write: @Sendable (OAuthClient) -> String?)
        /// JSON; a table has it as a text or as a table.
        case json(any WritableKeyPath<OAuthClient, JSONValue?> & Sendable)
    }

    let name: String
    let form: Form
}

extension ClientField {
    /// All fields but the id, in the order in which they are printed.
    static let all = [
        flag("confidential", \.isConfidential),
        flag("trusted", \.isTrusted),
        ClientField(
            name: "security_profile",
            form: .text(
                read: { name, client throws(OAuthClient.WordError) in
                    guard let profile = OAuthClient.SecurityProfile(rawValue: name) else {
                        let known = OAuthClient.SecurityProfile.allCases.map(\.rawValue).joined(separator: ", ")
                        throw OAuthClient.WordError(reason: "has an unknown 'security_profile'; known are \(known)")
                    }
                    client.securityProfile = profile
                }, write: { $0.securityProfile?.rawValue })),
        flag("require_pkce", \.requiresPKCE),
        flag("require_nonce", \.requiresNonce),
        flag("require_pushed_authorization_requests", \.requiresPushedRequests),
        flag("require_signed_request_object", \.requiresRequestObjects),
        flag("dpop_bound_access_tokens", \.requiresProofs),
        flag("introspect_all", \.introspectsAllTokens),
        ClientField(
            name: "id_token_signed_response_alg",
            form: .algorithm(\.idTokenAlgorithm, of: SignatureAlgorithm.ofSigningKeys)),
        flag("id_token_claims", \.idTokenHasClaims),
        claim("roles_claim", \.rolesClaim),
        claim("groups_claim", \.groupsClaim),
        ClientField(
            name: "token_endpoint_auth_method",
            form: .text(
                read: { name, client throws(OAuthClient.WordError) in
                    client.authenticationMethod = try method(name)
                    if client.authenticationMethod != OAuthClient.AuthenticationMethod.none {
                        client.isConfidential = true
                    }
                }, write: { $0.authenticationMethod?.rawValue })),
        algorithmOfClient("token_endpoint_auth_signing_alg", \.assertionAlgorithm),
        algorithmOfClient("request_object_signing_alg", \.requestObjectAlgorithm),
        ClientField(name: "jwks", form: .json(\.jwks)),
        ClientField(
            name: "backchannel_logout_uri",
            form: .text(
                read: { url, client throws(OAuthClient.WordError) in
                    guard AppRedirect.takesForms(url) else {
                        throw OAuthClient.WordError(
                            reason: "has a 'backchannel_logout_uri' that is not https, or http on this machine")
                    }
                    client.backchannelLogoutURI = try redirects([url], "backchannel_logout_uri").first
                }, write: { $0.backchannelLogoutURI })),
        ClientField(
            name: "grants",
            form: .list(
                read: { names, client throws(OAuthClient.WordError) in client.grants = try grants(names) },
                write: { $0.grants.map(\.rawValue).sorted() })),
        ClientField(
            name: "scopes",
            form: .list(
                read: { names, client throws(OAuthClient.WordError) in client.scopes = try scopes(names) },
                write: { $0.scopes?.elements.map(\.rawValue) })),
        ClientField(
            name: "resources",
            form: .list(
                read: { urls, client throws(OAuthClient.WordError) in client.resources = urls },
                write: { $0.resources })),
        ClientField(
            name: "serves",
            form: .list(
                read: { urls, client throws(OAuthClient.WordError) in client.serves = urls },
                write: { $0.serves.isEmpty ? nil : $0.serves })),
        ClientField(
            name: "redirects",
            form: .list(
                read: { urls, client throws(OAuthClient.WordError) in
                    client.redirectURIs = try redirects(urls, "redirects")
                }, write: { $0.redirectURIs.isEmpty ? nil : $0.redirectURIs })),
        ClientField(
            name: "allowed_origins",
            form: .list(
                read: { origins, client throws(OAuthClient.WordError) in
                    client.allowedOrigins = try Self.origins(origins)
                }, write: { $0.allowedOrigins })),
        ClientField(
            name: "logout",
            form: .list(
                read: { urls, client throws(OAuthClient.WordError) in
                    client.postLogoutRedirectURIs = try redirects(urls, "logout")
                }, write: { $0.postLogoutRedirectURIs.isEmpty ? nil : $0.postLogoutRedirectURIs })),
    ]

    /// Returns a field whose value, where it is left out, is that of a new client.
    private static func flag(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, Bool> & Sendable
    ) -> ClientField {
        ClientField(name: name, form: .flag(path, omitted: OAuthClient(id: "")[keyPath: path]))
    }

    /// Returns a field with the algorithm of something that the client signs.
    private static func algorithmOfClient(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, SignatureAlgorithm?> & Sendable
    ) -> ClientField {
        ClientField(
            name: name,
            form: .text(
                read: { text, client throws(OAuthClient.WordError) in
                    client[keyPath: path] = try algorithm(text, of: SignatureAlgorithm.ofAssertions, in: name)
                }, write: { $0[keyPath: path]?.rawValue }))
    }

    /// The claims of other kinds of tokens and responses, which a careless party could take the token for.
    private static let reservedClaims: Set<String> = [
        "nbf", "jti", "act", "cnf", "client_id", "scope", "code", "state", "error", "events", "token_introspection",
    ]

    /// Returns a field with the name of a claim.
    private static func claim(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, String?> & Sendable
    ) -> ClientField {
        ClientField(
            name: name,
            form: .text(
                read: { text, client throws(OAuthClient.WordError) in
                    // A registered claim would have another meaning (OpenID Connect Core §5.1.2).
                    guard text.isWord(maximum: 100, also: "_-:/."), !reservedClaims.contains(text),
                        !AccessTokenIssuer.claimsOfIDTokens.contains(text),
                        !UserClaims.names.contains(text)
                    else {
                        throw OAuthClient.WordError(
                            reason: "has a '\(name)' that cannot be the name of a claim, such as groups")
                    }
                    client[keyPath: path] = text
                }, write: { $0[keyPath: path] }))
    }

    private static func method(_ text: String) throws(OAuthClient.WordError) -> OAuthClient.AuthenticationMethod {
        guard let method = OAuthClient.AuthenticationMethod(rawValue: text) else {
            let known = OAuthClient.AuthenticationMethod.allCases.map(\.rawValue).joined(separator: ", ")
            throw OAuthClient.WordError(reason: "has an unknown 'token_endpoint_auth_method'; known are \(known)")
        }
        return method
    }

    /// Parses a value that is JSON.
    func json(_ text: String) throws(OAuthClient.WordError) -> JSONValue {
        do throws(JSONError) { return try JSONValue(parsing: text) } catch {
            throw OAuthClient.WordError(
                reason: "has a '\(name)' that is not JSON, such as {\"keys\": [{\"kty\": \"EC\", …}]}")
        }
    }

    /// Returns the algorithm that a text names.
    static func algorithm(
        _ text: String, of known: [SignatureAlgorithm], in name: String
    ) throws(OAuthClient.WordError) -> SignatureAlgorithm {
        guard let algorithm = known.first(where: { $0.rawValue == text }) else {
            let names = known.map(\.rawValue).joined(separator: ", ")
            throw OAuthClient.WordError(reason: "has an unknown '\(name)'; known are \(names)")
        }
        return algorithm
    }

    private static func grants(_ list: [String]) throws(OAuthClient.WordError) -> Set<OAuthClient.GrantType> {
        for name in list where OAuthClient.GrantType(rawValue: name) == nil {
            let quoted = name.isWord(maximum: 60, also: "_-:") ? "the unknown grant '\(name)'" : "an unknown grant"
            let known = OAuthClient.GrantType.supported.map(\.rawValue).joined(separator: ", ")
            throw OAuthClient.WordError(reason: "has \(quoted); known are \(known)")
        }
        let grants = Set(list.compactMap(OAuthClient.GrantType.init))
        guard grants.count == list.count else { throw OAuthClient.WordError(reason: "names a grant twice") }
        return grants
    }

    private static func scopes(_ list: [String]) throws(OAuthClient.WordError) -> Scopes {
        let scopes = Scopes(list.compactMap(Scope.init))
        guard scopes.count == list.count else {
            throw OAuthClient.WordError(reason: "names a scope twice, or an invalid scope")
        }
        return scopes
    }

    /// Checks a list of origins; an empty one permits no page.
    private static func origins(_ list: [String]) throws(OAuthClient.WordError) -> [String] {
        let isOrigin = { (text: String) in
            AppRedirect.isValid(text + "/") && PublicURL.origin(of: text) == text && !text.utf8.contains(0x2A)
        }
        guard list.allSatisfy(isOrigin) else {
            throw OAuthClient.WordError(
                reason: "has an origin in 'allowed_origins' that is not allowed: each must be like "
                    + "https://app.example.com, or http on this machine, without a path")
        }
        guard Set(list).count == list.count else {
            throw OAuthClient.WordError(reason: "names an origin twice in 'allowed_origins'")
        }
        return list
    }

    private static func redirects(_ list: [String], _ name: String) throws(OAuthClient.WordError) -> [String] {
        guard !list.isEmpty else { throw OAuthClient.WordError(reason: "has no URL in '\(name)'") }
        if let index = list.firstIndex(where: { !AppRedirect.isValid($0) }) {
            throw OAuthClient.WordError(
                reason: "has a URL in '\(name)' that is not allowed, number \(index + 1) of \(list.count): it must be "
                    + "https, a custom scheme of the app, or http on this machine, without a fragment")
        }
        guard Set(list).count == list.count else {
            throw OAuthClient.WordError(reason: "names a URL twice in '\(name)'")
        }
        return list
    }
}

extension OAuthClient {
    /// The form as tables of a file.
    package static let tables: SettingTables<[OAuthClient]> = .list(
        known: ["id"] + ClientField.all.map(\.name), key: "id", id: \.id,
        parse: { table throws(SettingTable.MemberError) in try OAuthClient(table) }, table: { $0.table })

    /// Parses a table of a file.
    private init(_ table: SettingTable) throws(SettingTable.MemberError) {
        let id = try table.requiredText("id")
        do throws(WordError) { try self.init(checkedID: id) } catch { throw SettingTable.MemberError(error.reason) }
        for field in ClientField.all {
            switch field.form {
            case .flag(let path, let omitted): self[keyPath: path] = try table.flag(field.name) ?? omitted
            case .list(let read, _):
                guard let list = try table.list(field.name) else { continue }
                do throws(WordError) { try read(list, &self) } catch {
                    throw SettingTable.MemberError("the client '\(id)' \(error.reason)")
                }
            case .algorithm(let path, let known):
                guard let text = try table.text(field.name) else { continue }
                do throws(WordError) {
                    self[keyPath: path] = try ClientField.algorithm(text, of: known, in: field.name)
                } catch {
                    throw SettingTable.MemberError("the client '\(id)' \(error.reason)")
                }
            case .text(let read, _):
                guard let text = try table.text(field.name) else { continue }
                do throws(WordError) { try read(text, &self) } catch {
                    throw SettingTable.MemberError("the client '\(id)' \(error.reason)")
                }
            case .json(let path):
                guard let value = table.value(field.name) else { continue }
                do throws(WordError) {
                    self[keyPath: path] =
                        try value.stringValue.map { text throws(WordError) in try field.json(text) }
                        ?? value
                } catch {
                    throw SettingTable.MemberError("the client '\(id)' \(error.reason)")
                }
            }
        }
    }

    /// The table that `init(_:)` parses.
    private var table: JSONObject {
        var table: JSONObject = ["id": .string(id)]
        for field in ClientField.all {
            switch field.form {
            case .flag(let path, let omitted):
                if self[keyPath: path] != omitted { table[field.name] = .bool(self[keyPath: path]) }
            case .list(_, let write):
                if let list = write(self) { table[field.name] = .array(list.map { .string($0) }) }
            case .algorithm(let path, let known):
                if self[keyPath: path] != known.first { table[field.name] = .string(self[keyPath: path].rawValue) }
            case .text(_, let write):
                if let text = write(self) { table[field.name] = .string(text) }
            case .json(let path):
                if let value = self[keyPath: path] {
                    table[field.name] = .string(String(decoding: value.serialized(), as: UTF8.self))
                }
            }
        }
        return table
    }
}
