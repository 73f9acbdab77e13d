// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import LatchHTTP

/// A number of attempts within a window; all attempts share it by reference.
package final class RateLimit: Sendable, Hashable {
    /// The name in the RateLimit fields.
    package let name: String
    /// The number of attempts in a full bucket.
    package let capacity: Int
    /// The seconds in which an empty bucket refills.
    package let window: TimeInterval

    /// The RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10 §3).
    package let policyField: String
    /// The RateLimit field, up to the number of attempts left.
    private let fieldStart: String

    package init(name: String, capacity: Int, window: TimeInterval) {
        (self.name, self.capacity, self.window) = (name, capacity, window)
        policyField = "\"\(name)\";q=\(capacity);w=\(Int(window))"
        fieldStart = "\"\(name)\";r="
    }

    package static func == (left: RateLimit, right: RateLimit) -> Bool {
        (left.name, left.capacity, left.window) == (right.name, right.capacity, right.window)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// Returns the RateLimit field, with the attempts left and the seconds until the bucket is full (§4).
    package func field(left count: Int, until seconds: Int) -> String {
        String {
            $0.append(fieldStart)
            $0.append(count)
            $0.append(literal: ";t=")
            $0.append(seconds)
        }
    }
}
