// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
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
            read: @Sendable ([String], _ name: String, inout OAuthClient) throws(OAuthClient.WordError) -> Void,
            write: @Sendable (OAuthClient) -> [String]?)
        /// One of some texts; the first is the value of a client that does not say.
        case algorithm(any WritableKeyPath<OAuthClient, SignatureAlgorithm> & Sendable, of: [SignatureAlgorithm])
        /// A text; `write` returns nil for a client that has none.
        case text(
            read: @Sendable (String, inout OAuthClient) throws(OAuthClient.WordError) -> Void,
            write: @Sendable (OAuthClient) -> String?)
        /// A text for people, which a word has in percent-encoding.
        case title(any WritableKeyPath<OAuthClient, String?> & Sendable)
        /// A number that is not negative.
        case number(any WritableKeyPath<OAuthClient, Int?> & Sendable)
        /// JSON; a table has it as a text or as a table.
        case json(any WritableKeyPath<OAuthClient, JSONValue?> & Sendable)
    }

    let name: String
    let form: Form
    /// The name in the metadata of a client that describes itself (RFC 7591 §2); nil for what only the operator sets.
    var metadata: String?
}

extension ClientField {
    /// All fields but the id, in the order in which they are printed.
    static let all: [ClientField] = rules + certificateNames + presentation

    /// The fields that the server acts on.
    private static let rules: [ClientField] = [
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
        flag("require_factor", \.requiresFactor),
        ClientField(
            name: "sign_in_ways",
            form: .list(
                read: { words, name, client throws(OAuthClient.WordError) in
                    guard let ways = Set<SignInWay>(words: words) else {
                        let known = SignInWay.allCases.map(\.rawValue).joined(separator: ", ")
                        throw OAuthClient.WordError(reason: "has '\(name)' other than different words of \(known)")
                    }
                    client.signInWays = ways
                }, write: { $0.signInWays?.words })),
        flag("require_pushed_authorization_requests", \.requiresPushedRequests).registrable(),
        flag("require_signed_request_object", \.requiresRequestObjects).registrable(),
        flag("dpop_bound_access_tokens", \.requiresProofs).registrable(),
        flag("tls_client_certificate_bound_access_tokens", \.bindsTokensToCertificate).registrable(),
        ClientField(
            name: "dpop_nonces",
            form: .text(
                read: { name, client throws(OAuthClient.WordError) in
                    guard let rule = OAuthClient.ProofNonces(rawValue: name) else {
                        throw OAuthClient.WordError(reason: "has 'dpop_nonces' other than required and optional")
                    }
                    client.proofNonces = rule
                }, write: { $0.proofNonces?.rawValue })),
        flag("introspect_all", \.introspectsAllTokens),
        ClientField(
            name: "id_token_signed_response_alg",
            form: .algorithm(\.idTokenAlgorithm, of: SignatureAlgorithm.ofSigningKeys)
        ).registrable(),
        algorithmOfServer("userinfo_signed_response_alg", \.userInfoAlgorithm).registrable(),
        algorithmOfServer("authorization_signed_response_alg", \.responseAlgorithm).registrable(),
        algorithmOfServer("introspection_signed_response_alg", \.introspectionAlgorithm).registrable(),
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
                }, write: { $0.authenticationMethod?.rawValue })
        ).registrable(),
        algorithmOfClient("token_endpoint_auth_signing_alg", \.assertionAlgorithm).registrable(),
        algorithmOfClient("request_object_signing_alg", \.requestObjectAlgorithm).registrable(),
        ClientField(name: "jwks", form: .json(\.jwks)).registrable(),
        link("jwks_uri", \.jwksURI, isPage: false),
        logoutURL("backchannel_logout_uri", \.backchannelLogoutURI),
        logoutURL("frontchannel_logout_uri", \.frontchannelLogoutURI),
        flag("frontchannel_logout_session_required", \.requiresFrontchannelSession),
        ClientField(
            name: "grants",
            form: .list(
                read: { names, _, client throws(OAuthClient.WordError) in client.grants = try grants(names) },
                write: { $0.grants.map(\.rawValue).sorted() })
        ).registrable(as: "grant_types"),
        ClientField(
            name: "scopes",
            form: .list(
                read: { names, _, client throws(OAuthClient.WordError) in client.scopes = try scopes(names) },
                write: { $0.scopes?.elements.map(\.rawValue) })
        ).registrable(as: "scope"),
        ClientField(
            name: "resources",
            form: .list(
                read: { urls, _, client throws(OAuthClient.WordError) in client.resources = urls },
                write: { $0.resources })),
        ClientField(
            name: "serves",
            form: .list(
                read: { urls, _, client throws(OAuthClient.WordError) in client.serves = urls },
                write: { $0.serves.isEmpty ? nil : $0.serves })),
        ClientField(
            name: "authorization_details_types",
            form: .list(
                read: { types, name, client throws(OAuthClient.WordError) in
                    guard types.count <= 50, types.allSatisfy(AuthorizationDetails.isType) else {
                        throw OAuthClient.WordError(reason: "has '\(name)' other than names such as payment_initiation")
                    }
                    client.authorizationDetailsTypes = types
                },
                write: { $0.authorizationDetailsTypes.isEmpty ? nil : $0.authorizationDetailsTypes })),
        ClientField(
            name: "redirects",
            form: .list(
                read: { urls, name, client throws(OAuthClient.WordError) in
                    client.redirectURIs = try redirects(urls, name)
                }, write: { $0.redirectURIs.isEmpty ? nil : $0.redirectURIs })
        ).registrable(as: "redirect_uris"),
        ClientField(
            name: "allowed_origins",
            form: .list(
                read: { origins, _, client throws(OAuthClient.WordError) in
                    client.allowedOrigins = try Self.origins(origins, "allowed_origins")
                }, write: { $0.allowedOrigins })),
        ClientField(
            name: "forward_auth",
            form: .list(
                read: { origins, _, client throws(OAuthClient.WordError) in
                    client.forwardAuth.origins = try Self.origins(origins, "forward_auth")
                }, write: { $0.forwardAuth.origins.isEmpty ? nil : $0.forwardAuth.origins })),
        ClientField(
            name: "forward_auth_scopes",
            form: .list(
                read: { names, _, client throws(OAuthClient.WordError) in
                    client.forwardAuth.scopes = try scopes(names)
                },
                write: { $0.forwardAuth.scopes.isEmpty ? nil : $0.forwardAuth.scopes.elements.map(\.rawValue) })),
        ClientField(
            name: "forward_auth_roles",
            form: .list(
                read: { roles, _, client throws(OAuthClient.WordError) in client.forwardAuth.roles = roles },
                write: { $0.forwardAuth.roles.isEmpty ? nil : $0.forwardAuth.roles })),
        ClientField(
            name: "logout",
            form: .list(
                read: { urls, name, client throws(OAuthClient.WordError) in
                    client.postLogoutRedirectURIs = try redirects(urls, name)
                }, write: { $0.postLogoutRedirectURIs.isEmpty ? nil : $0.postLogoutRedirectURIs })
        ).registrable(as: "post_logout_redirect_uris"),
        ClientField(
            name: "application_type",
            form: .text(
                read: { name, client throws(OAuthClient.WordError) in
                    guard let type = OAuthClient.ApplicationType(rawValue: name) else {
                        throw OAuthClient.WordError(reason: "has an 'application_type' that is neither web nor native")
                    }
                    client.applicationType = type
                }, write: { $0.applicationType?.rawValue })
        ).registrable(),
        ClientField(name: "default_max_age", form: .number(\.defaultMaximumAge)).registrable(),
        ClientField(name: "access_token_lifetime", form: .number(\.accessTokenLifetime)),
        ClientField(name: "session_lifetime", form: .number(\.sessionLifetime)),
        flag("unverified_email", \.receivesUnverifiedEmail),
    ]

    /// The names for users: one for all languages, and those in the server's languages.
    private static let names: [ClientField] =
        [title("client_name", \.presentation.name)]
        + IdentityConfiguration.supportedLanguages.map { title("client_name#\($0)", \.presentation.names[$0]) }

    /// The fields for people.
    static let presentation: [ClientField] =
        names + [
            link("client_uri", \.presentation.clientURI), link("logo_uri", \.presentation.logoURI),
            link("policy_uri", \.presentation.policyURI), link("tos_uri", \.presentation.termsURI),
            link("initiate_login_uri", \.presentation.initiateLoginURI),
            ClientField(
                name: "contacts",
                form: .list(
                    read: { texts, name, client throws(OAuthClient.WordError) in
                        guard texts.count <= 10, texts.allSatisfy(ClientPresentation.isContact) else {
                            throw OAuthClient.WordError(
                                reason: "has '\(name)' other than up to ten addresses such as ops@example.com")
                        }
                        client.presentation.contacts = texts
                    }, write: { $0.presentation.contacts.isEmpty ? nil : $0.presentation.contacts })
            ).registrable(),
            title("software_id", \.presentation.softwareID),
            title("software_version", \.presentation.softwareVersion),
        ]

    /// Returns the field with a name in the metadata of clients: its own, unless another one is given.
    func registrable(as name: String? = nil) -> ClientField {
        ClientField(name: self.name, form: form, metadata: name ?? self.name)
    }

    /// Returns a field with a text for people.
    private static func title(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, String?> & Sendable
    ) -> ClientField {
        ClientField(name: name, form: .title(path)).registrable()
    }

    /// Returns a field with the URL of a document or page.
    private static func link(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, String?> & Sendable, isPage: Bool = true
    ) -> ClientField {
        ClientField(
            name: name,
            form: .text(
                read: { url, client throws(OAuthClient.WordError) in
                    // A fragment is not requested.
                    guard ClientPresentation.isLink(url), isPage || !url.utf8.contains(UInt8(ascii: "#")) else {
                        throw OAuthClient.WordError(
                            reason: "has a '\(name)' that is not https, or http on this machine")
                    }
                    client[keyPath: path] = url
                }, write: { $0[keyPath: path] })
        ).registrable()
    }

    /// Returns a field whose value, where it is left out, is that of a new client.
    private static func flag(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, Bool> & Sendable
    ) -> ClientField {
        ClientField(name: name, form: .flag(path, omitted: OAuthClient(id: "")[keyPath: path]))
    }

    /// Returns a field with the algorithm of something that the client signs.
    private static func algorithmOfClient(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, SignatureAlgorithm?> & Sendable
    ) -> ClientField { optionalAlgorithm(name, path, of: SignatureAlgorithm.ofAssertions) }

    /// Returns a field with an algorithm of a response that the server signs.
    private static func algorithmOfServer(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, SignatureAlgorithm?> & Sendable
    ) -> ClientField { optionalAlgorithm(name, path, of: SignatureAlgorithm.ofSigningKeys) }

    /// Returns a field with an algorithm that a client need not have.
    private static func optionalAlgorithm(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, SignatureAlgorithm?> & Sendable,
        of known: [SignatureAlgorithm]
    ) -> ClientField {
        ClientField(
            name: name,
            form: .text(
                read: { text, client throws(OAuthClient.WordError) in
                    client[keyPath: path] = try algorithm(text, of: known, in: name)
                }, write: { $0[keyPath: path]?.rawValue }))
    }

    /// Returns a field with a URL of the client that a sign-out calls or loads.
    private static func logoutURL(
        _ name: String, _ path: any WritableKeyPath<OAuthClient, String?> & Sendable
    ) -> ClientField {
        ClientField(
            name: name,
            form: .text(
                read: { url, client throws(OAuthClient.WordError) in
                    guard AppRedirect.takesForms(url) else {
                        throw OAuthClient.WordError(
                            reason: "has a '\(name)' that is not https, or http on this machine")
                    }
                    client[keyPath: path] = try redirects([url], name).first
                }, write: { $0[keyPath: path] }))
    }

    /// The claims of other kinds of tokens and responses, which a careless party could take the token for.
    static let reservedClaims: Set<String> = [
        "nbf", "jti", "act", "cnf", "client_id", "scope", "code", "state", "error", "events", "token_introspection",
        UserClaims.isGuest,
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

    /// Returns a text that is a name.
    func title(_ text: String) throws(OAuthClient.WordError) -> String {
        guard ClientPresentation.isName(text) else {
            throw OAuthClient.WordError(
                reason: "has a '\(name)' that is not one line of visible characters, 200 bytes at most")
        }
        return text
    }

    /// Returns a number that is not negative.
    func number(_ number: Int) throws(OAuthClient.WordError) -> Int {
        guard (0...Int(Int32.max)).contains(number) else {
            throw OAuthClient.WordError(reason: "has a '\(name)' that is not a number of seconds")
        }
        return number
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
    private static func origins(_ list: [String], _ name: String) throws(OAuthClient.WordError) -> [String] {
        guard list.allSatisfy(OAuthClient.isOrigin) else {
            throw OAuthClient.WordError(
                reason: "has an origin in '\(name)' that is not allowed: each must be like "
                    + "https://app.example.com, or http on this machine, without a path")
        }
        guard Set(list).count == list.count else {
            throw OAuthClient.WordError(reason: "names an origin twice in '\(name)'")
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
        known: memberNames, key: "id", id: \.id,
        parse: { table throws(SettingTable.MemberError) in try OAuthClient(table) }, table: { $0.table })

    static let memberNames = ["id"] + ClientField.all.map(\.name)

    /// Parses the members of a client, which must be known.
    static func reading(_ members: JSONObject) throws(SettingTable.MemberError) -> OAuthClient {
        try OAuthClient(SettingTable(members, known: memberNames))
    }

    /// Parses a table of a file.
    private init(_ table: SettingTable) throws(SettingTable.MemberError) {
        let id = try table.requiredText("id")
        do throws(WordError) { try self.init(checkedID: id) } catch { throw SettingTable.MemberError(error.reason) }
        for field in ClientField.all {
            switch field.form {
            case .flag(let path, let omitted): self[keyPath: path] = try table.flag(field.name) ?? omitted
            case .list(let read, _):
                guard let list = try table.list(field.name) else { continue }
                do throws(WordError) { try read(list, field.name, &self) } catch {
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
            case .title(let path):
                guard let text = try table.text(field.name) else { continue }
                do throws(WordError) { self[keyPath: path] = try field.title(text) } catch {
                    throw SettingTable.MemberError("the client '\(id)' \(error.reason)")
                }
            case .number(let path):
                guard let number = try table.number(field.name) else { continue }
                do throws(WordError) { self[keyPath: path] = try field.number(number) } catch {
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
    package var table: JSONObject {
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
            case .title(let path): table[field.name] = self[keyPath: path].map { .string($0) }
            case .number(let path): table[field.name] = self[keyPath: path].map { .integer(Int64($0)) }
            case .json(let path):
                if let value = self[keyPath: path] {
                    table[field.name] = .string(String(decoding: value.serialized(), as: UTF8.self))
                }
            }
        }
        return table
    }
}
