// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchFoundation
import LatchHTTP
import LatchJOSE

/// The metadata that a program registers itself with (RFC 7591 §2).
public struct ClientMetadata: Sendable, Hashable {
    /// The URLs that the server may redirect to.
    public var redirectURIs: [URL]
    /// The name that users see.
    public var name: String?
    /// The grant types that the program uses.
    public var grantTypes = ["authorization_code", "refresh_token"]
    /// Whether the program is installed on users' devices instead of a server (OpenID Connect Dynamic Client
    /// Registration §2).
    public var isNative = true
    /// The scopes that the program may request; nil for the server's default scopes.
    public var scopes: Scopes?
    /// The method of client authentication.
    public var authentication = ClientRegistration.Authentication.none
    /// Additional members, such as `software_id`.
    public var extra: JSONObject = [:]

    /// Creates the metadata of a program.
    public init(redirectURIs: [URL], name: String? = nil) {
        self.redirectURIs = redirectURIs
        self.name = name
    }

    /// The members in the form that is sent.
    var members: JSONObject {
        var members = extra
        members["redirect_uris"] = .array(redirectURIs.map { .string($0.absoluteString) })
        members["client_name"] = name.map { .string($0) }
        members["grant_types"] = .array(grantTypes.map { .string($0) })
        members["response_types"] = grantTypes.contains("authorization_code") ? ["code"] : []
        members["application_type"] = isNative ? "native" : "web"
        members["scope"] = scopes.map { .string($0.text) }
        members["token_endpoint_auth_method"] = .string(authentication.metadataValue)
        return members
    }
}

extension ClientRegistration.Authentication {
    /// The name in metadata (RFC 7591 §2).
    var metadataValue: String {
        switch self {
        case .none: "none"
        case .basic: "client_secret_basic"
        case .post: "client_secret_post"
        case .secretJWT, .privateKeyJWT, .tls: rawValue
        }
    }

    /// Creates a method from its name in metadata; nil if the method is not supported here.
    init?(metadataValue: String) {
        switch metadataValue {
        case "client_secret_basic": self = .basic
        case "client_secret_post": self = .post
        case "self_signed_tls_client_auth": self = .tls
        default: self.init(rawValue: metadataValue)
        }
    }
}

extension TokenEndpoint {
    /// Registers this program at the server (RFC 7591 §3), and returns its registration.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of this program.
    ///   - initialToken: The token that the server requires for a registration; nil if it requires none.
    /// - Throws: `OAuthError.missingEndpoint` if the server registers no clients, and the server's refusal.
    public func register(_ metadata: ClientMetadata, initialToken: String? = nil) async throws -> ClientRegistration {
        guard let url = server.registrationEndpoint else { throw OAuthError.missingEndpoint("registration_endpoint") }
        let response = try await send(to: url, hiding: [initialToken].compactMap(\.self)) { request in
            request.fields[.contentType] = "application/json"
            request.fields[.authorization] = initialToken.map { "Bearer \($0)" }
            request.body = HTTPBody(JSONValue.object(metadata.members).serialized())
        }
        let members = try response.members()
        guard let clientID = members["client_id"]?.stringValue, !clientID.isEmpty else {
            throw OAuthError.invalidResponse("it has no client_id", status: response.status)
        }
        // RFC 7591 §3.2.1: the server may have changed any member.
        let method = members["token_endpoint_auth_method"]?.stringValue
        guard let authentication = method.map({ .init(metadataValue: $0) }) ?? metadata.authentication else {
            throw OAuthError.invalidResponse("it has a method of authentication that is not supported here")
        }
        return ClientRegistration(
            clientID: clientID, secret: members["client_secret"]?.stringValue, authentication: authentication)
    }
}
