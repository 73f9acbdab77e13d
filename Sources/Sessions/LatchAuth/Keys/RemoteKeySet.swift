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
        /// The running request with its number.
        var fetch: (result: Fetch, number: Int)?
        /// The number of requests so far, which numbers the requests from 1 on.
        var started = 0
        /// The start of the last request.
        var lastStart: Duration?
        /// The number of consecutive failures, and the last error.
        var failures = 0
        var failure: AuthError?
    }

    /// The URL of the key set; the issuer if its metadata names the URL.
    package let url: URL
    private let source: KeySource
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
        source = .url(try KeySetRequest(url, transport: transport, policy: policy))
        self.policy = policy
        self.clock = clock
    }

    /// Creates the key set of an issuer, whose metadata is fetched with the keys.
    ///
    /// - Parameter discover: Fetches the metadata.
    package init(
        issuer: URL, transport: any Handler, policy: RemoteKeyPolicy, clock: WallClock,
        discover: @escaping @Sendable () async throws -> IssuerMetadata
    ) {
        url = issuer
        source = .issuer(issuer.absoluteString, discover) {
            try KeySetRequest($0, transport: transport, policy: policy)
        }
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

    /// The number of requests so far.
    ///
    /// A token that has just arrived may be signed by a key that these requests do not know.
    package var requestsSoFar: Int { state.withLock { $0.started } }

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
            if let fetch = state.fetch { return (fetch.result, older) }
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

    /// Returns what `body` makes of the keys, with newer ones if it misses a key, or if a signature is not of one.
    ///
    /// The newer keys are requested as rarely as for tokens of strangers.
    ///
    /// - Throws: The error of `body`, `AuthError.keysUnavailable` if the keys cannot be fetched, `CancellationError`.
    nonisolated(nonsending) package func verified<Value>(
        _ body: (KeySet) throws(JOSEError) -> Value
    ) async throws -> Value {
        let known = try await current()
        let problem: JOSEError
        do throws(JOSEError) { return try body(known.keys) } catch { problem = error }
        guard problem == .unknownKey || problem == .badSignature, let newer = try await newer(than: known) else {
            throw problem
        }
        return try body(newer.keys)
    }

    /// Returns newer keys than `known`, which lack the key of a token.
    ///
    /// Strangers can invent any number of tokens, so there is a pause between two requests for them. A token that came
    /// over a connection to the issuer needs no pause, but only keys that were requested after it arrived.
    ///
    /// - Parameters:
    ///   - known: The keys that lack the key.
    ///   - requests: The requests so far when the token arrived from the issuer; nil for a token of a stranger.
    /// - Returns: The keys; nil if no others are to be had.
    nonisolated(nonsending) func newer(
        than known: KeySetSnapshot, after requests: Int?
    ) async throws -> KeySetSnapshot? {
        guard let requests else { return try await newer(than: known) }
        let (fetch, number, newer) = state.withLock { state -> (Fetch?, Int, KeySetSnapshot?) in
            if let snapshot = state.snapshot, snapshot !== known { return (nil, snapshot.number, snapshot) }
            if let fetch = state.fetch { return (fetch.result, fetch.number, nil) }
            guard known.number <= requests else { return (nil, known.number, nil) }
            return (start(&state, now: clock.uptime, isConditional: false), state.started, nil)
        }
        guard let fetch else { return newer }
        do { return try await fetch.value() } catch is AuthError where number <= requests {
            // It began before the token arrived: another request may succeed.
            return try await self.newer(than: known, after: requests)
        }
    }

    /// Fetches the keys again in the background, unless the last request is recent.
    package func refetch() {
        let now = clock.uptime
        state.withLock { state in
            guard state.fetch == nil, now >= (state.lastStart ?? now) + policy.unknownKeyInterval else { return }
            _ = start(&state, now: now)
        }
    }

    /// Returns newer keys than `known`; nil if the last request is too recent for another.
    nonisolated(nonsending) private func newer(than known: KeySetSnapshot) async throws -> KeySetSnapshot? {
        let now = clock.uptime
        let (fetch, newer) = try state.withLock { state throws(AuthError) -> (Fetch?, KeySetSnapshot?) in
            if let snapshot = state.snapshot, snapshot !== known { return (nil, snapshot) }
            if let fetch = state.fetch { return (fetch.result, nil) }
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
    ///
    /// - Parameter isConditional: Whether the issuer may respond that the keys are the known ones.
    private func start(_ state: inout State, now: Duration, isConditional: Bool = true) -> Fetch {
        state.started += 1
        let (fetch, known, number) = (Fetch(), isConditional ? state.snapshot : nil, state.started)
        state.fetch = (fetch, number)
        state.lastStart = now
        Task {
            let result = await source.snapshot(
                after: known, passingCaches: !isConditional, number: number, clock: clock)
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
    public var description: String { "RemoteKeySet(\(source.location))" }
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
    ///
    /// - Parameters:
    ///   - known: The keys that the issuer may confirm without sending them again.
    ///   - passingCaches: Whether caches must ask the issuer (RFC 9111 §5.2.1.4).
    ///   - number: The number of the request.
    ///   - clock: The clock that measures the keys' lifetimes.
    ///   - metadata: The metadata that named the URL; nil without discovery.
    func snapshot(
        after known: KeySetSnapshot?, passingCaches: Bool, number: Int, clock: WallClock,
        metadata: IssuerMetadata? = nil
    ) async -> Result<KeySetSnapshot, AuthError> {
        do {
            var request = request
            if passingCaches { request.fields[.cacheControl] = "no-cache" }
            if let tag = known?.entityTag { request.fields["If-None-Match"] = tag }
            let response = try await client.respond(to: request)
            let keys = try keys(of: response, known)
            let tag = response.fields["ETag"] ?? (response.status.rawValue == 304 ? known?.entityTag : nil)
            return .success(
                KeySetSnapshot(
                    keys, of: response, entityTag: tag, number: number, now: clock.uptime, policy: policy,
                    metadata: metadata))
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
    /// The number of the request.
    let number: Int
    /// The issuer's metadata of the same time; nil without discovery.
    let metadata: IssuerMetadata?
    /// The time from which the keys are fetched again in the background.
    let refreshTime: Duration
    /// The time until which the keys are fresh.
    let freshTime: Duration
    /// The time until which stale keys are used while the issuer cannot be reached.
    let lastTime: Duration

    /// Creates a snapshot from a response that arrived at `now`.
    init(
        _ keys: KeySet, of response: HTTPResponse, entityTag: String?, number: Int, now: Duration,
        policy: RemoteKeyPolicy, metadata: IssuerMetadata?
    ) {
        self.metadata = metadata
        let wanted = response.remainingFreshness ?? policy.lifetime
        let lifetime = min(max(wanted, policy.bounds.lowerBound), policy.bounds.upperBound)
        let stale = min(response.cacheControl.staleIfError ?? policy.staleIfError, policy.staleIfError)
        self.keys = keys
        self.entityTag = entityTag
        self.number = number
        // The last fifth is long enough to fetch again before a task has to wait.
        refreshTime = now + lifetime * 4 / 5
        freshTime = now + lifetime
        lastTime = freshTime + stale
    }
}
