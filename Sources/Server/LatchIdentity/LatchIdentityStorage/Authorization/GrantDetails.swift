// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore

/// The conditions of a grant besides its scopes, from the request to each of its tokens.
///
/// Store and forms keep them as one JSON object, so that a condition that is added needs no column. A server of an
/// earlier version ignores members that it does not know.
package struct GrantDetails: Sendable, Hashable {
    /// The resource servers that the tokens may be for (RFC 8707 §2), as they are registered; empty for the operator's
    /// API.
    package var resources: [String] = []
    /// What the client must prove.
    package var binding = TokenBinding()

    /// The claims about the user that the request names for userinfo and for the ID token (OpenID Connect Core §5.5).
    package var claims = ClaimNames()

    /// The rights that the user has granted besides the scopes (RFC 9396).
    package var authorization = AuthorizationDetails()

    /// How the user signed in, as a value of `amr` (RFC 8176 §2); nil for a password.
    package var method: String?

    /// The way in which the user of a browser's session signed in; nil in other rows, and in those of earlier versions.
    package var way: SignInWay?

    /// Claims by their names.
    package struct ClaimNames: Sendable, Hashable {
        package var userInfo: [String] = []
        package var idToken: [String] = []
        /// The scopes of those that are attributes, by the claim.
        package var attributeScopes: [String: String] = [:]

        package init(userInfo: [String] = [], idToken: [String] = [], attributeScopes: [String: String] = [:]) {
            self.userInfo = userInfo
            self.idToken = idToken
            self.attributeScopes = attributeScopes
        }

        /// Returns scopes together with those whose texts on the consent page name the claims.
        package func adding(to scopes: Scopes) -> Scopes {
            (userInfo + idToken).reduce(into: scopes) { scopes, name in
                scopes.insert(attributeScopes[name].flatMap { Scope(rawValue: $0) } ?? Self.scope(of: name))
            }
        }

        /// Returns the scope that a claim of the specification belongs to (OpenID Connect Core §5.4).
        package static func scope(of name: String) -> Scope {
            switch name {
            case "email", "email_verified": "email"
            case "phone_number", "phone_number_verified": "phone"
            default: "profile"
            }
        }
    }

    package init(
        resources: [String] = [], binding: TokenBinding = TokenBinding(), claims: ClaimNames = ClaimNames(),
        authorization: AuthorizationDetails = AuthorizationDetails()
    ) {
        self.resources = resources
        self.binding = binding
        self.claims = claims
        self.authorization = authorization
    }

    private init(_ members: JSONObject) {
        let list = { (name: String) in members[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
        resources = list("resources")
        claims = ClaimNames(
            userInfo: list("userinfo"), idToken: list("id_token"),
            attributeScopes: (members["claim_scopes"]?.objectValue ?? [:]).reduce(into: [:]) {
                $0[$1.key] = $1.value.stringValue
            })
        binding = TokenBinding(members)
        method = members["amr"]?.stringValue
        way = members["way"]?.stringValue.flatMap(SignInWay.init)
        authorization = AuthorizationDetails(members["authorization_details"]?.arrayValue ?? [])
    }

    private var members: JSONObject {
        var members = binding.members
        for (name, list) in [("resources", resources), ("userinfo", claims.userInfo), ("id_token", claims.idToken)]
        where !list.isEmpty { members[name] = .array(list.map { .string($0) }) }
        if !claims.attributeScopes.isEmpty {
            members["claim_scopes"] = .object(
                JSONObject(sorting: claims.attributeScopes.mapValues { .string($0) }))
        }
        members["authorization_details"] = authorization.json
        members["amr"] = method.map { .string($0) }
        members["way"] = way.map { .string($0.rawValue) }
        return members
    }
}

extension GrantDetails {
    /// Reads the text of a column; nil is a grant without conditions.
    ///
    /// - Throws: `IdentityError.corruptStore`, since conditions that cannot be read must not be left out.
    init(column text: String?) throws(IdentityError) {
        guard let text else {
            self.init()
            return
        }
        let members: JSONObject?
        do throws(JSONError) { members = try JSONValue(parsing: text).objectValue } catch { members = nil }
        guard let members else { throw .corruptStore("the details of a grant are not a JSON object") }
        self.init(members)
    }

    /// The text of a column; nil for a grant without conditions.
    var column: String? {
        let members = members
        return members.isEmpty ? nil : String(decoding: JSONValue.object(members).serialized(), as: UTF8.self)
    }
}

extension GrantDetails: Codable {
    package init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(JSONValue.self).objectValue ?? [:])
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(JSONValue.object(members))
    }
}
