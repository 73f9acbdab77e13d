// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import PortableFoundation
public import LatchCore
public import LatchHTTP
public import LatchJOSE

/// The keys that an issuer publishes at an address (RFC 7517 §5), fetched when they are needed and kept meanwhile.
///
/// One object serves any number of tasks: whatever makes them want newer keys, one request is on its way at a time, and
/// those who need its answer wait for it. Keys are asked for again before their time is over, without anybody waiting.
///
/// ```swift
/// let keys = try RemoteKeySet(url: issuer.appending(path: ".well-known/jwks.json"))
/// let verifier = RemoteVerifier(keys: keys, algorithms: [.es256], issuer: issuer, audience: "api", type: "at+jwt")
/// let claims = try await verifier.verify(token)
/// ```
public final class RemoteKeySet: Sendable {
    /// All that changes.
    private struct Holding {
        var snapshot: KeySnapshot?
        /// The request on its way.
        var fetch: SharedResult<KeySnapshot>?
        /// When the last request began.
        var lastStart: Duration?
        /// How many requests have failed in a row, and how the last one did.
        var failures = 0
        var failure: AuthError?
    }

    /// What somebody who wants keys does next.
    private enum Step {
        case use(KeySnapshot)
        /// Waits for the request that is on its way; where it fails, the older keys do.
        case wait(SharedResult<KeySnapshot>, instead: KeySnapshot?)
        case fail(AuthError)
    }

    private let request: KeyRequest
    private let policy: RemoteKeyPolicy
    private let clock: WallClock
    private let holding = Mutex(Holding())

    /// The keys at an address, of which nothing is fetched yet.
    ///
    /// - Parameters:
    ///   - url: With https; plain http is for this machine itself.
    ///   - transport: What sends the requests.
    /// - Throws: `HTTPError.insecureURL` and `HTTPError.invalidURL`.
    public init(
        url: URL, transport: any Handler = Transport.live, policy: RemoteKeyPolicy = RemoteKeyPolicy(),
        clock: WallClock = .system
    ) throws(HTTPError) {
        request = try KeyRequest(url, transport: transport, policy: policy)
        self.policy = policy
        self.clock = clock
    }

    /// The keys as they are now, fetched first where none are there or their time is over.
    ///
    /// - Throws: `AuthError.keysUnavailable` where there are none that may still be used, and `CancellationError`.
    nonisolated(nonsending) public func keys() async throws -> KeySet { try await current().keys }

    /// The same with their times.
    nonisolated(nonsending) func current() async throws -> KeySnapshot {
        let now = clock.uptime
        return try await take(holding.withLock { next(&$0, now: now) })
    }

    /// Newer keys than those that did not know a token's key.
    ///
    /// - Returns: Nil where the issuer was asked so shortly before that it is not asked again.
    nonisolated(nonsending) func newer(than known: KeySnapshot) async throws -> KeySnapshot? {
        let now = clock.uptime
        let step: Step? = holding.withLock { holding in
            if let snapshot = holding.snapshot, snapshot !== known { return .use(snapshot) }
            if let fetch = holding.fetch { return .wait(fetch, instead: nil) }
            if let last = holding.lastStart, now < last + policy.unknownKeyInterval {
                // While the issuer cannot be asked, nobody knows whether the key is one of its own.
                return holding.failure.map { .fail($0) }
            }
            return .wait(start(&holding, now: now), instead: nil)
        }
        guard let step else { return nil }
        let found = try await take(step)
        return found === known ? nil : found
    }

    nonisolated(nonsending) private func take(_ step: Step) async throws -> KeySnapshot {
        switch step {
        case .use(let snapshot): return snapshot
        case .fail(let error): throw error
        case .wait(let fetch, let older):
            do {
                return try await fetch.value()
            } catch let error as AuthError {
                guard let older else { throw error }
                return older
            }
        }
    }

    /// What to do for keys that are good now; it may begin a request.
    private func next(_ holding: inout Holding, now: Duration) -> Step {
        let mayAsk = holding.fetch == nil && now >= (holding.lastStart ?? now) + pause(after: holding.failures)
        if let snapshot = holding.snapshot, now < snapshot.freshTime {
            if now >= snapshot.renewalTime, mayAsk { _ = start(&holding, now: now) }
            return .use(snapshot)
        }
        let older = holding.snapshot.flatMap { now < $0.lastTime ? $0 : nil }
        if let fetch = holding.fetch { return .wait(fetch, instead: older) }
        if mayAsk { return .wait(start(&holding, now: now), instead: older) }
        if let older { return .use(older) }
        return .fail(holding.failure ?? .keysUnavailable)
    }

    /// How long the issuer is left alone after failures: a second, then twice as long each time.
    private func pause(after failures: Int) -> Duration {
        guard failures > 0 else { return .zero }
        return min(.seconds(1 << min(failures - 1, 16)), policy.unknownKeyInterval)
    }

    /// Begins the one request, which goes on whoever stops waiting for it.
    private func start(_ holding: inout Holding, now: Duration) -> SharedResult<KeySnapshot> {
        let (fetch, known) = (SharedResult<KeySnapshot>(), holding.snapshot)
        holding.fetch = fetch
        holding.lastStart = now
        Task {
            let result = await request.snapshot(after: known, clock: clock)
            finish(fetch, result)
        }
        return fetch
    }

    private func finish(_ fetch: SharedResult<KeySnapshot>, _ result: Result<KeySnapshot, AuthError>) {
        holding.withLock { holding in
            holding.fetch = nil
            switch result {
            case .success(let snapshot):
                holding.snapshot = snapshot
                holding.failures = 0
                holding.failure = nil
            case .failure(let error):
                holding.failures += 1
                holding.failure = error
            }
        }
        fetch.finish(result.mapError { $0 })
    }
}

extension RemoteKeySet: CustomStringConvertible {
    /// The address, without its query.
    public var description: String { "RemoteKeySet(\(request.place))" }
}
