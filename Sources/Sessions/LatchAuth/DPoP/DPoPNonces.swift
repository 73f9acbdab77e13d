// SPDX-License-Identifier: Apache-2.0

internal import PortableFoundation
public import LatchCore
internal import LatchCrypto
internal import LatchJOSE

/// The nonces that a server asks for in proofs (RFC 9449 §8), made of the time and a secret: none has to be kept.
///
/// A nonce shows that a proof was made lately, whatever the client's clock says, and was not made in advance. Servers
/// that share the secret accept each other's.
public struct DPoPNonces: Sendable {
    private let secret: SymmetricKey
    private let step: Double
    private let clock: WallClock

    /// Nonces of a secret.
    ///
    /// - Parameters:
    ///   - secret: What all who accept the same nonces share; nil makes one of its own. At least 16 bytes.
    ///   - lifetime: For how long a nonce is accepted at most; at least half of that.
    public init(secret: [UInt8]? = nil, lifetime: Duration = .seconds(300), clock: WallClock = .system) {
        self.secret = SymmetricKey(data: secret ?? SecureRandom.bytes(32))
        step = max(1, lifetime.inSeconds / 2)
        self.clock = clock
    }

    /// The nonce to send as `DPoP-Nonce`.
    public var current: String { nonce(of: number) }

    /// Whether a proof may hold this nonce: the current one, or the one before, which a client may have been given just
    /// before it changed.
    public func accepts(_ nonce: String?) -> Bool {
        guard let nonce else { return false }
        let number = number
        return constantTimeEquals(nonce.utf8, self.nonce(of: number).utf8)
            || constantTimeEquals(nonce.utf8, self.nonce(of: number - 1).utf8)
    }

    /// Counts steps of time; the clock of a server is no date that would not fit.
    private var number: Int64 {
        Int64(exactly: (clock.now.timeIntervalSince1970 / step).rounded(.down)) ?? 0
    }

    private func nonce(of number: Int64) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("dpop-nonce \(number)".utf8), using: secret)
        return Base64URL.encode(Array(code).prefix(18))
    }
}
