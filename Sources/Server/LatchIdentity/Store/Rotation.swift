// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation

/// One use of a refresh token whose MAC has been found right.
package struct RotationAttempt: Sendable {
    /// The device that the presented token names.
    package let deviceID: [UInt8]
    /// The generation that the presented token names.
    package let counter: UInt32
    /// The digest of the request's Idempotency-Key.
    package var key: [UInt8]?
    /// When the request came, read once: what one attempt compares must not move while it does.
    package let now: Date
    /// For how long the token that was just replaced is answered with its successor again.
    package let replayWindow: TimeInterval
    /// The same for a repeat that carries the Idempotency-Key of the rotation.
    ///
    /// Longer, for a key that only the client of the first request can know makes a repeat certain.
    package let keyedReplayWindow: TimeInterval
}

/// What became of a use of a refresh token.
package enum Rotation: Sendable, Hashable {
    /// The next generation is current, durably.
    case rotated(counter: UInt32)
    /// The answer got lost or several asked at once: the current generation is given again.
    case repeated(counter: UInt32)
    /// A token that was replaced before: whoever presents it, somebody has a copy.
    case reused
    /// The device is signed out or past its end.
    case refused

    /// Judges a use that does not rotate `device`, by what the row says now.
    package init(judging attempt: RotationAttempt, against device: Device) {
        // The newest token comes here only when there is no generation after it: its device has come to its end.
        guard device.revokedAt == nil, attempt.now < device.expiresAt, attempt.counter != device.counter else {
            self = .refused
            return
        }
        self = attempt.repeats(device) ? .repeated(counter: device.counter) : .reused
    }
}

extension RotationAttempt {
    /// Whether this is the use that made the current generation, again, and early enough.
    ///
    /// Nothing of the current generation has been used yet then, because its use would have replaced it.
    package func repeats(_ device: Device) -> Bool {
        guard device.counter > 0, counter == device.counter - 1, let rotatedAt = device.rotatedAt else { return false }
        // A clock that was set back makes ages negative. They count by their size, so that a window is never wider than
        // it was set, and a client whose answer got lost in that moment is still given it.
        let age = abs(now.timeIntervalSince(rotatedAt))
        if let key, key == device.rotationKey { return age <= keyedReplayWindow }
        return age <= replayWindow
    }
}
