// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

/// A relying party that sends what the modules of the OpenID Foundation's conformance suite send.
///
/// It expects of each response what the conditions of the suite expect.
struct SuitePeer: Sendable {
    typealias Changes = KeyValuePairs<String, String?>
    typealias ClaimChanges = KeyValuePairs<String, JSONValue?>

    /// The way in which the client authenticates.
    enum Authentication: Sendable {
        case secretBasic, secretPost, assertion, certificate
    }

    /// The way in which the client wants its responses.
    enum Mode: String, Sendable, CaseIterable {
        case query
        case formPost = "form_post"
        case jwt
    }

    let site: Site
    var app: SignInApp
    var authentication = Authentication.secretBasic
    var mode = Mode.query
    var sendsChallenge = true
    var pushes = false
    var signsRequests = false
    /// The key of assertions and request objects.
    var signer: KeyClient
    /// The key of proofs; nil for bearer tokens.
    var sender: Key?
    /// The certificate of connections to the server; nil for none.
    var certificate: [UInt8]?
    /// The algorithm of ID tokens and signed responses.
    var algorithm = SignatureAlgorithm.es256

    static let redirect = "https://suite.example/callback"
    /// The second client's redirect URI, as the suite registers it.
    static let otherRedirect = "https://suite.example/other?dummy1=lorem&dummy2=ipsum"
    static let logoutRedirect = "https://suite.example/signed-out"

    var clientID: String { app.clientID }

    private init(_ id: String, _ redirect: String, at site: Site, signer: KeyClient) {
        self.site = site
        self.signer = signer
        self.signer.id = id
        app = SignInApp(clientID: id, redirect: redirect, scope: "openid")
        app.state = UUID().uuidString
        app.nonce = UUID().uuidString
    }

    /// The seconds since 1970 at which a test begins, with an offset.
    static func time(_ offset: Int64 = 0) -> JSONValue { .integer(Int64(noon.timeIntervalSince1970) + offset) }
}

// MARK: The clients of the plans

extension SuitePeer {
    /// Two clients with secrets and without PKCE at a new site: the static clients of the plans of OpenID Connect.
    static func basic(
        _ mode: Mode = .query, change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> (first: SuitePeer, second: SuitePeer) {
        let signer = try KeyClient()
        let site = try await Site {
            $0.issuer = Site.issuer
            $0.loginLimitPerMinute = 100
            $0.clients = [("suite", redirect), ("suite-2", otherRedirect)].map { id, redirect in
                OAuthClient(
                    id: id, isConfidential: true, grants: [.authorizationCode, .refreshToken],
                    redirectURIs: [redirect], postLogoutRedirectURIs: [logoutRedirect], requiresPKCE: false,
                    idTokenAlgorithm: .es256)
            }
            $0.clientSecretDigests = ["suite": ClientSecret.digest, "suite-2": ClientSecret.digest]
            change(&$0)
        }
        try await site.signUp()
        try await site.nameUser()
        var first = SuitePeer("suite", redirect, at: site, signer: signer)
        var second = SuitePeer("suite-2", otherRedirect, at: site, signer: signer)
        (first.mode, second.mode) = (mode, mode)
        (first.sendsChallenge, second.sendsChallenge) = (false, false)
        return (first, second)
    }

    /// Two clients of FAPI 2.0 with keys, pushed requests and proofs at a new site.
    ///
    /// - Parameter signsRequests: Whether they sign requests and get signed responses (FAPI 2.0 Message Signing).
    static func secure(
        signsRequests: Bool = false, change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> (first: SuitePeer, second: SuitePeer) {
        let (one, two) = (try KeyClient(), try KeyClient())
        let site = try await Site {
            $0.issuer = Site.issuer
            $0.loginLimitPerMinute = 100
            $0.clients = [("suite", redirect, one), ("suite-2", otherRedirect, two)].map { id, redirect, signer in
                OAuthClient(
                    id: id, isConfidential: true, grants: [.authorizationCode, .refreshToken],
                    redirectURIs: [redirect], authenticationMethod: .privateKeyJWT, jwks: KeySet([signer.key]).jwks(),
                    securityProfile: signsRequests ? .fapi2MessageSigning : .fapi2)
            }
            change(&$0)
        }
        try await site.signUp()
        try await site.nameUser()
        func peer(_ id: String, _ redirect: String, _ signer: KeyClient) throws -> SuitePeer {
            var peer = SuitePeer(id, redirect, at: site, signer: signer)
            (peer.authentication, peer.pushes, peer.signsRequests) = (.assertion, true, signsRequests)
            peer.mode = signsRequests ? .jwt : .query
            peer.sender = try Key.generate(.es256)
            return peer
        }
        return (try peer("suite", redirect, one), try peer("suite-2", otherRedirect, two))
    }
}

extension SuitePeer {
    /// Two clients of FAPI 2.0 with certificates, which authenticate and bind the tokens, at a new site.
    static func mutual(_ authority: ClientAuthority) async throws -> (first: SuitePeer, second: SuitePeer) {
        let (one, two) = (
            try await authority.client(subject: "/CN=one"), try await authority.client(subject: "/CN=two")
        )
        let bytes = try authority.authority()
        var (first, second) = try await secure {
            $0.clientCertificates = .tls
            $0.clientAuthorities = bytes
            for (index, name) in ["CN=one", "CN=two"].enumerated() {
                $0.clients[index].authenticationMethod = .tlsClientAuth
                $0.clients[index].certificateName = CertificateName(.subject, name)
                $0.clients[index].bindsTokensToCertificate = true
                $0.clients[index].jwks = nil
            }
        }
        (first.authentication, first.certificate, first.sender) = (.certificate, one.der, nil)
        (second.authentication, second.certificate, second.sender) = (.certificate, two.der, nil)
        return (first, second)
    }
}

// MARK: Requests

extension SuitePeer {
    /// The parameters of an authorization request; a value of nil leaves one out.
    func parameters(_ changes: Changes = [:]) -> [(String, String)] {
        var list = app.parameters(changes)
        if !sendsChallenge { list.removeAll { $0.0.hasPrefix("code_challenge") } }
        if mode != .query, !changes.contains(where: { $0.key == "response_mode" }) {
            list.append(("response_mode", mode.rawValue))
        }
        return list
    }

    /// The parameters that the client sends to the server: as they are, or as a request object.
    private func sent(_ changes: Changes) throws -> [(String, String)] {
        guard signsRequests else { return parameters(changes) }
        return [("client_id", clientID), ("request", try requestObject(parameters: changes))]
    }

    /// A signed authorization request (RFC 9101); `changes` are those of the claims about the object itself.
    func requestObject(
        _ changes: ClaimChanges = [:], parameters: Changes = [:], by key: Key? = nil
    ) throws -> String {
        let now = Int64(site.clock.now.timeIntervalSince1970)
        var claims: Claims = [
            "iss": .string(clientID), "aud": .string(site.identity.issuer ?? ""), "iat": .integer(now),
            "nbf": .integer(now), "exp": .integer(now + 300), "jti": .string(UUID().uuidString),
        ]
        for (name, value) in self.parameters(parameters) { claims[name] = .string(value) }
        for (name, value) in changes { claims[name] = value }
        return try JWT.sign(claims, with: key ?? signer.key, type: "oauth-authz-req+jwt")
    }

    /// Posts a form as the client.
    ///
    /// - Parameters:
    ///   - assertion: The assertion; nil for a valid one, and the empty text for none.
    ///   - proofs: The proofs; nil for a valid one.
    func post(
        _ path: String, _ form: [(String, String)], assertion: String? = nil, proofs: [String]? = nil
    ) async throws -> Response {
        var (form, fields) = (form, HTTPFields())
        fields[.contentType] = FormEncoding.mediaType
        switch authentication {
        case .secretBasic: fields[.authorization] = ClientSecret.basic(clientID)
        case .secretPost: form += [("client_id", clientID), ("client_secret", ClientSecret.text)]
        case .assertion where assertion != "":
            let text = try assertion ?? signer.assertion(for: site)
            form += [("client_assertion_type", KeyClient.type), ("client_assertion", text)]
        case .assertion: break
        case .certificate: if !form.contains(where: { $0.0 == "client_id" }) { form.append(("client_id", clientID)) }
        }
        let valid = try sender == nil ? [] : [proof("POST", path)]
        for text in proofs ?? valid { fields.append(text, for: "DPoP") }
        return try await site.send(
            .post, path, fields: fields, body: HTTPBody(FormEncoding.encode(form)), showing: certificate)
    }

    /// Pushes an authorization request.
    func push(
        _ changes: Changes = [:], assertion: String? = nil, proofs: [String]? = []
    ) async throws -> Response {
        try await post("/oauth/par", try sent(changes), assertion: assertion, proofs: proofs)
    }

    /// Expects that a pushed request is accepted, and returns its URI.
    func requestURI(_ pushed: Response) throws -> String {
        expectEqual(pushed.status, 201, "\(pushed.text)")
        expectEqual(pushed.field(.contentType)?.hasPrefix("application/json"), true)
        expectEqual(pushed.number("expires_in").map { (1...600).contains($0) }, true)
        let uri = pushed.string("request_uri")
        // RFC 9126 §2.2: a third party cannot guess it.
        #expect(uri.utf8.count >= 40)
        return try #require(uri.isEmpty ? nil : uri)
    }

    /// The path to open in a browser for a pushed request.
    func path(pushed uri: String, _ more: [(String, String)] = []) -> String {
        "/oauth/authorize?\(FormEncoding.encode([("client_id", clientID), ("request_uri", uri)] + more))"
    }

    /// The path to open in a browser for a request.
    func path(_ changes: Changes = [:]) async throws -> String {
        guard !pushes else { return path(pushed: try requestURI(try await push(changes))) }
        return "/oauth/authorize?\(FormEncoding.encode(try sent(changes)))"
    }

    /// A proof of a request (RFC 9449 §4.2); nil leaves a claim or a member of the header out.
    func proof(
        _ method: String, _ path: String, token: String? = nil, _ changes: ClaimChanges = [:],
        header changedHeader: ClaimChanges = [:], by other: Key? = nil
    ) throws -> String {
        let key = try #require(other ?? sender)
        var header: JSONObject = [
            "typ": "dpop+jwt",
            "jwk": .object(JSONObject(key.jwk.filter { !["kid", "alg", "use"].contains($0.key) })),
        ]
        for (name, value) in changedHeader { header[name] = value }
        var claims: JSONObject = [
            "jti": .string(UUID().uuidString), "htm": .string(method),
            "htu": .string((site.identity.issuer ?? "") + path),
            "iat": .integer(Int64(site.clock.now.timeIntervalSince1970)),
        ]
        claims["nonce"] = .string(site.proofNonce)
        claims["ath"] = token.map { .string(Base64URL.encode($0.digest)) }
        for (name, value) in changes { claims[name] = value }
        return try JWS.sign(JSONValue.object(claims).serialized(), with: key, header: header)
    }
}

// MARK: Sign-ins

extension SuitePeer {
    /// Opens a request in a browser, and does what its pages ask of the user.
    func authorize(_ agent: inout UserAgent, _ changes: Changes = [:]) async throws -> Response {
        try await answer(try await agent.get(try await path(changes)), in: &agent)
    }

    /// Signs in and agrees, as far as a page asks for that.
    func answer(_ page: Response, in agent: inout UserAgent) async throws -> Response {
        var response = page
        if response.formAction == "/login" { response = try await agent.signIn(response) }
        if response.formAction == "/consent" { response = try await agent.submit(response) }
        return response
    }

    /// Expects that a response has come to the redirect URI as requested, and returns its parameters.
    ///
    /// It has the issuer (RFC 9207), the state of the request, and either a code or an error.
    func callback(_ response: Response) async throws -> [String: String] {
        var parameters: [String: String]
        if mode == .formPost {
            #expect(response.status == 200 && response.location.isEmpty)
            expectEqual(response.formTarget, app.redirect)
            parameters = response.formFields
        } else {
            #expect((302...303).contains(response.status), "\(response.status) \(response.title)")
            #expect(response.location.hasPrefix(app.redirect) && !response.location.contains("#"))
            // The parameters of the redirect URI itself stay.
            let own = ScriptedUpstream.parameters(app.redirect)
            parameters = response.parameters.filter { own[$0.key] != $0.value }
            expectEqual(parameters.count, response.parameters.count - own.count)
        }
        if mode == .jwt { parameters = try await signedParameters(parameters) }
        expectEqual(parameters["iss"], site.identity.issuer)
        expectEqual(parameters["state"], app.state)
        expectNotEqual(parameters["code"] == nil, parameters["error"] == nil)
        #expect(Set(parameters.keys).isSubset(of: ["code", "error", "error_description", "iss", "state"]))
        return parameters
    }

    /// Verifies a signed response (JARM §2.4), and returns its parameters.
    private func signedParameters(_ outer: [String: String]) async throws -> [String: String] {
        expectEqual(Array(outer.keys), ["response"])
        let claims = try await verified(outer["response"] ?? "").claims
        let life = (claims["exp"]?.doubleValue ?? 0) - site.clock.now.timeIntervalSince1970
        #expect(life > 0 && life <= 600)
        return claims.members.reduce(into: [:]) { parameters, member in
            if !["aud", "exp", "iat"].contains(member.key) { parameters[member.key] = member.value.stringValue }
        }
    }

    /// Verifies a token that the server has signed for the client, with the key that the header names.
    private func verified(_ text: String) async throws -> JWT {
        let keys = try KeySet(jwks: Array(try await site.get("/.well-known/jwks.json").text.utf8))
        let verifier = JWTVerifier(
            keys: keys, algorithms: [algorithm], issuer: site.identity.issuer, audience: clientID,
            clock: site.clock.wallClock())
        let token = try verifier.verifiedToken(text)
        #expect(keys[token.header.keyID ?? ""] != nil)
        return token
    }

    /// Returns the code of a sign-in.
    func code(_ agent: inout UserAgent, _ changes: Changes = [:]) async throws -> String {
        let parameters = try await callback(try await authorize(&agent, changes))
        return try #require(parameters["code"], "\(parameters)")
    }

    /// Exchanges a code.
    func exchange(
        _ code: String, _ changes: Changes = [:], assertion: String? = nil, proofs: [String]? = nil
    ) async throws -> Response {
        var form: [(String, String?)] = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", app.redirect),
            ("code_verifier", sendsChallenge ? app.verifier : nil),
        ]
        for (name, value) in changes {
            form.removeAll { $0.0 == name }
            form.append((name, value))
        }
        let sent = form.compactMap { name, value in value.map { (name, $0) } }
        return try await post("/oauth/token", sent, assertion: assertion, proofs: proofs)
    }

    /// Refreshes.
    func refresh(_ token: String, assertion: String? = nil, proofs: [String]? = nil) async throws -> Response {
        let form = [("grant_type", "refresh_token"), ("refresh_token", token)]
        return try await post("/oauth/token", form, assertion: assertion, proofs: proofs)
    }

    /// Signs a user in, exchanges the code, and verifies the tokens.
    func signIn(_ agent: inout UserAgent, _ changes: Changes = [:]) async throws -> (tokens: Response, id: Claims) {
        let code = try await code(&agent, changes)
        let tokens = try await exchange(code)
        return (tokens, try await idToken(in: tokens, code: code))
    }

    /// Expects of a token response and its ID token what the suite expects, and returns the claims of the latter.
    ///
    /// - Parameter code: The code that was exchanged; nil for a refresh, whose ID token needs no nonce.
    @discardableResult
    func idToken(in tokens: Response, code: String? = nil) async throws -> Claims {
        expectEqual(tokens.status, 200, "\(tokens.text)")
        expectEqual(tokens.field(.contentType)?.hasPrefix("application/json"), true)
        #expect(tokens.field(.cacheControl) == "no-store" && tokens.field("Pragma") == "no-cache")
        expectEqual(tokens.string("token_type"), sender == nil ? "Bearer" : "DPoP")
        expectEqual(tokens.number("expires_in").map { $0 > 0 }, true)
        #expect(tokens.accessToken.utf8.count >= 22)
        let token = try await verified(tokens.string("id_token"))
        let (claims, now) = (token.claims, site.clock.now)
        #expect(token.header.type == "JWT" && claims["aud"] == .string(clientID) && claims.string("azp") == clientID)
        expectEqual(claims.subject.map { (1...255).contains($0.utf8.count) }, true)
        expectEqual(claims.issuedAt.map { abs($0.timeIntervalSince(now)) <= 300 }, true)
        #expect(claims.expiry.map { $0 > now } == true && claims.date("auth_time").map { $0 <= now } == true)
        expectEqual(claims.string("at_hash"), Base64URL.encode(tokens.accessToken.digest.prefix(16)))
        if let code {
            expectEqual(claims.string("nonce"), app.nonce)
            expectEqual(claims.string("c_hash"), Base64URL.encode(code.digest.prefix(16)))
        }
        return claims
    }

    /// Requests the claims of the user.
    ///
    /// - Parameter proofs: The proofs; nil for a valid one.
    func userInfo(_ access: String, scheme: String? = nil, proofs: [String]? = nil) async throws -> Response {
        var fields = HTTPFields()
        fields[.authorization] = "\(scheme ?? (sender == nil ? "Bearer" : "DPoP")) \(access)"
        let valid = try sender == nil ? [] : [proof("GET", "/oauth/userinfo", token: access)]
        for text in proofs ?? valid { fields.append(text, for: "DPoP") }
        return try await site.send(.get, "/oauth/userinfo", fields: fields, showing: certificate)
    }

    /// Expects an error of an OAuth endpoint (RFC 6749 §5.2).
    func expect(_ response: Response, _ errors: [String], in module: String = "") {
        #expect((400...401).contains(response.status), "\(module): \(response.status) \(response.text)")
        #expect(errors.contains(response.oauthError), "\(module): \(response.text)")
        #expect(response.json["access_token"] == nil && response.json["request_uri"] == nil)
        expectEqual(response.field(.contentType)?.hasPrefix("application/json"), true)
    }
}

/// A module of the suite that differs from others only by what it changes: an argument of a test.
struct SuiteModule<Change: Sendable>: Sendable, CustomTestStringConvertible {
    let name: String
    let change: Change

    init(_ name: String, _ change: Change) { (self.name, self.change) = (name, change) }

    var testDescription: String { name }
}

extension Response {
    /// The URL that the form of a page is posted to.
    var formTarget: String { Self.plain(formAction) }

    /// The hidden fields of a page.
    var formFields: [String: String] {
        text.split(separator: "<input type=\"hidden\" ").dropFirst().reduce(into: [:]) { fields, part in
            let values = part.split(separator: "\"", omittingEmptySubsequences: false)
            guard values.count > 3 else { return }
            fields[String(values[1])] = Self.plain(String(values[3]))
        }
    }

    /// Returns the text of an attribute.
    private static func plain(_ attribute: String) -> String {
        [("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(attribute) { text, entity in text.replacing(entity.0, with: entity.1) }
    }
}

extension Site {
    /// Gives the user the names that the modules ask for.
    fileprivate func nameUser() async throws {
        let id = try await accountID("ada@example.com") ?? ""
        let change = AccountDetailsChange(firstName: "Ada", lastName: "Lovelace", displayName: "Ada Lovelace")
        _ = try await identity.administration.change(change, of: id, by: AccountActor(id))
    }
}
