// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
public import LatchHTTP
internal import LatchJOSE

/// The description of an API that accepts access tokens, and the metadata that it publishes (RFC 9728).
///
/// ```swift
/// let resource = try ProtectedResource(
///     url: URL(string: "https://api.example.com/notes")!, authorizationServers: [URL(string: "https://id.example.com")!],
///     scopes: ["notes:read", "notes:write"], proofs: .required(DPoPVerifier()))
/// router.on(resource.routes, handledBy: resource)      // /.well-known/oauth-protected-resource/notes
/// ```
///
/// Pass it to each ``AccessTokenInterceptor`` of the API. The challenges then name the document, and a client finds the
/// authorization server without configuration.
public struct ProtectedResource: Sendable {
    /// The requirement for proofs that the sender of a token holds its key (RFC 9449).
    public enum Proofs: Sendable {
        /// Tokens that are bound to a key are refused, because no proof is verified here.
        case unsupported
        /// Bound tokens need a proof, other tokens do not.
        case supported(DPoPVerifier)
        /// All tokens must be bound to a key.
        case required(DPoPVerifier)

        /// The verifier of proofs; nil without one.
        var verifier: DPoPVerifier? {
            switch self {
            case .unsupported: nil
            case .supported(let verifier), .required(let verifier): verifier
            }
        }

        /// Whether a token that is not bound to a key is refused.
        var isRequired: Bool { if case .required = self { true } else { false } }
    }

    /// The resource identifier: the URL that clients request tokens for (RFC 8707), and the `aud` of those tokens.
    public let url: URL
    /// The issuer identifiers of the servers whose tokens are accepted; a client uses the first.
    let authorizationServers: [URL]
    /// The scopes that the resource uses.
    let scopes: Scopes
    /// The requirement for proofs of a key.
    package var proofs: Proofs
    /// Returns the certificate of a request's client (DER); nil without one.
    let clientCertificate: (@Sendable (HTTPRequest) -> [UInt8]?)?
    /// The protection space of the challenges (RFC 9110 §11.5); nil for none.
    package var realm: String?
    /// Additional members of the document (RFC 9728 §2).
    let members: JSONObject

    /// The origin and the path of the resource.
    private let target: (origin: HTTPOrigin, path: String)

    /// Creates the description of a resource.
    ///
    /// - Parameters:
    ///   - url: The resource identifier, with https; plain http only for this machine. Clients compare it character by
    ///     character.
    ///   - authorizationServers: The issuer identifiers of the servers whose tokens are accepted; a client uses the
    ///     first.
    ///   - scopes: The scopes that the resource uses.
    ///   - proofs: The requirement for proofs of a key.
    ///   - clientCertificate: Returns the certificate (DER) that the client of a request has proved to have, such as
    ///     LatchServer's `HTTPRequest.forwardedClientCertificate(in:)`. Nil refuses tokens that are bound to a
    ///     certificate (RFC 8705 §3).
    ///   - realm: The protection space of the challenges (RFC 9110 §11.5); nil for none.
    ///   - members: Additional members of the document, such as `resource_name` (RFC 9728 §2).
    /// - Throws: `HTTPError.invalidURL` if the URL has a query or a fragment, and `HTTPError.insecureURL`.
    public init(
        url: URL, authorizationServers: [URL], scopes: Scopes = [], proofs: Proofs = .unsupported,
        clientCertificate: (@Sendable (HTTPRequest) -> [UInt8]?)? = nil, realm: String? = nil, members: JSONObject = [:]
    ) throws(HTTPError) {
        let text = url.absoluteString
        guard !text.utf8.contains(UInt8(ascii: "#")), !text.utf8.contains(UInt8(ascii: "?")) else {
            throw .invalidURL("a resource identifier has neither a query nor a fragment")
        }
        target = try HTTPOrigin.split(text)
        guard target.origin.scheme == "https" || target.origin.isLoopback else { throw .insecureURL }
        (self.url, self.authorizationServers, self.scopes) = (url, authorizationServers, scopes)
        (self.proofs, self.clientCertificate) = (proofs, clientCertificate)
        (self.realm, self.members) = (realm, members)
    }

    /// The origin that clients use, independently of the origin in a request.
    var origin: HTTPOrigin { target.origin }

    /// The path of the resource for its routes; at least `/`.
    public var path: String { target.path }

    /// The path of the document: between the host and the path of the resource (RFC 9728 §3.1).
    package var metadataPath: String {
        "/.well-known/oauth-protected-resource" + (target.path == "/" ? "" : target.path)
    }

    /// The URL of the document, as challenges name it (RFC 9728 §5.1).
    package var metadataURL: String { "\(origin)\(metadataPath)" }

    /// The document (RFC 9728 §2).
    package var metadata: JSONObject {
        var document = members
        document["resource"] = .string(url.absoluteString)
        // RFC 9728 §3.2: members with empty lists are left out.
        document["authorization_servers"] =
            authorizationServers.isEmpty ? nil : .array(authorizationServers.map { .string($0.absoluteString) })
        document["scopes_supported"] = scopes.isEmpty ? nil : .array(scopes.elements.map { .string($0.rawValue) })
        // Neither a form nor a query: a token is accepted only in the field Authorization.
        document["bearer_methods_supported"] = ["header"]
        if let verifier = proofs.verifier {
            document["dpop_signing_alg_values_supported"] = .array(verifier.algorithms.map { .string($0.rawValue) })
            document["dpop_bound_access_tokens_required"] = .bool(proofs.isRequired)
        }
        if clientCertificate != nil { document["tls_client_certificate_bound_access_tokens"] = true }
        return document
    }
}

extension ProtectedResource: Handler {
    /// The routes of the document, for `Router.on(_:handledBy:)`; they need no token.
    public var routes: [(method: HTTPMethod, pattern: String)] { [(.get, metadataPath)] }

    /// Returns the document.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        // The document is public, so browsers may read it from any origin.
        let fields: HTTPFields = [
            .contentType: "application/json", .cacheControl: "public, max-age=300", "Access-Control-Allow-Origin": "*",
        ]
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(JSONValue.object(metadata).serialized()))
    }
}
