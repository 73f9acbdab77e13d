// SPDX-License-Identifier: Apache-2.0

package import LatchFoundation

/// One use of an authentic refresh token.
package struct RotationAttempt: Sendable {
    /// The device of the presented token.
    package let deviceID: [UInt8]
    /// The generation of the presented token.
    package let counter: UInt32
    /// The digest of the request's Idempotency-Key.
    package var key: [UInt8]?
    /// The time of the request, which is read once, so that all comparisons of one attempt use the same time.
    package let now: Date
    /// The time for which a replaced token yields the same successor.
    package let replayWindow: TimeInterval
    /// The window for repetitions that have the Idempotency-Key of the rotation.
    ///
    /// It is longer, since only the client of the first request knows the key.
    package let keyedReplayWindow: TimeInterval

    package init(
        deviceID: [UInt8], counter: UInt32, key: [UInt8]? = nil, now: Date, replayWindow: TimeInterval,
        keyedReplayWindow: TimeInterval
    ) {
        self.deviceID = deviceID
        self.counter = counter
        self.key = key
        self.now = now
        self.replayWindow = replayWindow
        self.keyedReplayWindow = keyedReplayWindow
    }

    /// Returns whether this repeats the use that created the current generation, within the window.
    ///
    /// In that case no token of the current generation has been used yet, since its use would have replaced it.
    package func isRepetition(on device: Device) -> Bool {
        guard device.counter > 0, counter == device.counter - 1, let rotatedAt = device.rotatedAt else { return false }
        // After the clock was set back, ages can be negative. Their absolute value counts, so that a window is never
        // wider than configured. A client that lost its response at that moment still receives it.
        let age = abs(now.timeIntervalSince(rotatedAt))
        if let key, key == device.rotationKey { return age <= keyedReplayWindow }
        return age <= replayWindow
    }

    /// Returns the same attempt at a later time.
    package func at(_ now: Date) -> RotationAttempt {
        RotationAttempt(
            deviceID: deviceID, counter: counter, key: key, now: now, replayWindow: replayWindow,
            keyedReplayWindow: keyedReplayWindow)
    }
}

/// The decision on a use of a refresh token.
///
/// After a rotation, it has the device and its account as they are since then.
package typealias RotationOutcome = (rotation: Rotation, session: (device: Device, account: Account)?)

/// The result of a use of a refresh token.
package enum Rotation: Sendable, Hashable {
    /// The next generation is current, durably.
    case rotated(counter: UInt32)
    /// The response was lost or concurrent requests used the token: the current generation is issued again.
    case repeated(counter: UInt32)
    /// The token was replaced before, so a copy of it exists.
    case reused
    /// The device is signed out or expired.
    case rejected

    /// Decides a use that does not rotate `device`.
    package init(judging attempt: RotationAttempt, against device: Device) {
        // The newest token gets here only if it was not rotated, since its device is signed out or expired.
        guard device.revokedAt == nil, attempt.now < device.expiresAt, attempt.counter != device.counter else {
            self = .rejected
            return
        }
        self = attempt.isRepetition(on: device) ? .repeated(counter: device.counter) : .reused
    }
}
