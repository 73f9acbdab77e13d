// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
public import LatchOAuth
import LatchTesting
import Synchronization

// The page of the provider, and its user.
extension ScriptedProvider {
    /// Plays the user at the authorization page: signs in, approves, and is redirected.
    ///
    /// A posted response also is the query of the returned URL.
    public func approve(_ attempt: AuthorizationAttempt) throws -> URL { try approve(attempt.url) }

    public func approve(_ url: URL) throws -> URL {
        let parameters = try request(in: url)
        try check(parameters["response_type"] == "code", "response_type")
        try check(parameters["client_id"] == registration.clientID, "client_id")
        try check(parameters["code_challenge_method"] == "S256", "code_challenge_method")
        try check((parameters["code_challenge"] ?? "").utf8.count == 43, "code_challenge")
        try check((parameters["state"] ?? "").utf8.count >= 22, "state")
        let code = "code-\(UUID().uuidString)"
        state.withLock { $0.approvals[code] = Approval(parameters: parameters) }
        let deviations = state.withLock { $0.deviations }
        var callback = [("code", code), ("state", parameters["state"] ?? ""), ("iss", base.absoluteString)]
        deviations.callback(&callback)
        if parameters["response_mode"]?.hasSuffix(".jwt") == true {
            callback = [("response", try signedResponse(callback, deviations))]
        }
        let redirectURI = try unwrap(parameters["redirect_uri"], "redirect_uri")
        return try unwrap(URL(string: "\(redirectURI)?\(FormEncoding.encode(callback))"), "callback")
    }

    /// Returns the parameters of a request, wherever they are.
    private func request(in url: URL) throws -> [String: String] {
        var parameters = Self.parameters(url.query(percentEncoded: true) ?? "")
        let reference = parameters["request_uri"]
        let isPushed = reference?.hasPrefix("urn:ietf:params:oauth:request_uri:") == true
        if let reference, isPushed {
            try check(parameters.keys.sorted() == ["client_id", "request_uri"], "a parameter beside a pushed request")
            // RFC 9126 §4: one use.
            parameters = try unwrap(state.withLock { $0.pushed.removeValue(forKey: reference) }, "pushed request")
        } else if let reference {
            try check(parameters["request"] == nil, "request beside request_uri")
            parameters["request"] = try unwrap(state.withLock { $0.deviations }.fetch(reference), "request object")
        }
        guard let object = parameters["request"] else { return parameters }
        let inner = try self.parameters(of: object, isPublished: reference != nil && !isPushed)
        try check(["request", "request_uri", "sub"].allSatisfy { inner[$0] == nil }, "a member of the request object")
        if isPushed {
            // RFC 9126 §3: all parameters are in the object.
            try check(parameters["response_type"] == nil && parameters["scope"] == nil, "a parameter beside the object")
        } else {
            // OpenID Connect Core §6.1.
            try check(parameters["response_type"] == inner["response_type"], "response_type beside the object")
            try check(parameters["client_id"] == inner["client_id"], "client_id beside the object")
            let scopes = [parameters, inner].map { ($0["scope"] ?? "").split(separator: " ").contains("openid") }
            try check(scopes[0] == scopes[1], "scope beside the object")
        }
        return inner
    }

    /// Verifies a request object, and returns its members as texts.
    private func parameters(of object: String, isPublished: Bool) throws -> [String: String] {
        var claims = Claims()
        // Core §6.2: without a signature, only https protects an object.
        if isPublished, object.hasSuffix("."), try JWT(unverified: object).header.algorithm.rawValue == "none" {
            claims = try JWT(unverified: object).claims
        } else {
            let key = try unwrap(registration.verificationKey, "key of the client")
            claims = try JWTVerifier(
                keys: KeySet([key]), algorithms: [key.algorithm], issuer: registration.clientID,
                audience: base.absoluteString, type: "oauth-authz-req+jwt", clock: clock.wallClock()
            ).verify(object)
        }
        return claims.members.reduce(into: [:]) { texts, member in
            texts[member.key] = member.value.stringValue ?? String(decoding: member.value.serialized(), as: UTF8.self)
        }
    }

    /// Returns a signed authorization response (JARM §2.1).
    private func signedResponse(_ parameters: [(String, String)], _ deviations: Deviations) throws -> String {
        var claims = Claims()
        for (name, value) in parameters { claims[name] = .string(value) }
        claims.issuer = base.absoluteString
        claims.audience = [registration.clientID ?? ""]
        claims.expiry = clock.now.addingTimeInterval(600)
        deviations.responseClaims(&claims)
        return try deviations.signResponse?(claims) ?? JWT.sign(claims, with: key)
    }
}
