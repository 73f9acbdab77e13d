// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
public import LatchHTTP
public import LatchJOSE
import Synchronization

/// The keys that an issuer publishes at a URL (RFC 7517 §5), fetched when needed and cached.
///
/// One object serves any number of tasks, which share one request at a time. Keys are fetched again shortly before they
/// become stale, so that no task has to wait.
///
/// ```swift
/// let issuer = URL(string: "https://id.example.com")!
/// let keys = try RemoteKeySet(url: issuer.appending(path: ".well-known/jwks.json"))
/// let verifier = RemoteJWTVerifier(
///     keys: keys, algorithms: [.es256], issuer: issuer.absoluteString, audience: "api", type: "at+jwt")
/// let claims = try await verifier.verify(token)
/// ```
public final class RemoteKeySet: Sendable {
    /// The result of a request, for all tasks that wait for it.
    private typealias Fetch = SharedResult<KeySetSnapshot>

    /// The mutable state.
    private struct State {
        var snapshot: KeySetSnapshot?
        /// The running request.
        var fetch: Fetch?
        /// The start of the last request.
        var lastStart: Duration?
        /// The number of consecutive failures, and the last error.
        var failures = 0
        var failure: AuthError?
    }

    /// The URL of the key set.
    package let url: URL
    private let request: KeySetRequest
    private let policy: RemoteKeyPolicy
    private let clock: WallClock
    private let state = Mutex(State())

    /// Creates a key set, which is fetched when first needed.
    ///
    /// - Parameters:
    ///   - url: The URL of the key set, with https; plain http only for this machine.
    ///   - transport: The handler that sends the requests.
    ///   - policy: The cache lifetimes and request rates.
    ///   - clock: The clock that measures the keys' lifetimes.
    /// - Throws: `HTTPError.insecureURL` and `HTTPError.invalidURL`.
    public init(
        url: URL, transport: any Handler = Transport.live, policy: RemoteKeyPolicy = RemoteKeyPolicy(),
        clock: WallClock = .system
    ) throws(HTTPError) {
        self.url = url
        request = try KeySetRequest(url, transport: transport, policy: policy)
        self.policy = policy
        self.clock = clock
    }

    /// Returns the current keys, which are fetched first if there are none or they are stale.
    ///
    /// - Throws: `AuthError.keysUnavailable` if no keys may be used, and `CancellationError`.
    nonisolated(nonsending) public func keys() async throws -> KeySet { try await current().keys }

    /// The last fetched keys, as long as they may be used.
    var known: KeySetSnapshot? {
        state.withLock { state in state.snapshot.flatMap { clock.uptime < $0.lastTime ? $0 : nil } }
    }

    /// Returns the current keys with their lifetimes; it may start a request.
    nonisolated(nonsending) func current() async throws -> KeySetSnapshot {
        let now = clock.uptime
        let (fetch, older) = try state.withLock { state throws(AuthError) -> (Fetch?, KeySetSnapshot?) in
            let mayAsk = state.fetch == nil && now >= (state.lastStart ?? now) + pause(after: state.failures)
            if let snapshot = state.snapshot, now < snapshot.freshTime {
                if now >= snapshot.refreshTime, mayAsk { _ = start(&state, now: now) }
                return (nil, snapshot)
            }
            let older = state.snapshot.flatMap { now < $0.lastTime ? $0 : nil }
            if let fetch = state.fetch { return (fetch, older) }
            if mayAsk { return (start(&state, now: now), older) }
            guard let older else { throw state.failure ?? .keysUnavailable }
            return (nil, older)
        }
        do {
            if let fetch { return try await fetch.value() }
        } catch let error as AuthError {
            guard older != nil else { throw error }
        }
        guard let older else { throw AuthError.keysUnavailable }
        return older
    }

    /// Returns newer keys than `known`, which lack the key of a token.
    ///
    /// - Returns: The keys; nil if the last request is too recent for another.
    nonisolated(nonsending) func newer(than known: KeySetSnapshot) async throws -> KeySetSnapshot? {
        let now = clock.uptime
        let (fetch, newer) = try state.withLock { state throws(AuthError) -> (Fetch?, KeySetSnapshot?) in
            if let snapshot = state.snapshot, snapshot !== known { return (nil, snapshot) }
            if let fetch = state.fetch { return (fetch, nil) }
            guard let last = state.lastStart, now < last + policy.unknownKeyInterval else {
                return (start(&state, now: now), nil)
            }
            // While the issuer cannot be reached, it is not known whether the key belongs to it.
            if let failure = state.failure { throw failure }
            return (nil, nil)
        }
        let found = try await fetch?.value() ?? newer
        return found === known ? nil : found
    }

    /// Returns the pause after failures: a second, doubled for each further failure.
    private func pause(after failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        return min(.seconds(1 << min(failures - 1, 16)), policy.unknownKeyInterval)
    }

    /// Starts the request, which the cancellation of a waiting task does not end.
    private func start(_ state: inout State, now: Duration) -> Fetch {
        let (fetch, known) = (Fetch(), state.snapshot)
        state.fetch = fetch
        state.lastStart = now
        Task {
            let result = await request.snapshot(after: known, clock: clock)
            finish(fetch, result)
        }
        return fetch
    }

    private func finish(_ fetch: Fetch, _ result: Result<KeySetSnapshot, AuthError>) {
        state.withLock { state in
            state.fetch = nil
            switch result {
            case .success(let snapshot):
                state.snapshot = snapshot
                state.failures = 0
                state.failure = nil
            case .failure(let error):
                state.failures += 1
                state.failure = error
            }
        }
        fetch.finish(result.mapError { $0 })
    }
}

extension RemoteKeySet: CustomStringConvertible {
    /// The URL without its query.
    public var description: String { "RemoteKeySet(\(request.location))" }
}

/// The request for an issuer's key set.
struct KeySetRequest: Sendable {
    private let request: HTTPRequest
    private let client: Client
    private let policy: RemoteKeyPolicy

    /// Creates a request.
    ///
    /// - Throws: `HTTPError.insecureURL` if an attacker on the network could replace the keys.
    init(_ url: URL, transport: any Handler, policy: RemoteKeyPolicy) throws(HTTPError) {
        var request = try HTTPRequest(url: url, fields: [.accept: "application/jwk-set+json, application/json"])
        guard request.scheme == "https" || request.origin.isLoopback else { throw HTTPError.insecureURL }
        request.timeout = policy.timeout
        self.request = request
        self.policy = policy
        // The keys are trusted because they come from this origin, so redirects must stay within it.
        client = Client(
            baseURL: url,
            transport: BoundedResponses(transport, maximumSize: policy.maximumSize, within: policy.timeout),
            redirects: RedirectPolicy(maximum: 3, staysWithinOrigin: true))
    }

    /// The URL without its query, for messages.
    var location: String { "\(request.origin)\(request.pathWithoutQuery)" }

    /// Fetches the keys; any failure is `AuthError.keysUnavailable`.
    func snapshot(after known: KeySetSnapshot?, clock: WallClock) async -> Result<KeySetSnapshot, AuthError> {
        do {
            var request = request
            if let tag = known?.entityTag { request.fields["If-None-Match"] = tag }
            let response = try await client.respond(to: request)
            let keys = try keys(of: response, known)
            let tag = response.fields["ETag"] ?? (response.status.rawValue == 304 ? known?.entityTag : nil)
            return .success(
                KeySetSnapshot(keys, of: response, entityTag: tag, now: clock.uptime, policy: policy))
        } catch {
            return .failure(AuthError.keysUnavailable(at: location).caused(by: error))
        }
    }

    private func keys(of response: HTTPResponse, _ known: KeySetSnapshot?) throws -> KeySet {
        if response.status.rawValue == 304, let known { return known.keys }
        guard response.status == .ok else { throw HTTPError.unacceptableStatus(response) }
        let set = try KeySet(jwks: response.body.bytes)
        // RFC 8725 §3.1: a published symmetric key is not secret, so an attacker can sign with it.
        guard set.keys.allSatisfy({ $0.publicKey != nil }) else {
            throw AuthError.keysUnavailable(at: "\(location), which publishes a shared secret")
        }
        return KeySet(
            set.keys.compactMap(\.publicKey), encryptionKeys: set.encryptionKeys.compactMap(\.publicKey))
    }
}

/// The keys of one response of an issuer, with their lifetimes.
///
/// It is immutable: a later response creates another one. Times are those of the monotonic clock.
final class KeySetSnapshot: Sendable {
    let keys: KeySet
    /// The entity tag, for conditional requests (RFC 9110 §8.8.3).
    let entityTag: String?
    /// The time from which the keys are fetched again in the background.
    let refreshTime: Duration
    /// The time until which the keys are fresh.
    let freshTime: Duration
    /// The time until which stale keys are used while the issuer cannot be reached.
    let lastTime: Duration

    /// Creates a snapshot from a response that arrived at `now`.
    init(_ keys: KeySet, of response: HTTPResponse, entityTag: String?, now: Duration, policy: RemoteKeyPolicy) {
        let wanted = response.remainingFreshness ?? policy.lifetime
        let lifetime = min(max(wanted, policy.bounds.lowerBound), policy.bounds.upperBound)
        let stale = min(response.cacheControl.staleIfError ?? policy.staleIfError, policy.staleIfError)
        self.keys = keys
        self.entityTag = entityTag
        // The last fifth is long enough to fetch again before a task has to wait.
        refreshTime = now + lifetime * 4 / 5
        freshTime = now + lifetime
        lastTime = freshTime + stale
    }
}
