// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

/// The request for the metadata of an authorization server (RFC 8414 §3, OpenID Connect Discovery §4).
struct ServerDiscovery: Sendable {
    /// The maximum size of a metadata document, many times that of any real one.
    private static let greatestSize = 256 << 10

    let issuer: URL
    let transport: any Handler
    let allowingInsecureHTTP: InsecureHTTP
    let timeout: Duration?
    /// The accepted issuers apart from `issuer` itself; see ``IssuerTemplate``.
    let template: IssuerTemplate?
    /// The keys that must have signed the metadata (RFC 8414 §2.1); nil if its transport suffices.
    let metadataKeys: KeySet?
    let clock: WallClock

    /// Fetches the metadata.
    ///
    /// - Throws: `OAuthError.discoveryFailed` if the issuer publishes none, `issuerMismatch` if it is another issuer's,
    ///   `invalidMetadata` if it is malformed or not signed as required. `HTTPError` if the server cannot be reached.
    func server() async throws -> AuthorizationServer {
        let client = Client(
            baseURL: issuer,
            transport: BoundedResponses(transport, maximumSize: Self.greatestSize, within: timeout ?? .seconds(60)),
            allowingInsecureHTTP: allowingInsecureHTTP,
            // The metadata is trusted because it comes from this origin, so redirects must stay within it.
            redirects: RedirectPolicy(maximum: 3, staysWithinOrigin: true), timeout: timeout)
        var last: HTTPStatus?
        var outage: OAuthError?
        for url in try Self.locations(of: issuer) {
            var request = try HTTPRequest(url: url, fields: [.accept: "application/json"])
            request.timeout = timeout
            let response = try await client.respond(to: request)
            // A web server may answer any path with a page.
            if response.status == .ok, let members = Self.members(response.body.bytesWithoutMark) {
                return try decode(signed(members))
            }
            // A server may fail at one place because the document is at another.
            if response.status.isServerError || response.status == .tooManyRequests {
                outage = outage ?? OAuthError(response, now: clock.now)
            }
            last = response.status
        }
        if let outage { throw outage }
        throw OAuthError.discoveryFailed(issuer.absoluteString, status: last)
    }

    private static func members(_ bytes: [UInt8]) -> JSONObject? {
        do { return try JSONValue(parsing: bytes).objectValue } catch { return nil }
    }

    /// Returns the metadata with what is signed in the place of what is not (RFC 8414 §2.1).
    ///
    /// Without required keys the signed members are ignored, as the section permits.
    private func signed(_ members: JSONObject) throws(OAuthError) -> JSONObject {
        guard let metadataKeys else { return members }
        // An attacker who can change the document could also remove the signature.
        guard let text = members["signed_metadata"]?.stringValue else {
            throw .invalidMetadata("it has no signed_metadata")
        }
        let claims: Claims
        do {
            claims = try JWTVerifier(
                keys: metadataKeys, algorithms: SignatureAlgorithm.asymmetric, requiresExpiry: false,
                limit: Self.greatestSize, clock: clock
            ).verify(text)
        } catch {
            throw .invalidMetadata("its signed_metadata is not valid (\(error.code))")
        }
        // Another token of the same key says nothing about the server.
        guard claims["issuer"]?.stringValue != nil, claims.issuer != nil else {
            throw .invalidMetadata("its signed_metadata names no issuer")
        }
        var members = members
        for (name, value) in claims.members { members[name] = value }
        return members
    }

    private func decode(_ members: JSONObject) throws(OAuthError) -> AuthorizationServer {
        // RFC 8414 §3.3: the characters must be equal, or another issuer could pass for this one.
        let stated = members["issuer"]?.stringValue ?? ""
        guard stated.utf8.elementsEqual(issuer.absoluteString.utf8) || template?.matches(metadata: stated) == true
        else {
            throw .issuerMismatch(expected: issuer.absoluteString, actual: stated)
        }
        return try AuthorizationServer(metadata: members, issuer: issuer, isAllowed: allows)
    }

    private func allows(_ url: URL) -> Bool {
        guard let origin = HTTPOrigin(url) else { return false }
        // A server on another machine must not name a service on this machine.
        return allowingInsecureHTTP.allows(origin) && (!origin.isLoopback || HTTPOrigin(issuer)?.isLoopback == true)
    }

    /// Returns the URLs at which the document may be, in the order of the attempts.
    ///
    /// The first is that of OpenID Connect, which most servers have. The second is that of OAuth. For an issuer with a
    /// path, the third is the document of OpenID Connect at the place that OAuth defines (RFC 8414 §5).
    static func locations(of issuer: URL) throws(OAuthError) -> [URL] {
        let text = issuer.absoluteString
        guard let origin = HTTPOrigin(issuer) else {
            throw .invalidMetadata("'\(OAuthError.printable(text))' is not an http or https URL")
        }
        guard issuer.query() == nil, issuer.fragment() == nil else {
            throw .invalidMetadata("an issuer is a URL without a query or a fragment")
        }
        // Both specifications: a slash at the end is removed first.
        let (path, base) = (withoutSlash(issuer.path(percentEncoded: true)), withoutSlash(text))
        var places = [
            "\(base)/.well-known/openid-configuration",
            // RFC 8414 §3.1: between the host and the path.
            "\(origin)/.well-known/oauth-authorization-server\(path)",
        ]
        if !path.isEmpty { places.append("\(origin)/.well-known/openid-configuration\(path)") }
        return places.compactMap { URL(encodingOnce: $0) }
    }
}

/// Returns a text without a slash at its end.
private func withoutSlash(_ text: String) -> Substring {
    text.utf8.last == UInt8(ascii: "/") ? Substring(text.utf8.dropLast()) : text[...]
}
