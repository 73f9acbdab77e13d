// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchFoundation
package import LatchHTTP
package import LatchIdentityStorage
package import LatchJOSE
import Synchronization

/// The public keys of clients: those in `jwks`, and those at a `jwks_uri`, which are fetched when needed.
///
/// Keys at a URL are fetched again if one is missing, at most once a minute for each client. So a client replaces its
/// keys without this server, and no stranger makes this server request a URL again and again.
package final class ClientKeySource: Sendable {
    /// The lifetimes and rates of keys at a URL.
    private static let policy = RemoteKeyPolicy(
        unknownKeyInterval: .seconds(60), maximumSize: PublicTransport.maximumSize, timeout: PublicTransport.patience)
    /// The maximum number of URLs whose keys are kept.
    private static let maximumCount = 1_000

    private struct Location: Hashable {
        let url: String
        let isOfStranger: Bool
    }

    private let store: IdentityStore
    private let clock: WallClock
    /// The transports for URLs that the operator has configured, and for those of clients that describe themselves.
    private let configured, foreign: any Handler
    private let sets = Mutex<[Location: RemoteKeySet]>([:])

    /// Creates the source.
    ///
    /// - Parameters:
    ///   - transport: The transport for URLs that the operator has configured, which may be in a private network.
    ///   - documents: The transport for URLs that strangers have named.
    package init(
        store: IdentityStore, clock: WallClock, transport: any Handler, documents: PublicTransport
    ) {
        (self.store, self.clock) = (store, clock)
        configured = DocumentTransport(transport)
        foreign = DocumentTransport(documents)
    }

    /// Returns what `body` makes of a client's keys, or its error; nil for a client without keys.
    ///
    /// - Parameters:
    ///   - keys: The keys of its `jwks`; empty for a client with a `jwks_uri`.
    ///   - body: Verifies a signature; it is called again with newer keys if a key is missing.
    /// - Throws: `IdentityError.unreadableKeys` if the keys cannot be fetched, `.cancelled`.
    package func verified<Value>(
        by client: OAuthClient, among keys: KeySet, _ body: (KeySet) throws(JOSEError) -> Value
    ) async throws(IdentityError) -> Result<Value, JOSEError>? {
        guard let url = client.jwksURI else {
            guard !keys.keys.isEmpty else { return nil }
            do throws(JOSEError) { return .success(try body(keys)) } catch { return .failure(error) }
        }
        do {
            return .success(try await set(at: url, isOfStranger: client.registersItself).verified(body))
        } catch let error as JOSEError {
            return .failure(error)
        } catch is CancellationError {
            throw .cancelled
        } catch {
            // The response says nothing of the network, only the log does.
            let cause = (error as? AuthError)?.cause
            let reason = (cause as? DocumentError)?.reason ?? (cause as? HTTPError)?.message ?? "they are invalid"
            store.failures.note(.unreadableKeys(of: client.id, because: reason), in: "jwks_uri")
            throw .unreadableKeys
        }
    }

    private func set(at url: String, isOfStranger: Bool) throws -> RemoteKeySet {
        let location = Location(url: url, isOfStranger: isOfStranger)
        if let set = sets.withLock({ $0[location] }) { return set }
        guard let parsed = URL(encodingOnce: url) else { throw DocumentError.url }
        let set = try RemoteKeySet(
            url: parsed, transport: isOfStranger ? foreign : configured, policy: Self.policy, clock: clock)
        return sets.withLock { sets in
            if let other = sets[location] { return other }
            if sets.count >= Self.maximumCount, let first = sets.keys.first { sets[first] = nil }
            sets[location] = set
            return set
        }
    }
}
