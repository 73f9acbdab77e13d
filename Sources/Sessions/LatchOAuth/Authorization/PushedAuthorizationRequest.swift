// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE

extension TokenEndpoint {
    /// Returns the parameters of an authorization request in the form that the browser carries.
    ///
    /// It carries all of them, or a reference to parameters that were signed (RFC 9101) or sent to the server in
    /// advance (RFC 9126).
    func prepared(
        _ parameters: [(String, String)], _ configuration: OAuthConfiguration, boundTo key: DPoPKey?
    ) async throws -> [(String, String)] {
        var parameters = parameters
        let clientID = [("client_id", registration.clientID ?? "")]
        if configuration.signsRequests || server.isTrue("require_signed_request_object") {
            // RFC 9101 §5: the server uses none of the other parameters.
            parameters = clientID + [("request", try requestObject(parameters))]
        }
        guard configuration.pushesRequests || server.isTrue("require_pushed_authorization_requests") else {
            return parameters
        }
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

    /// Returns a signed request object (RFC 9101 §4).
    private func requestObject(_ parameters: [(String, String)]) throws(OAuthError) -> String {
        guard let key = registration.signingKey ?? registration.secretKey(for: .hs256) else {
            throw .unsuitableClientKey
        }
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
        do { return try JWT.sign(claims, with: key, type: "oauth-authz-req+jwt") } catch {
            throw .unsuitableClientKey
        }
    }

    private static func json(_ text: String) -> JSONValue? {
        do { return try JSONValue(parsing: text) } catch { return nil }
    }
}
