// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
import LatchIdentityStorage
import LatchJOSE

/// The reason why the metadata of a client is refused (RFC 7591 §3.2.2).
package struct ClientMetadataError: Error, Hashable {
    /// The code of the response.
    package enum Code: String, Sendable {
        case invalidRedirectURI = "invalid_redirect_uri"
        case invalidClientMetadata = "invalid_client_metadata"
    }

    package let code: Code
    /// The name of the member.
    package let member: String
    /// The rest of a sentence that begins with the client, without its full stop; it quotes no value.
    package let reason: String

    init(_ member: String, _ reason: String) {
        code = member == "redirect_uris" ? .invalidRedirectURI : .invalidClientMetadata
        (self.member, self.reason) = (member, reason)
    }

    /// The sentence for the developer of the client.
    package var description: String { "the client \(reason)" }
}

/// The limits of clients that describe themselves, which no operator has checked.
package struct ClientMetadataRules: Sendable {
    /// The grants that a client may have.
    package var grants = registrableGrants
    /// The scopes that a client may have.
    package var scopes: Scopes
    /// Whether the server gives secrets to clients.
    package var permitsSecrets: Bool
    /// The methods with which clients may authenticate with a certificate; empty if none are taken.
    package var certificateMethods: Set<OAuthClient.AuthenticationMethod>

    /// The grants of clients that no operator has checked.
    static let registrableGrants: Set<OAuthClient.GrantType> = [.authorizationCode, .refreshToken, .deviceCode]

    /// Creates the rules of a registration (RFC 7591 §2).
    ///
    /// - Parameters:
    ///   - permitted: The scopes besides those about users; nil for all that are not for administrators.
    ///   - certificateMethods: The methods with which clients may authenticate with a certificate; empty if none are taken.
    package static func registration(
        _ policy: ScopePolicy, permitting permitted: Scopes? = nil,
        certificateMethods: Set<OAuthClient.AuthenticationMethod> = []
    ) -> ClientMetadataRules {
        ClientMetadataRules(
            scopes: scopes(policy, permitted), permitsSecrets: true, certificateMethods: certificateMethods)
    }

    /// Creates the rules of a document whose URL is the `client_id` (draft-ietf-oauth-client-id-metadata-document §4).
    ///
    /// The parameters are those of a registration.
    package static func document(
        _ policy: ScopePolicy, permitting permitted: Scopes? = nil,
        certificateMethods: Set<OAuthClient.AuthenticationMethod> = []
    ) -> ClientMetadataRules {
        ClientMetadataRules(
            scopes: scopes(policy, permitted), permitsSecrets: false, certificateMethods: certificateMethods)
    }

    /// Returns the scopes about users and those of resources, except for administrators.
    private static func scopes(_ policy: ScopePolicy, _ permitted: Scopes?) -> Scopes {
        // A setting that names scopes also decides on those of attributes, which say more than who a user is.
        let known = (policy.ofAttributes.elements + policy.known.elements).filter {
            $0.level != "admin" && permitted?.contains($0) ?? true
        }
        return Scopes(ScopePolicy.openID.elements + known)
    }
}

extension OAuthClient {
    /// Creates a client that describes itself, by the names of RFC 7591 §2 and OpenID Connect Registration §2.
    ///
    /// Members that the server does not know are ignored (RFC 7591 §2). Only the operator sets what `ClientField` has no
    /// name of metadata for, such as `trusted`.
    package init(
        id: String, metadata: JSONObject, rules: ClientMetadataRules
    ) throws(ClientMetadataError) {
        self.init(id: id, grants: [.authorizationCode])
        registersItself = true
        // RFC 7591 §2: the default of a registration; a document cannot share a secret.
        isConfidential = rules.permitsSecrets
        try refuseUnsupported(metadata, rules)
        for field in ClientField.all {
            // Clients send null and empty texts for what they do not say.
            guard let name = field.metadata, let value = metadata.value(of: name), !value.isNull, value != "" else {
                continue
            }
            do throws(WordError) { try read(value, of: field, name, rules) } catch {
                // What is for people only must not keep a client out (RFC 7591 §2).
                let isForPeople = ClientField.presentation.contains { $0.name == field.name }
                if isForPeople, name != "initiate_login_uri" { continue }
                throw ClientMetadataError(name, error.reason)
            }
        }
        if authenticationMethod == nil, !redirectURIs.contains(where: AppRedirect.isClaimed) {
            // A program on a device cannot keep a secret (RFC 8252 §8.5), whatever the default says.
            authenticationMethod = OAuthClient.AuthenticationMethod.none
        }
        isConfidential = authenticationMethod.map { $0 != .none } ?? isConfidential
        // Nothing that the server knows, as of a client for any server, is as good as nothing.
        if scopes?.isEmpty ?? true { scopes = rules.scopes }
        try requireConsistency(rules)
    }

    /// Refuses members that this server would have to act on, and that it does not support.
    private func refuseUnsupported(_ metadata: JSONObject, _ rules: ClientMetadataRules) throws(ClientMetadataError) {
        func refuse(_ name: String, unless isPermitted: (JSONValue) -> Bool, _ reason: String)
            throws(ClientMetadataError)
        {
            guard let value = metadata[name], !value.isNull, !isPermitted(value) else { return }
            throw ClientMetadataError(name, reason)
        }
        try refuse("subject_type", unless: { $0 == "public" }, "has a 'subject_type' other than public")
        try refuse(
            "response_types", unless: { $0.arrayValue?.contains("code") ?? false }, "has no 'response_types' with code")
        for name in [
            "id_token_encrypted_response_alg", "userinfo_encrypted_response_alg",
            "authorization_encrypted_response_alg", "introspection_encrypted_response_alg",
        ] {
            // A client that asks for a protection must not get less.
            try refuse(name, unless: { $0 == "none" }, "has '\(name)', which this server does not support")
        }
        if rules.certificateMethods.isEmpty {
            try refuse(
                "tls_client_certificate_bound_access_tokens", unless: { $0 == false },
                "wants tokens that are bound to a certificate, which this server does not take: use DPoP")
        }
        for method in [OAuthClient.AuthenticationMethod.tlsClientAuth, .selfSignedTLSClientAuth]
        where !rules.certificateMethods.contains(method) {
            try refuse(
                "token_endpoint_auth_method", unless: { $0 != .string(method.rawValue) },
                "authenticates with a certificate by \(method.rawValue), which this server does not take: use private_key_jwt"
            )
        }
        guard !rules.permitsSecrets else { return }
        for name in ["client_secret", "client_secret_expires_at"] where metadata[name] != nil {
            throw ClientMetadataError(name, "publishes '\(name)': everybody could read a secret in a document")
        }
    }

    /// Takes one member.
    private mutating func read(
        _ value: JSONValue, of field: ClientField, _ name: String, _ rules: ClientMetadataRules
    ) throws(WordError) {
        switch field.form {
        case .flag(let path, _):
            guard let flag = value.boolValue else { throw WordError(reason: "needs true or false in '\(name)'") }
            self[keyPath: path] = flag
        case .list(let read, _):
            let texts = try Self.texts(of: value, name)
            guard texts.count <= 50 else { throw WordError(reason: "has more than 50 values in '\(name)'") }
            try read(permitted(texts, name, rules), name, &self)
        case .algorithm(let path, let known):
            self[keyPath: path] = try ClientField.algorithm(try Self.text(of: value, name), of: known, in: name)
        case .text(let read, _): try read(try Self.text(of: value, name), &self)
        case .title(let path): self[keyPath: path] = try field.title(try Self.text(of: value, name))
        case .number(let path):
            guard let number = value.intValue else { throw WordError(reason: "needs a number in '\(name)'") }
            self[keyPath: path] = try field.number(number)
        case .json(let path): self[keyPath: path] = value
        }
    }

    /// Returns the grants or scopes that the rules permit; any other list as it is.
    private func permitted(
        _ texts: [String], _ name: String, _ rules: ClientMetadataRules
    ) -> [String] {
        let permitted: [String]
        switch name {
        case "grant_types": permitted = rules.grants.map(\.rawValue)
        case "scope": permitted = rules.scopes.elements.map(\.rawValue)
        default: return texts
        }
        // The response says what is registered (RFC 7591 §3.2.1). Clients list what they use at any server.
        return texts.filter(permitted.contains)
    }

    private static func text(of value: JSONValue, _ name: String) throws(WordError) -> String {
        guard let text = value.stringValue else { throw WordError(reason: "needs a text in '\(name)'") }
        return text
    }

    private static func texts(of value: JSONValue, _ name: String) throws(WordError) -> [String] {
        if name == "scope" {
            // RFC 7591 §2: with spaces between the scopes.
            return try text(of: value, name).utf8.split(separator: 0x20).map { String(Substring($0)) }
        }
        guard let values = value.arrayValue else { throw WordError(reason: "needs a list of texts in '\(name)'") }
        let texts = values.compactMap(\.stringValue)
        guard texts.count == values.count else { throw WordError(reason: "needs a list of texts in '\(name)'") }
        return texts
    }
}

// MARK: Consistency

extension OAuthClient {
    /// The schemes, besides those that no client may have, by which a browser opens a program of the system.
    private static let systemSchemes: Set = [
        "search", "intent", "android-app", "tel", "sms", "mailto", "facetime", "edge", "res", "content", "shell", "jar",
        "callto", "skype",
    ]
    private static let systemPrefixes = ["ms-", "search-", "itms-", "chrome"]

    /// Returns whether a client that no operator has checked may be returned to at a URL.
    ///
    /// The user decides by the host. A browser decodes escapes in it, and the page would show them as they are.
    private static func isRegistrable(_ url: String) -> Bool {
        guard AppRedirect.isSecure(url) else {
            let scheme = String(url.unicodeScalars.prefix { $0 != ":" })
            return !systemSchemes.contains(scheme) && !systemPrefixes.contains { scheme.utf8.starts(with: $0.utf8) }
        }
        let authority = url.utf8.dropFirst("https://".utf8.count).prefix { !"/?".utf8.contains($0) }
        return !authority.isEmpty
            && authority.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || "-.:[]".utf8.contains(byte)
            }
    }

    /// Requires what a client needs that no operator has checked.
    private mutating func requireConsistency(_ rules: ClientMetadataRules) throws(ClientMetadataError) {
        guard rules.permitsSecrets || !hasSecret else {
            throw ClientMetadataError(
                "token_endpoint_auth_method", "cannot share a secret by a document: use none or private_key_jwt")
        }
        // A client that signs no users in would belong to the operator.
        guard signsUsersIn else {
            throw ClientMetadataError("grant_types", "needs the grant authorization_code or the device code")
        }
        guard grants.contains(.authorizationCode) == !redirectURIs.isEmpty else {
            throw redirectURIs.isEmpty
                ? ClientMetadataError("redirect_uris", "needs a URL in 'redirect_uris'")
                : ClientMetadataError("grant_types", "has 'redirect_uris' and not the grant authorization_code")
        }
        // Programs leave it out, or register https and loopback URLs together: each URL has its own rules.
        if applicationType == nil { applicationType = redirectURIs.allSatisfy(AppRedirect.isClaimed) ? .web : .native }
        for (name, urls) in [("redirect_uris", redirectURIs), ("post_logout_redirect_uris", postLogoutRedirectURIs)]
        where !urls.allSatisfy(Self.isRegistrable) {
            throw ClientMetadataError(name, "has a URL in '\(name)' that only an operator may register")
        }
        do throws(WordError) { _ = try publicKeys() } catch {
            throw ClientMetadataError(jwks == nil && jwksURI != nil ? "jwks_uri" : "jwks", error.reason)
        }
    }

}

// MARK: Writing

extension OAuthClient {
    /// The metadata of the client with its defaults, as a response of registration has it (RFC 7591 §3.2.1).
    package var metadata: JSONObject {
        var metadata: JSONObject = ["client_id": .string(id)]
        for field in ClientField.all {
            guard let name = field.metadata else { continue }
            switch field.form {
            case .flag(let path, _): metadata[name] = .bool(self[keyPath: path])
            case .list(_, let write):
                guard let list = write(self) else { continue }
                metadata[name] =
                    name == "scope"
                    ? .string(list.joined(separator: " ")) : .array(list.map { .string($0) })
            case .algorithm(let path, _): metadata[name] = .string(self[keyPath: path].rawValue)
            case .text(_, let write): metadata[name] = write(self).map { .string($0) }
            case .title(let path): metadata[name] = self[keyPath: path].map { .string($0) }
            case .number(let path): metadata[name] = self[keyPath: path].map { .integer(Int64($0)) }
            case .json(let path): metadata[name] = self[keyPath: path]
            }
        }
        let method: AuthenticationMethod = authenticationMethod ?? (isConfidential ? .secretBasic : .none)
        metadata["token_endpoint_auth_method"] = .string(method.rawValue)
        metadata["response_types"] = grants.contains(.authorizationCode) ? ["code"] : []
        metadata["subject_type"] = "public"
        return metadata
    }
}

extension JSONObject {
    /// Returns a member; the case of a language tag does not count (RFC 7591 §2.2).
    fileprivate func value(of name: String) -> JSONValue? {
        guard self[name] == nil, name.utf8.contains(UInt8(ascii: "#")) else { return self[name] }
        let lowercased = name.lowercasedASCII()
        return keys.first { $0.lowercasedASCII() == lowercased }.flatMap { self[$0] }
    }
}
