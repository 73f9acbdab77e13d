// SPDX-License-Identifier: Apache-2.0

import LatchFoundation
import LatchHTTP

/// The server's counters, read from `/metrics`.
struct ServerMetrics: Sendable {
    private let values: [Substring: Int]

    /// Reads all counters in one request; a counter that the server does not list is 0.
    init(readingFrom baseURL: URL) async throws {
        let response = try await Client(baseURL: baseURL).perform(.raw(.get, "metrics"))
        let pairs = response.body.text?.split(separator: "\n").compactMap { line -> (Substring, Int)? in
            guard !line.hasPrefix("#"), let gap = line.lastIndex(of: " ") else { return nil }
            return Int(line[line.index(after: gap)...]).map { (line[..<gap], $0) }
        }
        values = Dictionary(pairs ?? []) { $1 }
    }

    /// The number of successful refreshes, including repeated ones.
    var refreshes: Int { values[#"latch_tokens_issued_total{grant="refresh_token"}"#] ?? 0 }
    /// The number of repeated refreshes that returned the same successor.
    var repeats: Int { values[#"latch_token_replays_total{outcome="repeated"}"#] ?? 0 }
    /// The number of revoked families.
    var revoked: Int { values["latch_families_revoked_total"] ?? 0 }
}
