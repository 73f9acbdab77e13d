// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundationBridge
import LatchHTTP
import Synchronization

/// The implementation of both authentication interceptors, over the session of a token storage.
final class Authenticator<Token: TokenModel>: Sendable {
    private typealias Snapshot = CredentialSnapshot<TokenCredential<Token>>

    private let storage: TokenStorage<Token>
    private let strategy: TokenRefresher<Token>.Strategy
    private let shouldAuthenticate: @Sendable (URLRequest) -> Bool
    /// Whether a token is obtained before the first request, or only after a 401.
    private let obtainsTokenEagerly: Bool

    private var session: Session<TokenCredential<Token>> { storage.session }

    init(
        storage: TokenStorage<Token>, strategy: TokenRefresher<Token>.Strategy, obtainsTokenEagerly: Bool,
        shouldAuthenticate: @escaping @Sendable (URLRequest) -> Bool
    ) {
        self.storage = storage
        self.strategy = strategy
        self.obtainsTokenEagerly = obtainsTokenEagerly
        self.shouldAuthenticate = shouldAuthenticate
        storage.refresher.use(strategy)
    }

    /// Returns the request with the token, if the token may be sent with it.
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        guard authenticates(request), !isRefreshing else { return request }
        do {
            let snapshot = try await withinTimeout(of: request) { try await self.currentSnapshot() }
            let attempt = SessionAttempt(session, snapshot)
            try RequestContext.current?.record(ObjectIdentifier(self), with: snapshot) { attempt.leadsElsewhere }
            RequestContext.current?.add(RedirectAuthorization(attempt, isIncluded: authenticates))
            guard let token = snapshot.credential.token else { return request }
            var authorized = request
            token.authorize(&authorized)
            return authorized
        } catch {
            throw NetworkError(error)
        }
    }

    /// Returns whether a rejected request should be sent again, with another token.
    ///
    /// The session refreshes once for all requests with a token, and not at all if the token was replaced in the
    /// meantime. Like the core's `SessionInterceptor`, it refreshes only if the server refuses the credential itself. A
    /// new token would not add a missing scope, or a stronger authentication of the user.
    func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        guard case .unauthorized(let data, let own) = error, authenticates(request), !isRefreshing,
            Self.refusesCredential(response ?? own, data)
        else { return false }
        guard let context = RequestContext.current else { return try await retryWithoutContext(request) }
        // A redirect has led to another origin, which did not receive the token.
        guard !context.leadsElsewhere(ObjectIdentifier(self)) else { return false }
        let current = session.currentState.credential
        let rejected = context.takeRejected(ObjectIdentifier(self)) { (snapshot: Snapshot) in
            snapshot.credential == current
        }
        guard let rejected else { return false }
        return try await refresh(replacing: rejected, for: request)
    }

    /// Handles a retry outside of a provider, where the token of the request is unknown.
    ///
    /// If authorizing the request with the current token does not change it, the current token is the rejected one. A
    /// stream has already been read. The token is then refreshed for the next request, but this request cannot be sent
    /// again.
    private func retryWithoutContext(_ request: URLRequest) async throws -> Bool {
        do {
            let isReplayable = request.httpBodyStream == nil
            let current = try await session.snapshot()
            var again = request
            current.credential.token?.authorize(&again)
            guard again == request else { return isReplayable }
            return try await refresh(replacing: current, for: request) && isReplayable
        } catch {
            throw NetworkError(error)
        }
    }

    private func refresh(replacing rejected: Snapshot, for request: URLRequest) async throws -> Bool {
        storage.refresher.use(strategy)
        do {
            _ = try await withinTimeout(of: request) { try await self.session.refreshed(replacing: rejected) }
            return true
        } catch AuthError.superseded {
            // The user has signed out or in in the meantime: the request belongs to another session, and stays
            // rejected.
            return false
        } catch AuthError.notRefreshable, AuthError.tooManyRefreshes {
            // The caller handles the refusal; it does not end the session.
            return false
        } catch {
            throw NetworkError(error)
        }
    }

    /// Waits for the session for at most the timeout of `request`.
    ///
    /// A refresh continues without a limit, and its result is stored when it arrives.
    ///
    /// - Throws: `NetworkError.timeout`.
    private func withinTimeout(
        of request: URLRequest, _ wait: @escaping @Sendable () async throws -> Snapshot
    ) async throws -> Snapshot {
        let limit = request.timeoutInterval
        guard limit > 0, limit < 86_400 else { return try await wait() }
        return try await withThrowingTaskGroup(of: Snapshot.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await wait() }
            group.addTask {
                try await Task.sleep(for: .seconds(limit))
                throw NetworkError.timeout
            }
            guard let snapshot = try await group.next() else { throw NetworkError.cancelled }
            return snapshot
        }
    }

    /// Whether a 401 refuses the token itself; a 401 without a response counts as such.
    private static func refusesCredential(_ response: HTTPURLResponse?, _ data: Data?) -> Bool {
        guard let response else { return true }
        return CredentialRefusal(HTTPResponse(response, data: data ?? Data())) == .credential
    }

    /// Returns the token to send now.
    private func currentSnapshot() async throws -> Snapshot {
        storage.refresher.use(strategy)
        let snapshot = try await session.snapshot()
        guard obtainsTokenEagerly, snapshot.credential.token == nil else { return snapshot }
        _ = try await session.refreshed(replacing: snapshot)
        let obtained = try await session.snapshot()
        guard obtained.generation == snapshot.generation else { throw AuthError.superseded }
        return obtained
    }

    /// Whether the current task belongs to the refresh itself; its requests are sent without the token.
    private var isRefreshing: Bool { ActiveRefreshes.contains(session) }

    /// Whether the token may be sent with `request`.
    ///
    /// The application must want it, and the token is sent only to the configured origin over a secure connection.
    private func authenticates(_ request: URLRequest) -> Bool {
        guard shouldAuthenticate(request), let origin = request.url.flatMap(HTTPOrigin.init) else { return false }
        guard let context = RequestContext.current else { return origin.scheme == "https" || origin.isLoopback }
        return origin == context.origin
            && (origin.scheme == "https" || origin.isLoopback || context.allowsInsecureHTTP)
    }
}

/// Authorizes requests after redirects within the origin, and passes responses to the session.
///
/// `adapt` authorizes the first message of an attempt, so that the next interceptors see its fields.
private final class RedirectAuthorization<Value: SessionCredential>: RequestModifier {
    private let step: SessionAttempt<Value>
    private let isIncluded: @Sendable (URLRequest) -> Bool
    private let isFirst = Mutex(true)

    init(_ step: SessionAttempt<Value>, isIncluded: @escaping @Sendable (URLRequest) -> Bool) {
        self.step = step
        self.isIncluded = isIncluded
    }

    func prepare(_ request: inout HTTPRequest) async throws {
        let wasFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        guard !wasFirst, isIncluded(try URLRequest(request)) else { return }
        try await step.prepare(&request)
    }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        await step.observe(response, to: request)
    }
}
