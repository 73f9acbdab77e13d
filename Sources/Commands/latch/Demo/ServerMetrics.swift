// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchHTTP

/// The server's counters, as its `/metrics` tells them.
struct ServerMetrics: Sendable {
    private let values: [Substring: Int]

    /// Reads all counters at once, so that they belong together.
    ///
    /// What is no whole number is left out, and reads as 0 below: a counter that was never touched is none of the
    /// server's.
    init(readingFrom baseURL: URL) async throws {
        let response = try await Client(baseURL: baseURL).perform(.raw(.get, "metrics"))
        let pairs = response.body.text?.split(separator: "\n").compactMap { line -> (Substring, Int)? in
            guard !line.hasPrefix("#"), let gap = line.lastIndex(of: " ") else { return nil }
            return Int(line[line.index(after: gap)...]).map { (line[..<gap], $0) }
        }
        values = Dictionary(pairs ?? []) { $1 }
    }

    /// Successful renewals, repeats included.
    var renewals: Int { values[#"latch_tokens_issued_total{grant="refresh_token"}"#] ?? 0 }
    /// Renewals that were answered a second time with the same successor.
    var repeats: Int { values[#"latch_token_replays_total{outcome="repeated"}"#] ?? 0 }
    /// Families that were ended.
    var revoked: Int { values["latch_families_revoked_total"] ?? 0 }
}
