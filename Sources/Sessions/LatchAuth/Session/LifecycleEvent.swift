// SPDX-License-Identifier: Apache-2.0

/// An event in the life of an app that concerns its session.
package enum LifecycleEvent: Sendable, Hashable {
    /// The app goes to the background, or the machine to sleep: it may stop running at any time from now on.
    case willSuspend
    /// The app or the machine is back.
    case didResume
    /// The user has unlocked the device, so that protected files and keychain items can be read.
    case protectedDataAvailable
}
