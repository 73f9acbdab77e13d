// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchCrypto
import PortableFoundation

/// The challenges of passkeys: random bytes and their time, authenticated by the server.
///
/// The server keeps none before a response has used it up, so that requests for options fill no table.
struct PasskeyChallenges: Sendable {
    /// The time for which a challenge is valid, which is also the timeout of the options.
    static let lifetime: TimeInterval = 300
    /// The time by which the clocks of two nodes may differ.
    private static let tolerance: TimeInterval = 60
    /// The bytes of the time and the random ones.
    private static let headByteCount = 8 + 16

    /// The ceremony that a challenge is for, and nothing else.
    enum Purpose: Sendable, Hashable {
        /// A new passkey of an account, by the device that has requested the options.
        case registration(accountID: String, device: [UInt8])
        /// A sign-in or a reauthentication, of whichever account.
        case authentication
    }

    /// The result of checking a challenge.
    enum Verdict: Sendable, Hashable {
        case valid(SpentChallenge)
        case expired
        /// The server has not issued it, or not for this.
        case foreign
    }

    private let key: SymmetricKey

    init(pepper: SymmetricKey) { key = pepper.derived(for: "latch passkey challenge") }

    /// Returns a new challenge.
    func issue(for purpose: Purpose, at now: Date, random: RandomSource) -> [UInt8] {
        let head = withUnsafeBytes(of: now.storedMilliseconds.bigEndian) { Array($0) } + random.bytes(16)
        return head + code(of: head, for: purpose)
    }

    /// Checks a challenge that a client states.
    func check(_ challenge: [UInt8], for purpose: Purpose, at now: Date) -> Verdict {
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
            // The device's id has always as many bytes.
            case .registration(let accountID, let device): [1] + device + Array(accountID.utf8)
            case .authentication: [2]
            }
        return Array(HMAC<SHA256>.authenticationCode(for: head + context, using: key))
    }
}

extension PasskeyChallenges: Redacting {}
