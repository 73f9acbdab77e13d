// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import Synchronization

/// What both authenticating interceptors do, over the session of a token storage.
final class Authenticator<Token: TokenModel>: Sendable {
    private typealias Refused = Lease<TokenCredential<Token>>

    private let storage: TokenStorage<Token>
    private let strategy: RefreshDesk<Token>.Strategy
    private let shouldAuthenticate: @Sendable (URLRequest) -> Bool
    /// Whether a token is obtained before the first request, or only when a server asks for one.
    private let obtainsFirst: Bool

    private var session: Session<TokenCredential<Token>> { storage.session }

    init(
        storage: TokenStorage<Token>, strategy: RefreshDesk<Token>.Strategy, obtainsFirst: Bool,
        shouldAuthenticate: @escaping @Sendable (URLRequest) -> Bool
    ) {
        self.storage = storage
        self.strategy = strategy
        self.obtainsFirst = obtainsFirst
        self.shouldAuthenticate = shouldAuthenticate
    }

    /// The request with the token, where one is to be sent there.
    func adapt(_ request: URLRequest) async throws -> URLRequest {
        guard authenticates(request), !isRenewing else { return request }
        do {
            let lease = try await lease()
            try Exchange.current?.begin(ObjectIdentifier(self), with: lease)
            guard let token = lease.credential.token else { return request }
            Exchange.current?.add(RedirectAuthorization(SessionStep(session, lease), isMeant: authenticates))
            var authorized = request
            token.authorize(&authorized)
            return authorized
        } catch {
            throw NetworkError(error)
        }
    }

    /// Whether a request that was refused is to be sent again, with another token.
    ///
    /// The session renews once for all that were refused, and not at all where the token has been replaced since.
    func retry(_ request: URLRequest, error: NetworkError) async throws -> Bool {
        guard case .unauthorized = error, authenticates(request), !isRenewing else { return false }
        guard let exchange = Exchange.current else { return try await retryAlone(request) }
        let current = session.currentState.credential
        let refused = exchange.takeRefused(ObjectIdentifier(self)) { (lease: Refused) in lease.credential == current }
        guard let refused else { return false }
        return try await renew(replacing: refused)
    }

    /// Outside of a provider nobody knows with which token the request was made.
    ///
    /// Where the present one makes no difference to it, that is the one that was refused.
    private func retryAlone(_ request: URLRequest) async throws -> Bool {
        do {
            let current = try await session.lease()
            var again = request
            current.credential.token?.authorize(&again)
            guard again == request else { return true }
            return try await renew(replacing: current)
        } catch {
            throw NetworkError(error)
        }
    }

    private func renew(replacing refused: Refused) async throws -> Bool {
        storage.desk.use(strategy)
        do {
            _ = try await session.renewed(replacing: refused)
            return true
        } catch AuthError.superseded {
            // Somebody signed out or in meanwhile: the request was made for another person, and stays refused.
            return false
        } catch {
            throw NetworkError(error)
        }
    }

    /// The token to send now.
    private func lease() async throws -> Refused {
        storage.desk.use(strategy)
        let lease = try await session.lease()
        guard obtainsFirst, lease.credential.token == nil else { return lease }
        _ = try await session.renewed(replacing: lease)
        let obtained = try await session.lease()
        guard obtained.generation == lease.generation else { throw AuthError.superseded }
        return obtained
    }

    /// Whether the current task is part of the renewal itself, whose requests go without the token.
    private var isRenewing: Bool { RenewalScope.sessions.contains(ObjectIdentifier(session)) }

    /// Whether the token may be sent with `request`: where the program wants it, and never anywhere else than the
    /// configuration says, nor readable for others.
    private func authenticates(_ request: URLRequest) -> Bool {
        guard shouldAuthenticate(request), let origin = request.url.flatMap(HTTPOrigin.init) else { return false }
        guard let exchange = Exchange.current else { return origin.scheme == "https" || origin.isLoopback }
        return origin == exchange.origin
            && (origin.scheme == "https" || origin.isLoopback || exchange.allowsInsecureHTTP)
    }
}

/// Authorises the requests that redirects within the origin lead to, and lets the session see what is answered.
///
/// The first message of an attempt was authorised by `adapt`, so that the interceptors after it see it.
private final class RedirectAuthorization<Value: SessionCredential>: WireStep {
    private let step: SessionStep<Value>
    private let isMeant: @Sendable (URLRequest) -> Bool
    private let isFirst = Mutex(true)

    init(_ step: SessionStep<Value>, isMeant: @escaping @Sendable (URLRequest) -> Bool) {
        self.step = step
        self.isMeant = isMeant
    }

    func prepare(_ request: inout HTTPRequest) async throws {
        let wasFirst = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
        }
        guard !wasFirst, isMeant(try URLRequest(request)) else { return }
        try await step.prepare(&request)
    }

    func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        await step.observe(response, to: request)
    }
}
