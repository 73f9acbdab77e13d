// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
package import LatchServer

/// The route by which a client finds the issuer of a user (OpenID Connect Discovery §2, RFC 7033).
///
/// The issuer is that of each resource of its host. So the response says nothing about accounts.
package struct WebFingerRoutes: Sendable {
    package let accessTokens: AccessTokenIssuer
    package let limits: RateLimits

    package init(accessTokens: AccessTokenIssuer, limits: RateLimits) {
        (self.accessTokens, self.limits) = (accessTokens, limits)
    }

    package func add(to router: inout Router) {
        router.group(interceptors: limits.limiting(.other)) {
            $0.getImmediately("/.well-known/webfinger", .getWebFinger, find)
        }
    }

    private static let issuerRelation = "http://openid.net/specs/connect/1.0/issuer"

    /// Returns the issuer of a resource as a JSON Resource Descriptor (RFC 7033 §4.4).
    @Sendable private func find(_ request: HTTPRequest) throws -> HTTPResponse {
        guard let issuer = accessTokens.issuer else { throw IdentityError.notReady }
        let items = request.queryItems
        // RFC 7033 §4.2: one resource.
        guard let resource = try items.single("resource"), !resource.isEmpty, resource.utf8.count <= 500 else {
            throw IdentityError.missing("resource")
        }
        guard let host = Self.host(of: resource), host == Self.host(of: issuer) else {
            throw IdentityError.noSuchResource
        }
        let relations = items.values(of: "rel")
        // RFC 7033 §4.3: a client may name the relations that it wants.
        let links: JSONValue =
            relations.isEmpty || relations.contains(Self.issuerRelation)
            ? [["rel": .string(Self.issuerRelation), "href": .string(issuer)]] : []
        var response = HTTPResponse.json(["subject": .string(resource), "links": links])
        response.fields[.contentType] = "application/jrd+json"
        response.fields[.cacheControl] = "public, max-age=300"
        // RFC 7033 §5: pages of all origins may read it.
        response.fields["Access-Control-Allow-Origin"] = "*"
        return response
    }

    /// Returns the host of an account such as `acct:ada@id.example`, or of a URL, without its port.
    ///
    /// OpenID Connect Discovery §2.1.2 has clients write the scheme.
    private static func host(of resource: String) -> String? {
        if resource.utf8.starts(with: "acct:".utf8) {
            let parts = resource.utf8.dropFirst("acct:".utf8.count).split(
                separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
            return HTTPOrigin(scheme: "https", authority: String(Substring(parts[1]))).host
        }
        // `https://ada@id.example/` names a user of the host, too.
        guard let separator = resource.utf8.firstRange(of: "://".utf8),
            separator.lowerBound > resource.startIndex
        else { return nil }
        let authority = resource.utf8[separator.upperBound...].prefix { !"/?#".utf8.contains($0) }
        let user = authority.lastIndex(of: UInt8(ascii: "@"))
        let host = user.map { authority[authority.index(after: $0)...] } ?? authority
        return HTTPOrigin(scheme: "https", authority: String(Substring(host))).host
    }
}
