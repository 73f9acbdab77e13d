// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage

/// The challenges of passkeys: random bytes and the time of issue, authenticated by the server.
///
/// The server stores a challenge only after its use, so that requests for options cannot fill a table.
package struct PasskeyChallenges: Sendable {
    /// The time for which a challenge is valid, which is also the timeout of the options.
    package static let lifetime: TimeInterval = 300
    /// The time by which the clocks of two nodes may differ.
    private static let tolerance: TimeInterval = 60
    /// The number of bytes of the time and the random part.
    private static let headByteCount = 8 + 16

    /// The ceremony that a challenge is for.
    ///
    /// It is not valid for any other.
    package enum Purpose: Sendable, Hashable {
        /// A new passkey of an account, on the device that requested the options.
        case registration(accountID: String, device: [UInt8])
        /// A sign-in or a reauthentication of any account.
        case authentication
    }

    /// The result of checking a challenge.
    package enum Verdict: Sendable, Hashable {
        case valid(SpentChallenge)
        case expired
        /// The server did not issue it, or issued it for another purpose.
        case foreign
    }

    private let key: SymmetricKey

    init(pepper: SymmetricKey) { key = pepper.derived(for: "latch passkey challenge") }

    /// Returns a new challenge.
    package func issue(for purpose: Purpose, at now: Date, random: RandomSource) -> [UInt8] {
        let head = withUnsafeBytes(of: now.storedMilliseconds.bigEndian) { Array($0) } + random.bytes(16)
        return head + code(of: head, for: purpose)
    }

    /// Checks a challenge that a client has sent.
    package func check(_ challenge: [UInt8], for purpose: Purpose, at now: Date) -> Verdict {
        guard challenge.count > Self.headByteCount else { return .foreign }
        let head = Array(challenge[..<Self.headByteCount])
        guard constantTimeEquals(challenge[Self.headByteCount...], code(of: head, for: purpose)) else {
            return .foreign
        }
        let milliseconds = head[..<8].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        let issuedAt = Date(storedMilliseconds: milliseconds)
        guard (-Self.tolerance..<Self.lifetime).contains(now.timeIntervalSince(issuedAt)) else { return .expired }
        return .valid(
            SpentChallenge(
                digest: Array(SHA256.hash(data: challenge)),
                expiresAt: issuedAt.addingTimeInterval(Self.lifetime + Self.tolerance)))
    }

    private func code(of head: [UInt8], for purpose: Purpose) -> [UInt8] {
        let context: [UInt8] =
            switch purpose {
            // The device's id has a fixed length.
            case .registration(let accountID, let device): [1] + device + Array(accountID.utf8)
            case .authentication: [2]
            }
        return Array(HMAC<SHA256>.authenticationCode(for: head + context, using: key))
    }
}

extension PasskeyChallenges: Redacting {}
