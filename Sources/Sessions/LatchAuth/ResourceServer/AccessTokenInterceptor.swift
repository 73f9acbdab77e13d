// SPDX-License-Identifier: Apache-2.0

public import LatchCore
import LatchCrypto
import LatchFoundation
public import LatchHTTP
public import LatchJOSE

/// An interceptor for the routes of a resource server, which lets only authorized requests pass.
///
/// The access token must be valid, carry the required scopes, and show the required authentication (RFC 6750, RFC 9068
/// §4, RFC 9449 §7, RFC 9470).
///
/// ```swift
/// let issuer = "https://login.example.com"
/// let verifier = RemoteJWTVerifier(
///     keys: try RemoteKeySet(url: URL(string: issuer + "/.well-known/jwks.json")!), algorithms: [.es256],
///     issuer: issuer, audience: "https://api.example.com", type: "at+jwt")  // or LatchOAuth's init(issuer:audience:)
/// router.group(prefix: "/notes", interceptors: [AccessTokenInterceptor(verifier, requiring: ["notes:read"])]) { notes in
///     notes.get("/") { request in try await list(of: request.accessTokenClaims?.subject) }
/// }
/// ```
///
/// | request | response |
/// |---|---|
/// | without a token | 401 with a challenge |
/// | with a token that is not valid, or whose proof is missing | 401, `invalid_token` or `invalid_dpop_proof` |
/// | with too few scopes, permissions or roles | 403, `insufficient_scope` |
/// | of a user who authenticated too weakly or too long ago | 401, `insufficient_user_authentication` |
/// | with a token in the URL, or with two | 400, `invalid_request` |
/// | while the token cannot be verified | 503 |
///
/// A token that is bound to a key or a certificate is refused unless its binding is verified here, with the `proofs` and
/// the `clientCertificate` of a ``ProtectedResource``.
public struct AccessTokenInterceptor: Interceptor {
    private let verifier: any AccessTokenVerifier
    private let required: Scopes
    private let hierarchy: ScopeHierarchy?
    private let interpreter: (any ScopeInterpreter)?
    private let claim: [String]?
    private let authentication: StepUpRequirement?
    private let resource: ProtectedResource?
    private let clock: WallClock

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - verifier: The verifier of tokens, with keys or by introspection.
    ///   - required: The required scopes; the token must carry all of them.
    ///   - hierarchy: The scopes that imply others. Nil for those that the verifier knows from the issuer's metadata:
    ///     `ScopeHierarchy.levels` at Latchwork's server. Otherwise none, because scopes have other meanings elsewhere.
    ///   - claim: The path of the claim that contains the scopes, permissions or roles. It is `["permissions"]` at
    ///     Auth0, `["roles"]` at Microsoft Entra, `["realm_access", "roles"]` at Keycloak. Nil for `scope`, or else
    ///     `scp`. The value is a list, or a string with spaces. Clients cannot request the content of other claims, so
    ///     challenges do not name it.
    ///   - authentication: The context classes, one of which the token's `acr` must be, and the maximum time since its
    ///     `auth_time`. Nil accepts any authentication.
    ///   - resource: The resource that the routes belong to, for proofs of a key and for challenges. Nil accepts only
    ///     tokens without a binding, and sends plain challenges.
    ///   - clock: The clock for the authentication's age.
    public init(
        _ verifier: some AccessTokenVerifier, requiring required: Scopes = [], in hierarchy: ScopeHierarchy? = nil,
        from claim: [String]? = nil, authentication: StepUpRequirement? = nil, of resource: ProtectedResource? = nil,
        clock: WallClock = .system
    ) {
        self.verifier = verifier
        self.required = required
        self.hierarchy = hierarchy
        interpreter = verifier as? any ScopeInterpreter
        self.claim = claim
        self.authentication = authentication
        self.resource = resource
        self.clock = clock
    }

    /// Passes the request on with the token's claims in its context, or refuses it.
    ///
    /// - Throws: The errors of `next`, and `CancellationError`.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        switch try await check(request) {
        case .refused(let challenge): return challenge.response(of: resource)
        case .undecided(let message): return Self.unavailable(message)
        case .passed(let claims, let proven):
            var request = request
            request.accessTokenClaims = claims
            request.context[ProvenToken.self] = proven
            var response = try await next.respond(to: request)
            offerNonce(in: &response, after: request)
            return response
        }
    }

    // MARK: The token

    /// The result of the checks.
    private enum Verdict {
        /// The request may pass, with the token whose key it has proved.
        case passed(Claims, proven: ProvenToken?)
        case refused(AccessTokenChallenge)
        /// The token can be neither accepted nor refused now.
        case undecided(String)
    }

    private func check(_ request: HTTPRequest) async throws -> Verdict {
        let token: PresentedToken
        do {
            token = try PresentedToken(request)
        } catch {
            return .refused(challenge(for: error))
        }
        let claims: Claims
        do {
            claims = try await verifier.verify(token.text)
        } catch let error as JOSEError {
            return .refused(invalid(error.message, token.scheme))
        } catch let error as AuthError where error == .invalidAccessToken {
            return .refused(invalid(error.message, token.scheme))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The error contains addresses behind this server.
            return .undecided("The access token cannot be verified now.")
        }
        // An issuer signs its ID tokens with the same keys, and they may have the same audience.
        guard !claims.areOfAnotherToken else { return .refused(invalid(JOSEError.wrongType.message, token.scheme)) }
        switch try await binding(of: claims, token, request) {
        case .failure(let refusal) where refusal.isUndecided: return .undecided("The proof cannot be verified now.")
        case .failure(let refusal): return .refused(refusal.challenge)
        case .success(let proven):
            return refusal(of: claims, token.scheme).map(Verdict.refused) ?? .passed(claims, proven: proven)
        }
    }

    private func challenge(for failure: PresentedToken.Failure) -> AccessTokenChallenge {
        switch failure {
        case .absent: AccessTokenChallenge(scopes: requestable)
        case .malformed(let reason):
            AccessTokenChallenge(
                status: .badRequest, error: "invalid_request", detail: "The request is malformed: \(reason).")
        case .unusable(let scheme): invalid("The request carries no access token that could be one.", scheme)
        }
    }

    private func invalid(_ detail: String, _ scheme: PresentedToken.Scheme) -> AccessTokenChallenge {
        AccessTokenChallenge(error: "invalid_token", detail: detail, scheme: scheme, scopes: requestable)
    }

    // MARK: The scopes and the authentication

    /// Returns the refusal of a valid token that is not sufficient; nil if it is.
    private func refusal(of claims: Claims, _ scheme: PresentedToken.Scheme) -> AccessTokenChallenge? {
        let scopes = scopes(in: claims)
        let implied = hierarchy ?? interpreter?.scopeHierarchy ?? ScopeHierarchy(levels: [])
        guard (scopes ?? []).allow(all: required, in: implied) else {
            let need = "The request needs \(claim == nil ? "the scopes " : "")'\(required.text)'"
            let place = claim.map { " in the claim '\($0.joined(separator: "."))' of the token" } ?? ""
            return AccessTokenChallenge(
                status: .forbidden, error: "insufficient_scope",
                detail: "\(need)\(place)\(scopes == nil && claim == nil ? "; the token states no scopes" : "").",
                scheme: scheme, scopes: requestable)
        }
        guard let authentication, !isMet(authentication, by: claims) else { return nil }
        return AccessTokenChallenge(
            error: "insufficient_user_authentication",
            detail: "The request needs a stronger or more recent authentication of the user.", scheme: scheme,
            scopes: authentication.scopes ?? [], authentication: authentication)
    }

    /// The required scopes that a client can request.
    private var requestable: Scopes { claim == nil ? required : [] }

    /// Returns the scopes of a token; nil if it states none.
    ///
    /// RFC 9068 §2.2.3 and RFC 7662 §2.2 write `scope` as a string, Duende and ForgeRock as a list. Microsoft Entra and
    /// AD FS write `scp` as a string, Okta as a list.
    private func scopes(in claims: Claims) -> Scopes? {
        let value =
            if let claim {
                claim.reduce(JSONValue.object(claims.members) as JSONValue?) { $0?[$1] }
            } else {
                [claims["scope"], claims["scp"]].lazy.compactMap(\.self).first { !$0.isNull }
            }
        guard let texts = value?.stringValue.map({ [$0] }) ?? value?.arrayValue?.compactMap(\.stringValue) else {
            return nil
        }
        return Scopes(texts.flatMap { Scopes(parsing: $0).elements })
    }

    /// Whether a token shows the authentication that a route requires (RFC 9470 §6.1); false without the claims.
    private func isMet(_ requirement: StepUpRequirement, by claims: Claims) -> Bool {
        if !requirement.contextClasses.isEmpty {
            guard let actual = claims.string("acr"),
                requirement.contextClasses.contains(where: { $0.utf8.elementsEqual(actual.utf8) })
            else { return false }
        }
        guard let maximumAge = requirement.maximumAge else { return true }
        guard let time = claims.date("auth_time") else { return false }
        // The clocks may differ a little. An authentication in the future proves nothing.
        return (-60...max(0, maximumAge.inSeconds)).contains(clock.now.timeIntervalSince(time))
    }

    // MARK: The key

    /// The refusal of a token's binding.
    private struct BindingError: Error {
        let challenge: AccessTokenChallenge
        /// Whether the memory of used proofs could not answer.
        var isUndecided = false
    }

    /// Returns a token that is bound to a key, after the request has proved the key; nil for a token without a binding.
    private func binding(
        of claims: Claims, _ token: PresentedToken, _ request: HTTPRequest
    ) async throws(CancellationError) -> Result<ProvenToken?, BindingError> {
        func refused(_ detail: String) -> Result<ProvenToken?, BindingError> {
            .failure(BindingError(challenge: invalid(detail, token.scheme)))
        }
        guard let confirmation = claims["cnf"], !confirmation.isNull else {
            // RFC 9449 §7.1: the scheme is only for bound tokens.
            guard token.scheme == .bearer else { return refused("The token is not bound to a key: send it as Bearer.") }
            guard resource?.proofs.isRequired != true else { return refused("Tokens must be bound to a key here.") }
            return .success(nil)
        }
        // RFC 7800 §3.1: only one sender may use the token, and an unverified confirmation does not prove who that is.
        let unverified = "The token is bound in a way that is not verified here."
        guard let members = confirmation.objectValue, !members.isEmpty,
            members.keys.allSatisfy({ ["jkt", "x5t#S256"].contains($0) })
        else { return refused(unverified) }
        if let thumbprint = members["x5t#S256"] {
            guard let certificate = resource?.clientCertificate else { return refused(unverified) }
            guard let shown = certificate(request), Self.isThumbprint(thumbprint, of: shown) else {
                return refused("The token is bound to a certificate, and the request does not come with it.")
            }
            // RFC 8705 §3: the certificate alone suffices for a bearer token.
            if members["jkt"] == nil, token.scheme == .bearer, resource?.proofs.isRequired != true {
                return .success(nil)
            }
        }
        guard let thumbprint = members["jkt"]?.stringValue, let verifier = resource?.proofs.verifier else {
            return refused(unverified)
        }
        // RFC 9449 §7.2: without its proof, a bound token is worth no more than a stolen one.
        guard token.scheme == .dpop else {
            return refused("The token is bound to a key: send it with its proof, as DPoP.")
        }
        // An outer interceptor has already used the proof.
        let proven = ProvenToken(hash: DPoPProof.hash(of: token.text), resource: resource?.url.absoluteString)
        if request.context[ProvenToken.self] == proven { return .success(proven) }
        do {
            let proof = try verifier.verify(
                request, accessToken: token.text, boundTo: thumbprint, at: resource?.origin)
            try await verifier.share(proof)
            return .success(proven)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            guard let error = error as? AuthError, [.staleProofNonce, .refusedProof].contains(error) else {
                return .failure(BindingError(challenge: AccessTokenChallenge(scopes: required), isUndecided: true))
            }
            let isStale = error == .staleProofNonce
            return .failure(
                BindingError(
                    challenge: AccessTokenChallenge(
                        error: (isStale ? DPoPError.useNonce : .invalidProof).rawValue, detail: error.message,
                        scheme: .dpop, scopes: requestable, nonce: isStale ? verifier.currentNonce : nil)))
        }
    }

    /// Whether a member is the SHA-256 thumbprint of a certificate (RFC 8705 §3.1).
    private static func isThumbprint(_ member: JSONValue, of certificate: [UInt8]) -> Bool {
        member.stringValue?.utf8.elementsEqual(CertificateThumbprint.of(certificate).utf8) == true
    }

    /// Adds the next nonce to the response to a request with a proof.
    ///
    /// The client then does not have to send the next proof twice (RFC 9449 §8.2).
    private func offerNonce(in response: inout HTTPResponse, after request: HTTPRequest) {
        guard request.context[ProvenToken.self] != nil, response.fields[.dpopNonce] == nil,
            let nonce = resource?.proofs.verifier?.currentNonce
        else { return }
        response.fields[.dpopNonce] = nonce
        // RFC 9449 §8.2: a cache would send the nonce to other clients, and for too long.
        if response.fields[.cacheControl] == nil { response.fields[.cacheControl] = "no-store" }
    }

    private static func unavailable(_ message: String) -> HTTPResponse {
        let problem = ProblemDetails(status: .serviceUnavailable, detail: message)
        return HTTPResponse(
            status: .serviceUnavailable,
            fields: [.contentType: ProblemDetails.mediaType, .cacheControl: "no-store", .retryAfter: "1"],
            body: HTTPBody(problem.json.serialized()))
    }
}

private enum AccessTokenClaims: HTTPContextKey {
    static var defaultValue: Claims? { nil }
}

/// The token whose key the request has proved to an interceptor of the resource.
private struct ProvenToken: HTTPContextKey, Hashable {
    static var defaultValue: ProvenToken? { nil }

    let hash: String
    let resource: String?
}

extension HTTPContext {
    /// The verified claims of the access token, behind an ``AccessTokenInterceptor``; nil elsewhere.
    ///
    /// An RPC method reads its caller from it: `context.http.accessTokenClaims?.subject`.
    public internal(set) var accessTokenClaims: Claims? {
        get { self[AccessTokenClaims.self] }
        set { self[AccessTokenClaims.self] = newValue }
    }
}

extension HTTPRequest {
    /// The verified claims of the access token, behind an ``AccessTokenInterceptor``; nil elsewhere.
    public internal(set) var accessTokenClaims: Claims? {
        get { context.accessTokenClaims }
        set { context.accessTokenClaims = newValue }
    }
}
