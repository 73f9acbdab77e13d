// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchFoundation
public import LatchHTTP

/// The metadata that a protected resource publishes, with the authorization servers that issue its tokens (RFC 9728
/// §2).
///
/// ```swift
/// let metadata = try await ResourceMetadata(of: url, challengedBy: response)      // without a 401: the well-known URL
/// let configuration = try metadata.configuration(registration: registration)
/// ```
public struct ResourceMetadata: Sendable, Hashable {
    /// The resource identifier: the URL whose metadata was requested.
    public let resource: URL
    /// The issuer identifiers of the authorization servers in order of preference.
    public let authorizationServers: [URL]
    private let preferredServer: URL
    /// The scopes in the challenge, or else those that the resource supports; nil if neither is stated.
    public let scopes: Scopes?
    /// Whether the resource accepts only tokens that are bound to a key (RFC 9449).
    public var requiresBoundTokens: Bool { members["dpop_bound_access_tokens_required"]?.boolValue == true }
    /// All members of the document.
    public let members: JSONObject

    /// The maximum size of a document, many times that of any real one.
    private static let greatestSize = 64 << 10

    /// Fetches the metadata of a resource.
    ///
    /// - Parameters:
    ///   - resource: The resource identifier, exactly as the resource states it.
    ///   - response: The resource's refusal with 401, whose challenge names the URL of the document and the scopes. Nil
    ///     uses the well-known URL (RFC 9728 §3.1).
    ///   - transport: The handler that sends the request.
    ///   - allowingInsecureHTTP: The hosts that may be addressed by plain http.
    ///   - timeout: The timeout of the request; nil for that of the transport.
    /// - Throws: `OAuthError.resourceDiscoveryFailed` if the resource publishes no metadata, or metadata of another
    ///   resource; and `HTTPError`.
    public init(
        of resource: URL, challengedBy response: HTTPResponse? = nil, transport: any Handler = Transport.live,
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly, timeout: Duration? = nil
    ) async throws {
        let challenges = (response?.challenges() ?? []).filter { $0.isScheme("Bearer") || $0.isScheme("DPoP") }
        let location = try Self.location(
            of: resource, named: challenges.lazy.compactMap { $0["resource_metadata"] }.first)
        let client = Client(
            baseURL: location,
            transport: BoundedResponses(
                transport, maximumSize: Self.greatestSize, within: timeout ?? .seconds(60)),
            allowingInsecureHTTP: allowingInsecureHTTP,
            // The metadata is trusted because it comes from this origin, so redirects must stay within it.
            redirects: RedirectPolicy(maximum: 3, staysWithinOrigin: true), timeout: timeout)
        var request = try HTTPRequest(url: location, fields: [.accept: "application/json"])
        request.timeout = timeout
        let answer = try await client.respond(to: request)
        guard answer.status == .ok else {
            throw OAuthError.resourceDiscoveryFailed("the response has the status \(answer.status.rawValue)")
        }
        let scopes = challenges.lazy.compactMap { $0["scope"] }.first.map(Scopes.init(parsing:))
        try self.init(answer.body.bytes, of: resource, scopes: scopes) { server in
            guard let origin = HTTPOrigin(server), allowingInsecureHTTP.allows(origin) else { return false }
            // A resource on another machine must not name a service on this machine.
            return !origin.isLoopback || HTTPOrigin(resource)?.isLoopback == true
        }
    }

    /// Decodes a document, which must belong to the resource.
    private init(
        _ content: [UInt8], of resource: URL, scopes: Scopes?, isAllowed: (URL) -> Bool
    ) throws(OAuthError) {
        let object: JSONObject?
        do { object = try JSONValue(parsing: content).objectValue } catch {
            throw .resourceDiscoveryFailed("the document is not JSON")
        }
        guard let object else { throw .resourceDiscoveryFailed("the document is not a JSON object") }
        // RFC 9728 §3.3: the characters must be equal, or one resource could obtain the tokens of another.
        guard object["resource"]?.stringValue?.utf8.elementsEqual(resource.absoluteString.utf8) == true else {
            let named = OAuthError.printable(object["resource"]?.stringValue ?? "")
            throw .resourceDiscoveryFailed("the document is about '\(named)'")
        }
        let servers = object["authorization_servers"]?.arrayValue ?? []
        let issuers = servers.compactMap { $0.stringValue.flatMap { URL(encodingOnce: $0) } }
        guard let first = issuers.first, issuers.count == servers.count else {
            throw .resourceDiscoveryFailed("the document names no authorization server")
        }
        guard issuers.allSatisfy(isAllowed) else {
            throw .resourceDiscoveryFailed("an authorization server is not an https URL")
        }
        (authorizationServers, preferredServer) = (issuers, first)
        self.resource = resource
        self.scopes =
            scopes
            ?? object["scopes_supported"]?.arrayValue.map {
                Scopes($0.compactMap { $0.stringValue.flatMap(Scope.init) })
            }
        members = object
    }

    /// Returns the URL of the document: that of the challenge, or the well-known one.
    private static func location(of resource: URL, named text: String?) throws -> URL {
        let target = try HTTPOrigin.split(resource.absoluteString)
        guard resource.fragment() == nil else {
            throw OAuthError.resourceDiscoveryFailed("a resource identifier has no fragment")
        }
        guard let text else {
            // RFC 9728 §3.1: between the host and the path. A slash that is the whole path is removed.
            let isBare = target.path == "/" || target.path.utf8.starts(with: "/?".utf8)
            let suffix = isBare ? String(target.path.utf8.dropFirst()) ?? "" : target.path
            return try url("\(target.origin)/.well-known/oauth-protected-resource\(suffix)")
        }
        let location = try url(text)
        // RFC 9728 §7.3 leaves the origin open. It must be the same here, so that no resource sends clients to their
        // internal network.
        guard HTTPOrigin(location) == target.origin else {
            throw OAuthError.resourceDiscoveryFailed("the challenge names a document of another origin")
        }
        return location
    }

    private static func url(_ text: String) throws(OAuthError) -> URL {
        guard let url = URL(encodingOnce: text) else {
            throw .resourceDiscoveryFailed("the URL of the document is malformed")
        }
        return url
    }
}

extension ResourceMetadata {
    /// Returns a client configuration for the resource's first authorization server, whose metadata is then fetched.
    ///
    /// Its sign-ins request tokens for the resource (RFC 8707).
    ///
    /// - Parameters:
    ///   - registration: The registration of this program at that server.
    ///   - scopes: The scopes that a sign-in requests; nil for those of the metadata, which the resource chooses. Name
    ///     the scopes if you do not trust the resource with everything that the server would grant.
    ///   - issuers: The servers that may receive the registration's secret or assertion; the resource chooses among
    ///     them.
    /// - Throws: `OAuthError.resourceDiscoveryFailed` for a registration with a secret or a key, unless the server is
    ///   one of `issuers`.
    public func configuration(
        registration: ClientRegistration, scopes: Scopes? = nil, trusting issuers: [URL] = []
    ) throws(OAuthError) -> OAuthConfiguration {
        let isTrusted = issuers.contains { $0.absoluteString.utf8.elementsEqual(preferredServer.absoluteString.utf8) }
        guard registration.authentication == .none || isTrusted else {
            throw .resourceDiscoveryFailed(
                "its authorization server is not one that this client's secret is for",
                hint: "Name the issuer in `trusting:` if it may receive the secret.")
        }
        var configuration = OAuthConfiguration(
            issuer: preferredServer, registration: registration, scopes: scopes ?? self.scopes ?? [])
        configuration.resources = [resource.absoluteString]
        return configuration
    }
}

extension OAuthError {
    /// The resource does not say which authorization server issues its tokens (RFC 9728).
    public static let resourceDiscoveryFailed = resourceDiscoveryFailed("its form is wrong")

    static func resourceDiscoveryFailed(
        _ reason: String,
        hint: String =
            "Compare the URL with the resource's own, character by character, or configure the issuer by hand."
    ) -> OAuthError {
        OAuthError(
            code: "resourceDiscoveryFailed", message: "The resource's metadata cannot be used: \(reason).", hint: hint)
    }
}
