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

extension ClientMetadata {
    /// Returns the document to publish at `clientID`, which is then the client identifier at issuers that fetch it
    /// (draft-ietf-oauth-client-id-metadata-document).
    ///
    /// - Throws: `OAuthError.unsuitableClientID` if the URL is not one of such a document, or if the client would
    ///   authenticate with a secret, which the document cannot contain.
    public func document(for clientID: URL) throws(OAuthError) -> JSONObject {
        try Self.check(clientID)
        guard ![.basic, .post, .secretJWT].contains(authentication) else {
            throw .unsuitableClientID("a published client has no secret")
        }
        var document = members
        document["client_id"] = .string(clientID.absoluteString)
        return document
    }

    /// Checks the URL of a client's document (§3 of the draft), which issuers compare character by character.
    static func check(_ clientID: URL) throws(OAuthError) {
        let path = clientID.path(percentEncoded: true)
        guard clientID.scheme == "https", clientID.host() != nil, clientID.fragment() == nil,
            clientID.user(percentEncoded: true) == nil, clientID.password(percentEncoded: true) == nil
        else { throw .unsuitableClientID("it is not an https URL without a user and a fragment") }
        let segments = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard !segments.isEmpty, !segments.contains("."), !segments.contains("..") else {
            throw .unsuitableClientID("it has no path, or one with dots")
        }
    }
}

extension OAuthError {
    /// The URL cannot be the identifier of a client.
    public static let unsuitableClientID = OAuthError.unsuitableClientID("it is not an https URL with a path")

    static func unsuitableClientID(_ reason: String) -> OAuthError {
        OAuthError(
            code: "unsuitableClientID", message: "The URL cannot identify a client: \(reason).",
            hint: "Publish the client's metadata at an https URL such as https://example.com/client.json.")
    }
}

extension TokenEndpoint {
    /// Registers this program at the server (RFC 7591 §3), and returns what the server registered.
    ///
    /// Keep the result in a secret store, as a ``ClientRegistrar`` does: it contains the token that changes and deletes
    /// the registration.
    ///
    /// - Parameters:
    ///   - metadata: The metadata of this program.
    ///   - initialToken: The token that the server requires for a registration; nil if it requires none.
    /// - Throws: `OAuthError.missingEndpoint` if the server registers no clients, and the server's refusal.
    public func register(_ metadata: ClientMetadata, initialToken: String? = nil) async throws -> RegisteredClient {
        guard let url = server.registrationEndpoint else { throw OAuthError.missingEndpoint("registration_endpoint") }
        let response = try await send(to: url, hiding: [initialToken].compactMap(\.self)) { request in
            request.fields[.contentType] = "application/json"
            request.fields[.authorization] = initialToken.map { "Bearer \($0)" }
            request.body = HTTPBody(JSONValue.object(metadata.members).serialized())
        }
        return try RegisteredClient(response.members(), requested: metadata.authentication, status: response.status)
    }

    /// Returns the current registration of a client (RFC 7592 §2.1).
    func read(_ client: RegisteredClient) async throws -> RegisteredClient {
        let response = try await manage(client, .get)
        return try client.updated(by: response.members())
    }

    /// Replaces the metadata of a client (RFC 7592 §2.2).
    func update(_ client: RegisteredClient, to metadata: ClientMetadata) async throws -> RegisteredClient {
        var members = metadata.members
        members["client_id"] = client.registration.clientID.map { .string($0) }
        members["client_secret"] = client.registration.secret.map { .string($0) }
        let response = try await manage(client, .put, JSONValue.object(members).serialized())
        return try client.updated(by: response.members())
    }

    /// Deletes the registration of a client (RFC 7592 §2.3).
    func delete(_ client: RegisteredClient) async throws { _ = try await manage(client, .delete) }

    private func manage(
        _ client: RegisteredClient, _ method: HTTPMethod, _ content: [UInt8]? = nil
    ) async throws -> HTTPResponse {
        guard let (url, token) = client.management else {
            throw OAuthError.missingEndpoint("registration_client_uri")
        }
        // The token is a secret of the origin that issued it.
        guard let origin = HTTPOrigin(url), origin == server.registrationEndpoint.flatMap(HTTPOrigin.init) else {
            throw OAuthError.invalidResponse("the registration_client_uri is on another host")
        }
        return try await send(to: url, hiding: [token, client.registration.secret].compactMap(\.self)) { request in
            request.method = method
            request.fields[.authorization] = "Bearer \(token)"
            guard let content else { return }
            request.fields[.contentType] = "application/json"
            request.body = HTTPBody(content)
        }
    }
}
