// SPDX-License-Identifier: Apache-2.0

/// An event in the life of an app that affects its session.
enum LifecycleEvent: Sendable, Hashable {
    /// The app is back in the foreground.
    case didResume
    /// The user has unlocked the device, so that protected files and keychain items can be read.
    case protectedDataAvailable
}
