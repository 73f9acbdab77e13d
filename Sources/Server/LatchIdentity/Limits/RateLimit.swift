// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP

/// A number of attempts within a window; all attempts share it by reference.
final class RateLimit: Sendable, Hashable {
    /// The name in the RateLimit fields.
    let name: String
    /// The number of attempts in a full bucket.
    let capacity: Int
    /// The seconds in which an empty bucket refills.
    let window: TimeInterval

    /// The RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10 §3).
    let policyField: String
    /// The RateLimit field, up to the number of attempts left.
    private let fieldStart: String

    init(name: String, capacity: Int, window: TimeInterval) {
        (self.name, self.capacity, self.window) = (name, capacity, window)
        policyField = "\"\(name)\";q=\(capacity);w=\(Int(window))"
        fieldStart = "\"\(name)\";r="
    }

    static func == (left: RateLimit, right: RateLimit) -> Bool {
        (left.name, left.capacity, left.window) == (right.name, right.capacity, right.window)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Returns the RateLimit field, with the attempts left and the seconds until the bucket is full (§4).
    func field(left count: Int, until seconds: Int) -> String {
        String {
            $0.append(fieldStart)
            $0.append(count)
            $0.append(literal: ";t=")
            $0.append(seconds)
        }
    }
}
