// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
public import LatchCore
import LatchCrypto
public import LatchHTTP
public import LatchJOSE
public import LatchOAuth
import LatchServer
public import LatchTesting
import Synchronization

/// An OpenID provider that follows the specifications, checks its client, and deviates where a test says so.
public final class ScriptedProvider: Handler {
    /// The deviations of a test; each gets what a correct provider would send.
    public struct Deviations: Sendable {
        public var metadata: @Sendable (inout JSONObject) -> Void = { _ in }
        public var keys: @Sendable (inout JSONObject) -> Void = { _ in }
        public var callback: @Sendable (inout [(String, String)]) -> Void = { _ in }
        /// Fetches a request object that the client has published; nil if it has published none there.
        public var fetch: @Sendable (_ url: String) -> String? = { _ in nil }
        public var responseClaims: @Sendable (inout Claims) -> Void = { _ in }
        /// Signs the authorization response; nil signs with the provider's key.
        public var signResponse: (@Sendable (Claims) throws -> String)?
        public var tokenResponse: @Sendable (inout JSONObject) -> Void = { _ in }
        public var claims: @Sendable (inout Claims) -> Void = { _ in }
        /// Signs the ID token; nil signs with the provider's key.
        public var sign: (@Sendable (Claims) throws -> String)?
        public var userInfo: @Sendable (inout JSONObject) -> Void = { _ in }
        public var introspection: @Sendable (inout JSONObject) -> Void = { _ in }
        /// Responds in place of the provider; nil lets it respond.
        public var response: @Sendable (HTTPRequest) -> HTTPResponse? = { _ in nil }
    }

    /// An authorization request that the user has approved.
    struct Approval {
        var parameters: [String: String]
        var isSpent = false
    }

    struct State {
        var requests: [HTTPRequest] = []
        var approvals: [String: Approval] = [:]
        var pushed: [String: [String: String]] = [:]
        var refreshTokens: [String: [String: String]] = [:]
        /// What the provider says about the access tokens that it has issued (RFC 7662 §2.2).
        var accessTokens: [String: JSONObject] = [:]
        var keys: [Key]
        var devicePolls = 0
        var dateAhead: Double?
        var assertions: Set<String> = []
        var deviations = Deviations()
    }

    public static let issuer = URL(string: "https://id.example.com") ?? URL(filePath: "/")
    public static let redirectURI = URL(string: "https://notes.example.com/callback") ?? URL(filePath: "/")

    /// The issuer identifier, to which the paths of the endpoints are appended.
    public let base: URL
    public let clock: ManualClock
    public let registration: ClientRegistration
    let state: Mutex<State>
    private let proofs: DPoPVerifier
    private let nonces: DPoPNonces?

    package init(
        _ registration: ClientRegistration = ClientRegistration(clientID: "notes"),
        algorithm: SignatureAlgorithm = .es256, nonces: DPoPNonces? = nil, at base: URL = ScriptedProvider.issuer,
        clock: ManualClock = ManualClock()
    ) throws {
        self.registration = registration
        (self.base, self.clock) = (base, clock)
        state = Mutex(State(keys: [try Key.generate(algorithm)]))
        self.nonces = nonces
        proofs = DPoPVerifier(nonces: nonces, clock: clock.wallClock(), memory: { _, _ in true })
    }

    public func deviate(_ body: (inout Deviations) -> Void) { state.withLock { body(&$0.deviations) } }

    /// The key that signs; a new one is added in front.
    public var key: Key { state.withLock { $0.keys[0] } }

    public func rotate(_ algorithm: SignatureAlgorithm = .es256, keepingOld: Bool = false) throws {
        let key = try Key.generate(algorithm)
        state.withLock { $0.keys = [key] + (keepingOld ? $0.keys : []) }
    }

    public func requests(to path: String) -> [HTTPRequest] {
        state.withLock { $0.requests }.filter { $0.pathWithoutQuery == path }
    }

    public var paths: [String] { state.withLock { $0.requests }.map { String($0.pathWithoutQuery) } }

    /// A configuration of the provider, found by its issuer.
    public var configuration: OAuthConfiguration {
        OAuthConfiguration(issuer: base, registration: registration)
    }

    public func client(
        attempts: any SecretStore = InMemorySecretStore(),
        _ configure: (inout OAuthConfiguration) -> Void = { _ in }
    ) -> AuthorizationClient {
        var configuration = configuration
        configuration.redirectURI = Self.redirectURI
        configure(&configuration)
        return AuthorizationClient(
            configuration, attempts: attempts, transport: self, clock: clock.wallClock())
    }

    // MARK: The provider

    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let deviations = state.withLock { state in
            state.requests.append(request)
            return state.deviations
        }
        if let response = deviations.response(request) { return response }
        var response = try await answer(request, deviations)
        if let ahead = state.withLock({ $0.dateAhead }) {
            response.fields[.date] = HTTPDate(clock.now.addingTimeInterval(ahead)).description
        }
        return response
    }

    /// Dates every response, as real servers do.
    ///
    /// - Parameter ahead: The seconds by which the date is ahead of the clock that dates the tokens.
    public func respondsWithDate(ahead: Double = 0) { state.withLock { $0.dateAhead = ahead } }

    private func answer(_ request: HTTPRequest, _ deviations: Deviations) async throws -> HTTPResponse {
        let form = Self.parameters(request.body.text ?? "")
        do {
            switch String(request.pathWithoutQuery) {
            case "/.well-known/openid-configuration": return json(metadata(deviations))
            // The user approves immediately.
            case "/authorize":
                let url = try approve(URL(string: "\(base)\(request.path)") ?? base)
                return HTTPResponse(status: 302, fields: [.location: url.absoluteString])
            case "/register":
                return json(["client_id": .string(registration.clientID ?? "")], status: .created)
            case "/jwks": return json(keySet(deviations))
            case "/token": return try token(request, form, deviations)
            case "/par": return try push(request, form)
            case "/device": return try device(request, form)
            case "/userinfo": return try userInfo(request, deviations)
            case "/revoke":
                try authenticate(request, form)
                return HTTPResponse(status: .ok)
            case "/introspect":
                try authenticate(request, form)
                return json(introspection(of: form["token"] ?? "", deviations))
            default: return HTTPResponse(status: .notFound)
            }
        } catch let rejection as Rejection {
            return rejection.response
        }
    }

    private func metadata(_ deviations: Deviations) -> JSONObject {
        let base = base.absoluteString
        var metadata: JSONObject = [
            "issuer": .string(base), "authorization_endpoint": .string(base + "/authorize"),
            "token_endpoint": .string(base + "/token"), "jwks_uri": .string(base + "/jwks"),
            "userinfo_endpoint": .string(base + "/userinfo"), "revocation_endpoint": .string(base + "/revoke"),
            "introspection_endpoint": .string(base + "/introspect"),
            "pushed_authorization_request_endpoint": .string(base + "/par"),
            "device_authorization_endpoint": .string(base + "/device"),
            "end_session_endpoint": .string(base + "/logout"), "response_types_supported": ["code"],
            "id_token_signing_alg_values_supported": [.string(key.algorithm.rawValue)],
            "authorization_signing_alg_values_supported": [.string(key.algorithm.rawValue)],
            "authorization_response_iss_parameter_supported": true, "unknown_member": ["nested": [1, 2]],
        ]
        deviations.metadata(&metadata)
        return metadata
    }

    private func keySet(_ deviations: Deviations) -> JSONObject {
        var keys = KeySet(state.withLock { $0.keys }).jwks().objectValue ?? [:]
        deviations.keys(&keys)
        return keys
    }

    private func token(
        _ request: HTTPRequest, _ form: [String: String], _ deviations: Deviations
    ) throws -> HTTPResponse {
        try authenticate(request, form)
        let thumbprint = try proof(of: request)
        var parameters: [String: String]
        switch form["grant_type"] {
        case "authorization_code":
            let code = form["code"] ?? ""
            let approval = state.withLock { state in
                let approval = state.approvals[code]
                state.approvals[code]?.isSpent = true
                return approval
            }
            guard let approval, !approval.isSpent else { throw Rejection("invalid_grant") }
            parameters = approval.parameters
            parameters["auth_time"] = String(Int64(clock.now.timeIntervalSince1970))
            // RFC 7636 §4.6 and RFC 6749 §4.1.3.
            let challenge = Base64URL.encode(SHA256.hash(data: Array((form["code_verifier"] ?? "").utf8)).map(\.self))
            guard challenge == parameters["code_challenge"] else { throw Rejection("invalid_grant") }
            guard form["redirect_uri"] == parameters["redirect_uri"] else { throw Rejection("invalid_grant") }
        case "refresh_token":
            let found = state.withLock { $0.refreshTokens.removeValue(forKey: form["refresh_token"] ?? "") }
            guard let found else { throw Rejection("invalid_grant") }
            parameters = found
            parameters["nonce"] = nil
        case "urn:ietf:params:oauth:grant-type:device_code":
            let polls = state.withLock { state in
                state.devicePolls += 1
                return state.devicePolls
            }
            guard polls > 1 else { throw Rejection("authorization_pending") }
            guard polls > 2 else { throw Rejection("slow_down") }
            parameters = ["scope": "openid offline_access"]
        default: parameters = ["scope": form["scope"] ?? ""]
        }
        if let bound = parameters["dpop_jkt"], bound != thumbprint { throw Rejection("invalid_dpop_proof") }
        return json(try tokens(parameters, boundTo: thumbprint, deviations))
    }

    private func introspection(of token: String, _ deviations: Deviations) -> JSONObject {
        let known = state.withLock { $0.accessTokens[token] }
        var members = known ?? (token == "good" ? ["active": true, "sub": "ada"] : ["active": false])
        deviations.introspection(&members)
        return members
    }

    /// Ends an access token.
    public func revoke(_ token: String) { state.withLock { $0.accessTokens[token] = nil } }

    private func tokens(
        _ parameters: [String: String], boundTo thumbprint: String?, _ deviations: Deviations
    ) throws -> JSONObject {
        let (access, refresh) = ("access-\(UUID().uuidString)", "refresh-\(UUID().uuidString)")
        var issued: JSONObject = ["active": true, "sub": "ada", "scope": .string(parameters["scope"] ?? "")]
        issued["exp"] = .integer(Int64(clock.now.timeIntervalSince1970) + 3_600)
        issued["aud"] = parameters["resource"].map { .string($0) }
        issued["acr"] = parameters["acr_values"]?.split(separator: " ").first.map { .string(String($0)) }
        issued["auth_time"] = parameters["auth_time"].flatMap { Int64($0) }.map { .integer($0) }
        issued["cnf"] = thumbprint.map { ["jkt": .string($0)] }
        issued["token_type"] = thumbprint == nil ? "Bearer" : "DPoP"
        state.withLock { [issued] state in
            state.refreshTokens[refresh] = parameters
            state.accessTokens[access] = issued
        }
        var response: JSONObject = [
            "access_token": .string(access), "token_type": thumbprint == nil ? "Bearer" : "DPoP", "expires_in": 3_600,
            "refresh_token": .string(refresh), "scope": .string(parameters["scope"] ?? ""),
        ]
        if (parameters["scope"] ?? "").split(separator: " ").contains("openid") {
            var claims = idToken(parameters)
            claims["at_hash"] = .string(Self.halfHash(of: access, key.algorithm))
            deviations.claims(&claims)
            response["id_token"] = .string(try deviations.sign?(claims) ?? JWT.sign(claims, with: key))
        }
        deviations.tokenResponse(&response)
        return response
    }

    /// OpenID Connect Core §3.1.3.6: the left half of the hash of the signature's algorithm.
    private static func halfHash(of text: String, _ algorithm: SignatureAlgorithm) -> String {
        let bytes = Array(text.utf8)
        if algorithm.rawValue.hasSuffix("256") { return Base64URL.encode(SHA256.hash(data: bytes).prefix(16)) }
        if algorithm.rawValue.hasSuffix("384") { return Base64URL.encode(SHA384.hash(data: bytes).prefix(24)) }
        return Base64URL.encode(SHA512.hash(data: bytes).prefix(32))
    }

    /// The claims of a correct ID token.
    private func idToken(_ parameters: [String: String]) -> Claims {
        var claims: Claims = ["sub": "ada", "email": "ada@example.com"]
        claims.issuer = base.absoluteString
        claims.audience = [registration.clientID ?? ""]
        claims.issuedAt = clock.now
        claims.expiry = clock.now.addingTimeInterval(600)
        claims["nonce"] = parameters["nonce"].map { .string($0) }
        if parameters["max_age"] != nil { claims["auth_time"] = .integer(Int64(clock.now.timeIntervalSince1970)) }
        claims["acr"] = parameters["acr_values"]?.split(separator: " ").first.map { .string(String($0)) }
        return claims
    }

    private func push(_ request: HTTPRequest, _ form: [String: String]) throws -> HTTPResponse {
        try authenticate(request, form)
        _ = try proof(of: request)
        let reference = "urn:ietf:params:oauth:request_uri:\(UUID().uuidString)"
        var parameters = form
        parameters["client_id"] = registration.clientID
        state.withLock { [parameters] in $0.pushed[reference] = parameters }
        return json(["request_uri": .string(reference), "expires_in": 60], status: .created)
    }

    private func device(_ request: HTTPRequest, _ form: [String: String]) throws -> HTTPResponse {
        try authenticate(request, form)
        return json([
            "device_code": "secret-device-code", "user_code": "WDJB-MJHT", "expires_in": 600, "interval": 5,
            "verification_uri": .string("\(base)/activate"),
            "verification_uri_complete": .string("\(base)/activate?user_code=WDJB-MJHT"),
        ])
    }

    private func userInfo(_ request: HTTPRequest, _ deviations: Deviations) throws -> HTTPResponse {
        // RFC 6750 §2.1: in the field, and nowhere else.
        guard let value = request.fields[.authorization], value.hasPrefix("Bearer access-") else {
            return HTTPResponse(status: .unauthorized)
        }
        var members: JSONObject = ["sub": "ada", "name": "Ada"]
        deviations.userInfo(&members)
        return json(members)
    }

    private func json(_ members: JSONObject, status: HTTPStatus = .ok) -> HTTPResponse {
        HTTPResponse(
            status: status, fields: [.contentType: "application/json", .cacheControl: "no-store"],
            body: HTTPBody(JSONValue.object(members).serialized()))
    }

    // MARK: Checks

    private func authenticate(_ request: HTTPRequest, _ form: [String: String]) throws {
        switch registration.authentication {
        case .none, .tls: guard form["client_id"] == registration.clientID else { throw Rejection("invalid_client") }
        case .basic:
            let pair = "\(registration.clientID ?? ""):\(registration.secret ?? "")"
            let expected = "Basic \(Data(pair.utf8).base64EncodedString())"
            guard request.fields[.authorization] == expected else { throw Rejection("invalid_client") }
        case .post:
            guard form["client_secret"]?.isEmpty == false else { throw Rejection("invalid_client") }
        case .secretJWT, .privateKeyJWT:
            guard let key = registration.verificationKey, let assertion = form["client_assertion"],
                let claims = try? JWTVerifier(
                    keys: KeySet([key]), algorithms: [key.algorithm], issuer: registration.clientID,
                    audience: base.absoluteString, clock: clock.wallClock()
                ).verify(assertion),
                claims.subject == registration.clientID, let id = claims.id,
                // RFC 7523 §3: each is accepted once.
                state.withLock({ $0.assertions.insert(id).inserted })
            else { throw Rejection("invalid_client") }
        }
    }

    /// Returns the thumbprint of the key that a request proves; nil without a proof.
    private func proof(of request: HTTPRequest) throws -> String? {
        guard request.fields["DPoP"] != nil else { return nil }
        do {
            return try proofs.verify(request).thumbprint
        } catch {
            guard error == .staleProofNonce else { throw error }
            throw Rejection("use_dpop_nonce", nonce: nonces?.current)
        }
    }

    /// A refusal of the provider (RFC 6749 §5.2).
    private struct Rejection: Error {
        let code: String
        let nonce: String?

        init(_ code: String, nonce: String? = nil) { (self.code, self.nonce) = (code, nonce) }

        public var response: HTTPResponse {
            var response = HTTPResponse(
                status: code == "invalid_client" ? .unauthorized : .badRequest,
                fields: [.contentType: "application/json"], body: HTTPBody(#"{"error":"\#(code)"}"#))
            response.fields["DPoP-Nonce"] = nonce
            return response
        }
    }

    private struct BrokenRequest: Error { let part: String }

    func check(_ condition: Bool, _ part: String) throws {
        if !condition { throw BrokenRequest(part: part) }
    }

    func unwrap<Value>(_ value: Value?, _ part: String) throws -> Value {
        guard let value else { throw BrokenRequest(part: part) }
        return value
    }

    /// Decodes a query or a form.
    public static func parameters(_ text: String) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? "?"
            }
            parameters[sides[0]] = sides.count > 1 ? sides[1] : ""
        }
        return parameters
    }
}

extension ScriptedProvider {
    /// Runs `body` with a provider on a free port of this machine, at the time of now.
    package static func serving<Result: Sendable>(
        _ registration: ClientRegistration = ClientRegistration(clientID: "notes"),
        _ body: (ScriptedProvider) async throws -> Result
    ) async throws -> Result {
        let provider = Mutex<ScriptedProvider?>(nil)
        let server = Server(
            handler: ClosureHandler { request in
                guard let handler = provider.withLock({ $0 }) else { return HTTPResponse(status: .serviceUnavailable) }
                return try await handler.respond(to: request)
            })
        let port = try await server.start().port
        let base = URL(string: "http://127.0.0.1:\(port)") ?? issuer
        let scripted = try ScriptedProvider(registration, at: base, clock: ManualClock(Date()))
        provider.withLock { $0 = scripted }
        do {
            let result = try await body(scripted)
            await server.shutdown(grace: .zero)
            return result
        } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
    }
}
