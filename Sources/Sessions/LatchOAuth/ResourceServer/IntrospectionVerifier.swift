// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
import LatchFoundation
public import LatchJOSE
import Synchronization

/// A verifier of access tokens that asks the issuer about each (RFC 7662), for tokens that only their issuer can read.
///
/// ```swift
/// let endpoint = TokenEndpoint(server: server, registration: ClientRegistration(clientID: "notes-api", secret: secret))
/// let verifier = IntrospectionVerifier(endpoint, audience: "https://api.example.com")
/// let reading = AccessTokenInterceptor(verifier, requiring: ["notes:read"])
/// ```
///
/// Responses are cached by the SHA-256 digest of the token, but not beyond its `exp` and the policy's limit. For that
/// time a revoked token is still accepted. Requests with the same token share one question. Each verifier has a
/// separate cache, so that a token accepted for one audience is not accepted for another.
public final class IntrospectionVerifier: AccessTokenVerifier {
    /// The result of a question, for all requests that wait for it.
    private typealias Question = SharedResult<Verdict>

    /// The result for a token: the issuer's response and the checks here.
    private enum Verdict: Sendable {
        case accepted(Claims)
        case refused(JOSEError?)

        func claims() throws -> Claims {
            switch self {
            case .accepted(let claims): return claims
            case .refused(let error?): throw error
            case .refused(nil): throw AuthError.invalidAccessToken
            }
        }
    }

    private struct State {
        var accepted: BoundedCache<(verdict: Verdict, deadline: Duration)>
        /// Refused tokens are separate, so that a flood of invented tokens displaces no real one.
        var refused: BoundedCache<(verdict: Verdict, deadline: Duration)>
        var questions: [TokenDigest: Question] = [:]
        /// The implications among the scopes of the server that answered last.
        var scopeHierarchy: ScopeHierarchy?
    }

    private let ask: @Sendable (String) async throws -> (claims: Claims?, server: AuthorizationServer)
    private let audience: String?
    private let policy: IntrospectionPolicy
    private let clock: WallClock
    private let state: Mutex<State>

    /// Creates a verifier that asks a server.
    ///
    /// - Parameters:
    ///   - endpoint: The server, and this resource's registration at it, which must authenticate (RFC 7662 §2.1). Its
    ///     timeout limits the time that a request waits.
    ///   - audience: The required `aud`, or an element of it. Nil refuses tokens that name an audience, and accepts all
    ///     others that the issuer calls active.
    ///   - policy: The limits of the cache.
    ///   - clock: The clock for expiry and cache.
    public convenience init(
        _ endpoint: TokenEndpoint, audience: String?, policy: IntrospectionPolicy = IntrospectionPolicy(),
        clock: WallClock = .system
    ) {
        self.init(audience: audience, policy: policy, clock: clock) { token in
            (try await endpoint.introspect(token, hint: .access), endpoint.server)
        }
    }

    /// Creates a verifier that asks a server, which it finds by the issuer when it verifies the first token.
    ///
    /// - Parameters:
    ///   - client: The server, and this resource's registration at it.
    ///   - audience: The required `aud`, or an element of it; nil refuses tokens that name an audience.
    ///   - policy: The limits of the cache.
    ///   - clock: The clock for expiry and cache.
    public convenience init(
        _ client: AuthorizationClient, audience: String?, policy: IntrospectionPolicy = IntrospectionPolicy(),
        clock: WallClock = .system
    ) {
        self.init(audience: audience, policy: policy, clock: clock) { token in
            let endpoint = try await client.tokenEndpoint()
            return (try await endpoint.introspect(token, hint: .access), endpoint.server)
        }
    }

    private init(
        audience: String?, policy: IntrospectionPolicy, clock: WallClock,
        ask: @escaping @Sendable (String) async throws -> (claims: Claims?, server: AuthorizationServer)
    ) {
        self.ask = ask
        self.audience = audience
        self.policy = policy
        self.clock = clock
        state = Mutex(
            State(
                accepted: BoundedCache(capacity: policy.capacity), refused: BoundedCache(capacity: policy.capacity)))
    }

    /// Returns the claims of an active token.
    ///
    /// - Throws: `AuthError.invalidAccessToken` if the token is not active; `JOSEError` if it is not for this resource
    ///   or is outside its lifetime. Another `AuthError` if the issuer does not answer the question, and
    ///   `CancellationError`.
    nonisolated(nonsending) public func verify(_ text: String) async throws -> Claims {
        let digest = TokenDigest(text)
        let now = clock.uptime
        let (known, question) = state.withLock { state -> (Verdict?, Question?) in
            if let found = state.accepted[digest] ?? state.refused[digest], now < found.deadline {
                return (found.verdict, nil)
            }
            if let question = state.questions[digest] { return (nil, question) }
            // Otherwise, invented tokens would occupy all connections to the issuer.
            guard state.questions.count < IntrospectionPolicy.mostQuestions else { return (nil, nil) }
            return (nil, start(text, digest, &state))
        }
        let verdict: Verdict?
        do { verdict = try await question?.value() ?? known } catch let error as CancellationError {
            throw error
        } catch {
            throw Self.failure(error)
        }
        guard let verdict else { throw AuthError.introspectionFailed }
        let claims = try verdict.claims()
        // The clock may have been set, and a shared question may have taken long.
        guard !claims.isExpired(at: clock.now) else { throw JOSEError.expired }
        return claims
    }

    /// Starts a question, which the cancellation of a waiting request does not end.
    private func start(_ text: String, _ digest: TokenDigest, _ state: inout State) -> Question {
        let question = Question()
        state.questions[digest] = question
        let begin = clock.uptime
        Task {
            let result: Result<Verdict, any Error>
            do {
                let response = try await ask(text)
                self.state.withLock { $0.scopeHierarchy = response.server.scopeHierarchy }
                result = .success(verdict(on: response.claims, of: response.server.issuer.absoluteString))
            } catch {
                result = .failure(error)
            }
            finish(question, digest, result, since: begin)
        }
        return question
    }

    private func finish(
        _ question: Question, _ digest: TokenDigest, _ result: Result<Verdict, any Error>, since begin: Duration
    ) {
        state.withLock { state in
            state.questions[digest] = nil
            // A failure says nothing about the token, and is not cached.
            guard case .success(let verdict) = result else { return }
            switch verdict {
            case .refused:
                state.accepted[digest] = nil
                state.refused[digest] = (verdict, begin + policy.refusedLifetime)
            case .accepted(let claims):
                state.refused[digest] = nil
                state.accepted[digest] = lifetime(of: claims).map { (verdict, begin + $0) }
            }
        }
        question.finish(result)
    }

    /// Returns the time for which claims may be cached; nil if they may not.
    private func lifetime(of claims: Claims) -> Duration? {
        // Larger responses than any real one would fill the memory, multiplied by the capacity.
        guard JSONValue.object(claims.members).serialized().count <= IntrospectionPolicy.greatestCachedSize else {
            return nil
        }
        guard let expiry = claims.expiry else { return policy.lifetime }
        let rest = expiry.timeIntervalSince(clock.now)
        return rest < policy.lifetime.inSeconds ? .seconds(max(0, rest)) : policy.lifetime
    }

    // MARK: The response

    /// Checks the response about a token (RFC 7662 §2.2): the issuer decides about `active`, this resource about the
    /// rest.
    private func verdict(on claims: Claims?, of issuer: String) -> Verdict {
        guard let claims else { return .refused(nil) }
        do {
            // Several servers write null for unknown values.
            let claims = Claims(JSONObject(claims.members.filter { !$0.value.isNull }))
            try check(claims, issuer)
            return .accepted(claims)
        } catch {
            return .refused(error)
        }
    }

    private func check(_ claims: Claims, _ issuer: String) throws(JOSEError) {
        for name in ["exp", "nbf", "iat"] where claims[name] != nil && claims.double(name) == nil {
            throw .malformedToken("its \(name) is not a number")
        }
        guard !claims.isExpired(at: clock.now) else { throw .expired }
        if let start = claims.notBefore, start.timeIntervalSince(clock.now) > 30 { throw .notYetValid }
        // RFC 7662 §2.2: if the response names an issuer, it must be the one that was asked.
        if let named = claims["iss"] {
            guard named.stringValue?.utf8.elementsEqual(issuer.utf8) == true else { throw .wrongIssuer }
        }
        // An issuer also knows refresh tokens and ID tokens, and calls them active.
        guard !claims.areOfAnotherToken else { throw .wrongType }
        // RFC 9449 §6.2: the response about a bound token contains its key.
        guard claims.string("token_type")?.lowercasedASCII() != "dpop" || claims["cnf"]?["jkt"]?.stringValue != nil
        else { throw .malformedToken("it is bound to a key that is not named") }
        try checkAudience(claims)
    }

    private func checkAudience(_ claims: Claims) throws(JOSEError) {
        guard let audience else {
            guard claims["aud"] == nil else { throw .wrongAudience }
            return
        }
        // RFC 9700 §2.3: a token for another resource must not work here.
        guard claims.audience.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) else { throw .wrongAudience }
    }

    /// Returns the error that a response may show: only the name of the failure, and no text from the issuer.
    private static func failure(_ error: any Error) -> AuthError {
        let code = (error as? any CodedError).map { " (\($0.code))" } ?? ""
        let known = AuthError.introspectionFailed
        return AuthError(
            code: known.code, message: "The issuer could not be asked about the access token\(code).", hint: known.hint,
            cause: error)
    }
}

extension IntrospectionVerifier: ScopeInterpreter {
    /// The implications among the scopes of the server; nil before its first answer.
    package var scopeHierarchy: ScopeHierarchy? { state.withLock { $0.scopeHierarchy } }
}

extension IntrospectionVerifier: CustomStringConvertible {
    /// The audience without any token.
    public var description: String { "IntrospectionVerifier(\(audience ?? "any audience"))" }
}
