// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchIdentityStorage

/// The rules for the resource servers that a client names (RFC 8707 §2): the operator's API, and those of the
/// configuration.
package struct ResourcePolicy: Sendable {
    private let audience: String?
    private let accessTokens: AccessTokenIssuer
    private let api: Scopes
    private let defaults: Scopes
    /// The resource servers of the configuration, by the keys of their URLs.
    private let servers: [String: ResourceServer]
    /// The URLs of the server and of the operator's API.
    private let reserved: [String]
    /// The scopes about users, which tokens for every resource server may have.
    private let aboutUser: Scopes

    /// Creates the rules.
    ///
    /// - Throws: `IdentityError.unusableSetting` if a resource server has the URL of another one, or of the operator's
    ///   API.
    package init(_ configuration: IdentityConfiguration, accessTokens: AccessTokenIssuer) throws(IdentityError) {
        audience = configuration.audience
        self.accessTokens = accessTokens
        (api, defaults) = (configuration.scopes, configuration.defaultScopes)
        aboutUser = ScopePolicy(configuration).aboutUser
        var servers: [String: ResourceServer] = [:]
        let userInfo = configuration.issuer.map(AccessTokenIssuer.userInfo)
        let reserved = [configuration.audience, configuration.issuer, userInfo].compactMap { $0 }
        for server in configuration.resources {
            guard let key = ResourceServer.key(server.resource) else {
                throw .unusableSetting("resources", "a resource is not a URL without a fragment")
            }
            guard !Self.lists(reserved, server.resource),
                servers.updateValue(server, forKey: key) == nil
            else {
                throw .unusableSetting(
                    "resources", "'\(server.resource)' is also another resource server, the audience or the issuer")
            }
        }
        self.servers = servers
        self.reserved = reserved
        for client in configuration.clients { try check(client) }
    }

    /// Requires that the resource servers of a client exist.
    package func check(_ client: OAuthClient) throws(IdentityError) {
        for name in (client.resources ?? []) + client.serves
        where servers[Self.key(name)] == nil && !Self.lists(reserved, name) {
            throw .unusableSetting(
                "clients",
                "the client '\(client.id)' names a resource server that is neither 'audience' nor in a table [[resources]]"
            )
        }
    }

    private static func key(_ text: String) -> String { ResourceServer.key(text) ?? text }

    /// Returns whether one of the URLs is that of a resource server, in any spelling.
    private static func lists(_ urls: [String], _ url: String) -> Bool {
        let key = key(url)
        return urls.contains { Self.key($0) == key }
    }

    /// The `aud` of tokens for the operator's API; nil until the issuer is known.
    private var apiAudience: String? { audience ?? accessTokens.issuer }

    /// Returns the resource servers that a request names, each once, as they are registered.
    ///
    /// - Throws: `IdentityError.invalidTarget` if one of them is unknown, or not for the client; `.notReady`.
    private func targets(_ named: [String], for client: OAuthClient) throws(IdentityError) -> [String] {
        guard let apiAudience else { throw .notReady }
        var targets: [String] = []
        for name in named {
            let key = Self.key(name)
            let target = key == Self.key(apiAudience) ? apiAudience : servers[key]?.resource
            guard let target, isPermitted(target, to: client) else { throw .invalidTarget }
            if !targets.contains(target) { targets.append(target) }
        }
        return targets
    }

    /// Returns whether a client may have tokens for a resource server.
    private func isPermitted(_ target: String, to client: OAuthClient) -> Bool {
        client.resources.map { Self.lists($0, target) } ?? true || isServed(target, by: client)
    }

    /// Returns the resource servers of a new grant; empty for the operator's API only.
    ///
    /// - Throws: `IdentityError.scopelessTarget` if a third-party client requests no scope of a resource server that it
    ///   names; and `.invalidTarget`, `.notReady`.
    package func granted(
        _ named: [String], requesting requested: Scopes?, by client: OAuthClient
    ) throws(IdentityError) -> [String] {
        let targets = try targets(named, for: client)
        for target in targets { try requireScope(of: target, in: requested ?? defaults, for: client) }
        return targets.allSatisfy { $0 == apiAudience } ? [] : targets
    }

    /// A resource server for a token, the scopes that it has there, and what it is bound to.
    package struct Target: Sendable {
        /// The `aud`; nil for the operator's API, or the userinfo endpoint where the scopes are only about the user.
        let audience: String?
        let scopes: Scopes
        let binding: TokenBinding
        /// The rights that the token has there.
        let authorization: AuthorizationDetails
        /// The claims that a hook adds.
        var added: JSONObject = [:]
    }

    /// Returns whether the resource server of a token has scopes.
    func hasScopes(_ target: Target) -> Bool {
        !(target.audience.map { servers[Self.key($0)]?.scopes ?? [] } ?? api).isEmpty
    }

    /// Requires that a third-party client gets a scope of each resource server of a grant that has scopes.
    ///
    /// - Throws: `IdentityError.scopelessTarget`.
    package func require(_ targets: [String], with scopes: Scopes, for client: OAuthClient) throws(IdentityError) {
        for target in targets { try requireScope(of: target, in: scopes, for: client) }
    }

    /// Returns the resource server for a token: the one that the request names, or else the first one of the grant.
    ///
    /// - Parameters:
    ///   - conditions: The conditions of the request.
    ///   - grant: The conditions of the grant; nil where a request to the token endpoint is the grant.
    ///   - scopes: The scopes of the grant, of which the resource server gets its own and those about the user.
    /// - Throws: `IdentityError.invalidTarget` for several resource servers, or one that was not granted (RFC 8707
    ///   §2.2), or is not for the client any longer; `.scopelessTarget` if a third-party client has none of its scopes;
    ///   `.invalidAuthorizationDetails` for rights that were not granted.
    package func target(
        _ conditions: TokenConditions, of grant: GrantDetails?, with scopes: Scopes, for client: OAuthClient
    ) throws(IdentityError) -> Target {
        guard let apiAudience else { throw .notReady }
        let granted = grant?.resources
        let rights = try Self.rights(conditions.authorization, of: grant?.authorization, for: client)
        let targets = try targets(conditions.resources, for: client)
        guard targets.count <= 1 else { throw .invalidTarget }
        if let granted, let name = targets.first {
            guard Self.lists(granted.isEmpty ? [apiAudience] : granted, name) else { throw .invalidTarget }
        }
        let audience = targets.first ?? granted?.first ?? apiAudience
        guard Self.key(audience) != Self.key(apiAudience) else {
            if !targets.isEmpty { try requireScope(of: apiAudience, in: scopes, for: client) }
            return Target(
                audience: nil, scopes: try ofAPI(scopes, apiAudience, for: client), binding: conditions.binding,
                authorization: rights.filter { counts($0, at: apiAudience, for: client) })
        }
        // A resource server that the configuration no longer has gets no tokens.
        guard let server = servers[Self.key(audience)], isPermitted(audience, to: client) else { throw .invalidTarget }
        try requireScope(of: audience, in: scopes, for: client)
        return Target(
            audience: server.resource,
            scopes: scopes.filter { aboutUser.contains($0) || server.scopes.contains($0) },
            binding: conditions.binding,
            authorization: rights.filter { counts($0, at: server.resource, for: client) })
    }

    /// Returns whether a right is for a resource server: one that has its type, and that the right locates.
    ///
    /// Types that no resource server has are those of the operator's API (RFC 9396 §2.2).
    private func counts(_ right: JSONValue, at target: String, for client: OAuthClient) -> Bool {
        guard AuthorizationDetails.locations(of: right).map({ Self.lists($0, target) }) ?? true else { return false }
        let type = AuthorizationDetails.type(of: right)
        if let server = servers[Self.key(target)] { return server.authorizationDetailsTypes.contains(type) }
        return isPermitted(target, to: client)
            && !servers.values.contains { $0.authorizationDetailsTypes.contains(type) }
    }

    /// Returns the rights of a token: those that the request names, or all of the grant, as far as the client may still
    /// have them.
    ///
    /// Only equal rights are compared, since the server does not know which one is less (RFC 9396 §6.1).
    private static func rights(
        _ requested: AuthorizationDetails?, of granted: AuthorizationDetails?, for client: OAuthClient
    ) throws(IdentityError) -> AuthorizationDetails {
        let types = client.authorizationDetailsTypes
        let permitted =
            granted?.filter { types.contains(AuthorizationDetails.type(of: $0)) } ?? AuthorizationDetails()
        guard let requested else { return permitted }
        guard requested.elements.allSatisfy(permitted.elements.contains) else {
            throw .invalidAuthorizationDetails("they are not those of the grant")
        }
        // Those of the grant: a request cannot have one of them twice.
        return permitted.filter(requested.elements.contains)
    }

    /// Returns the rights that a client requests of a user.
    ///
    /// - Parameter granted: The resource servers of the grant; empty for the operator's API only.
    /// - Throws: `IdentityError.invalidAuthorizationDetails` if one has a type that the client may not request, or is
    ///   for no resource server of the grant (RFC 9396 §5).
    package func requested(
        _ text: String?, by client: OAuthClient, at granted: [String]
    ) throws(IdentityError) -> AuthorizationDetails {
        guard let rights = try AuthorizationDetails(requested: text) else { return AuthorizationDetails() }
        let types = rights.elements.map(AuthorizationDetails.type)
        guard types.allSatisfy(client.authorizationDetailsTypes.contains) else {
            throw .invalidAuthorizationDetails("this client may not request one of their types")
        }
        let targets = granted.isEmpty ? [apiAudience].compactMap(\.self) : granted
        guard rights.elements.allSatisfy({ right in targets.contains { counts(right, at: $0, for: client) } }) else {
            throw .invalidAuthorizationDetails("one is for no resource server that the request names")
        }
        return rights
    }

    /// Returns those of the scopes that a token for the operator's API, or for userinfo, may have.
    private func ofAPI(
        _ scopes: Scopes, _ apiAudience: String, for client: OAuthClient
    ) throws(IdentityError) -> Scopes {
        guard isPermitted(apiAudience, to: client) else {
            // A third-party client still learns who its user is.
            guard !client.belongsToOperator else { throw .invalidTarget }
            return scopes.filter(aboutUser.contains)
        }
        // Without other resource servers, all scopes are of the API.
        return servers.isEmpty ? scopes : scopes.filter { aboutUser.contains($0) || api.contains($0) }
    }

    /// Returns whether an exchange by a client may be for a resource server: for its own token, one that the user
    /// has agreed to; for one that it has received, only one that its registration names.
    func permitsExchange(
        to named: [String], of granted: [String], isServed: Bool, by client: OAuthClient
    ) -> Bool {
        guard isServed else {
            let granted = granted.isEmpty ? [apiAudience ?? ""] : granted
            return named.allSatisfy { Self.lists(granted, $0) }
        }
        return named.allSatisfy { name in
            self.isServed(name, by: client) || Self.lists(client.resources ?? [], name)
        }
    }

    /// Returns whether a client is the resource server of an audience.
    func isServed(_ audience: String?, by client: OAuthClient) -> Bool {
        guard let audience else { return false }
        return Self.lists(client.serves, audience)
    }

    /// Requires a scope of a resource server that has scopes, unless the client belongs to the operator.
    ///
    /// Otherwise the token would only be for claims about the user, and the resource server would refuse it.
    private func requireScope(of target: String, in scopes: Scopes, for client: OAuthClient) throws(IdentityError) {
        guard !client.belongsToOperator, target != accessTokens.issuer else { return }
        let own = target == apiAudience ? api : servers[Self.key(target)]?.scopes ?? []
        guard target != apiAudience && own.isEmpty || scopes.elements.contains(where: own.contains) else {
            throw .scopelessTarget
        }
    }
}
