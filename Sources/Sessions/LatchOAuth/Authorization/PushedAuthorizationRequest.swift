// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

extension TokenEndpoint {
    /// Returns the parameters of an authorization request in the form that the browser carries.
    ///
    /// It carries all of them, or a request object (RFC 9101), or a reference. A reference is to an object that is
    /// published, or to parameters that were sent to the server in advance (RFC 9126).
    func prepared(
        _ parameters: [(String, String)], _ configuration: OAuthConfiguration, boundTo key: DPoPKey?
    ) async throws -> [(String, String)] {
        var parameters = parameters
        let clientID = [("client_id", registration.clientID ?? "")]
        let isPushed = configuration.pushesRequests || server.isTrue("require_pushed_authorization_requests")
        if !isPushed, let publisher = configuration.requestPublisher {
            let url = try await published(parameters, by: publisher)
            return clientID + Self.repeated(of: parameters) + [("request_uri", url)]
        }
        if configuration.signsRequests || server.isTrue("require_signed_request_object") {
            let object = [("request", try signed(requestClaims(parameters)))]
            guard isPushed else { return clientID + Self.repeated(of: parameters) + object }
            // RFC 9126 §3: a pushed request has all parameters in its object.
            parameters = clientID + object
        }
        guard isPushed else { return parameters }
        guard let url = server.pushedAuthorizationRequestEndpoint else {
            throw OAuthError.missingEndpoint("pushed_authorization_request_endpoint")
        }
        // RFC 9126 §2: the client ID is a parameter of the request. Every method of authentication except `basic` adds
        // it.
        let form = registration.authentication == .basic ? parameters : parameters.filter { $0.0 != "client_id" }
        let response = try await post(
            form, to: endpoint("pushed_authorization_request_endpoint", url), RequestContext(key: key))
        guard let reference = try response.members()["request_uri"]?.stringValue, !reference.isEmpty else {
            throw OAuthError.invalidResponse("it has no request_uri", status: response.status)
        }
        return clientID + [("request_uri", reference)]
    }

    /// Returns the parameters that the browser carries beside a request object.
    ///
    /// OpenID Connect Core §6.1 requires `response_type`, and `scope` with `openid`, so that the request is also valid
    /// OAuth 2.0. The other scopes stay in the object.
    private static func repeated(of parameters: [(String, String)]) -> [(String, String)] {
        let scopes = Scopes(parsing: parameters.first { $0.0 == "scope" }?.1 ?? "")
        return parameters.filter { $0.0 == "response_type" } + (scopes.contains("openid") ? [("scope", "openid")] : [])
    }

    /// Publishes a request object, and returns its URL.
    private func published(
        _ parameters: [(String, String)], by publisher: RequestPublisher
    ) async throws -> String {
        let claims = requestClaims(parameters)
        let isSigned = registration.signingKey != nil || !publisher.allowsUnsigned
        let object = isSigned ? try signed(claims) : Self.unsigned(claims)
        return try await publisher.url(of: object, until: claims.expiry ?? clock.now, isSigned: isSigned)
    }

    /// Returns a signed request object (RFC 9101 §4).
    private func signed(_ claims: Claims) throws(OAuthError) -> String {
        guard let key = registration.signingKey ?? registration.secretKey(for: .hs256) else {
            throw .unsuitableClientKey
        }
        do { return try JWT.sign(claims, with: key, type: "oauth-authz-req+jwt") } catch {
            throw .unsuitableClientKey
        }
    }

    /// Returns a request object without a signature (OpenID Connect Core §6.1), which no other function accepts.
    private static func unsigned(_ claims: Claims) -> String {
        let header: JSONValue = ["alg": "none", "typ": "oauth-authz-req+jwt"]
        let parts = [header, .object(claims.members)].map { Base64URL.encode($0.serialized()) }
        return "\(parts[0]).\(parts[1])."
    }

    /// Returns the claims of a request object (RFC 9101 §4).
    private func requestClaims(_ parameters: [(String, String)]) -> Claims {
        var claims = Claims()
        for (name, value) in parameters {
            // Members that are JSON in a request object are text elsewhere (RFC 9101 §4, RFC 9396 §2).
            let json = ["claims", "authorization_details"].contains(name) ? Self.json(value) : nil
            let number: JSONValue? = name == "max_age" ? Int64(value).map { .integer($0) } : nil
            claims[name] = json ?? number ?? .string(value)
        }
        // RFC 8707 §2: only this parameter may occur several times.
        let resources = parameters.filter { $0.0 == "resource" }.map { JSONValue.string($0.1) }
        if resources.count > 1 { claims["resource"] = .array(resources) }
        claims.issuer = registration.clientID
        claims.audience = [server.issuer.absoluteString]
        claims.id = random.identifier()
        claims.issuedAt = Date(timeIntervalSince1970: clock.now.timeIntervalSince1970.rounded(.down))
        claims.notBefore = claims.issuedAt
        // RFC 9101 §10.2: a request is used immediately.
        claims.expiry = claims.issuedAt?.addingTimeInterval(300)
        return claims
    }

    private static func json(_ text: String) -> JSONValue? {
        do { return try JSONValue(parsing: text) } catch { return nil }
    }
}
