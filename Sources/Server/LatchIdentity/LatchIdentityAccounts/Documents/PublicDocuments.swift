// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP
import Synchronization

/// The JSON documents at URLs that strangers have named, fetched when needed and cached.
///
/// One request at a time fetches a document, for all tasks that wait for it. A failure is kept, too: no caller can make
/// this server request a host again and again.
package final class PublicDocuments: Sendable {
    /// The bounds of the time for which a document is used, whatever its response says.
    package static let bounds = Duration.seconds(60)...Duration.seconds(86_400)
    /// The time for a document whose response says nothing.
    private static let usualLife = Duration.seconds(600)
    /// The time for which a failure is kept.
    package static let failureLife = Duration.seconds(60)
    /// The maximum number of documents and failures.
    package static let maximumCount = 1_000

    private struct Entry {
        let result: Result<JSONObject, DocumentError>
        /// The uptime until which it is used.
        let end: Duration
    }

    private struct State {
        var entries: [String: Entry] = [:]
        var fetches: [String: SharedResult<JSONObject>] = [:]
    }

    private let transport: DocumentTransport
    private let clock: WallClock
    private let state = Mutex(State())

    /// Creates a cache.
    ///
    /// - Parameter transport: Sends the requests.
    package init(transport: PublicTransport, clock: WallClock) {
        self.transport = DocumentTransport(transport)
        self.clock = clock
    }

    /// Returns the document at a URL.
    ///
    /// - Throws: `DocumentError`, and `CancellationError`.
    package func document(at url: String) async throws -> JSONObject {
        let now = clock.uptime
        let fetch = state.withLock { state in
            if let fetch = state.fetches[url] { return fetch }
            let fetch = SharedResult<JSONObject>()
            if let entry = state.entries[url], now < entry.end {
                fetch.finish(entry.result.mapError { $0 })
                return fetch
            }
            state.fetches[url] = fetch
            // The cancellation of one waiting task does not end it for the others.
            Task { await self.fetch(url, for: fetch) }
            return fetch
        }
        return try await fetch.value()
    }

    private func fetch(_ url: String, for waiting: SharedResult<JSONObject>) async {
        let (result, life) = await self.result(of: url)
        let end = clock.uptime + life
        state.withLock { state in
            state.fetches[url] = nil
            // How busy this server is says nothing about the document.
            guard result != .failure(.busy) else { return }
            makeRoom(in: &state)
            state.entries[url] = Entry(result: result, end: end)
        }
        waiting.finish(result.mapError { $0 })
    }

    /// Removes what is not used any longer, or else what ends first.
    private func makeRoom(in state: inout State) {
        guard state.entries.count >= Self.maximumCount else { return }
        let now = clock.uptime
        state.entries = state.entries.filter { now < $0.value.end }
        guard state.entries.count >= Self.maximumCount,
            let first = state.entries.min(by: { $0.value.end < $1.value.end })?.key
        else { return }
        state.entries[first] = nil
    }

    /// Fetches a document, and returns the time for which the result is used.
    private func result(of url: String) async -> (Result<JSONObject, DocumentError>, Duration) {
        do {
            let (origin, path) = try HTTPOrigin.split(url)
            let request = HTTPRequest(
                method: .get, scheme: origin.scheme, authority: origin.authority, path: path,
                fields: [.accept: "application/json"])
            let response = try await transport.respond(to: request)
            guard response.status == .ok else { throw DocumentError.status(response.status.rawValue) }
            guard let document = try JSONValue(parsing: response.body.bytes).objectValue else {
                throw DocumentError.content("is not a JSON object")
            }
            let life = response.remainingFreshness ?? Self.usualLife
            return (.success(document), min(max(life, Self.bounds.lowerBound), Self.bounds.upperBound))
        } catch let error as DocumentError {
            return (.failure(error), Self.failureLife)
        } catch is JSONError {
            return (.failure(.content("is not JSON")), Self.failureLife)
        } catch {
            return (.failure(error is HTTPError ? .url : .unreachable), Self.failureLife)
        }
    }
}
