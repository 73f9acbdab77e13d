// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import Observation

/// The privacy of an app's content: a cover while the app is inactive, and a lock after a time in the background.
public struct AppLock: Hashable, Sendable {
    /// The part of the app that is shown.
    public enum Phase: Hashable, Sendable {
        /// The content.
        case open
        /// A cover, so that the app switcher shows nothing.
        case covered
        /// The lock, which the owner of the device opens.
        case locked
    }

    /// The activity of the app, as SwiftUI's `ScenePhase`.
    public enum Activity: Hashable, Sendable {
        /// The app is in front.
        case active
        /// The app is visible and takes no input, as in the app switcher.
        case inactive
        /// The app is not visible.
        case background
    }

    /// The time in the background after which the app is locked; nil for a cover alone.
    public let gracePeriod: Duration?
    /// Whether the owner of the device has to open the app.
    public private(set) var isLocked: Bool
    private var activity = Activity.inactive
    /// The uptime at which the app went to the background; nil if it is not there.
    private var departure: Duration?

    /// Creates the privacy of an app that starts, which is locked unless it never locks.
    public init(gracePeriod: Duration? = .seconds(60)) {
        self.gracePeriod = gracePeriod
        isLocked = gracePeriod != nil
    }

    /// The part of the app that is shown.
    public var phase: Phase { activity != .active ? .covered : isLocked ? .locked : .open }

    /// Takes the activity of the app at an uptime.
    public mutating func receive(_ activity: Activity, at uptime: Duration) {
        self.activity = activity
        switch activity {
        case .background: departure = departure ?? uptime
        case .inactive: break
        case .active:
            if let departure, let gracePeriod, uptime - departure >= gracePeriod { isLocked = true }
            departure = nil
        }
    }

    /// Opens the app.
    public mutating func unlock() { isLocked = false }
}

/// The privacy of an app's content for a view, with the screen that opens the lock.
///
/// ```swift no-check
/// ContentView().appLock(lock)
/// ```
@MainActor @Observable
public final class AppLockModel {
    /// The state.
    public private(set) var lock: AppLock
    /// The screen that opens the lock.
    public let unlock: UnlockModel
    @ObservationIgnored private let clock: WallClock
    /// A function that signs the user out, who cannot open the lock; nil where `unlock`'s own one does.
    @ObservationIgnored var signOut: (@MainActor () -> Void)?

    /// Creates the privacy of an app.
    ///
    /// - Parameters:
    ///   - unlock: The screen that opens the lock; its `onFinish` is still called, and signs out if the user wants to.
    ///   - gracePeriod: The time in the background after which the app is locked; nil for a cover alone.
    ///   - clock: The clock of the time in the background, which runs while the device sleeps.
    public init(_ unlock: UnlockModel, gracePeriod: Duration? = .seconds(60), clock: WallClock = .system) {
        lock = AppLock(gracePeriod: gracePeriod)
        self.unlock = unlock
        self.clock = clock
        let report = unlock.onFinish
        unlock.onFinish = { [weak self, weak unlock] outcome in
            switch outcome {
            case .unlocked: self?.open()
            case .signOut:
                // A sign-out that fails must not open the lock, and leaves its screen as it is.
                unlock?.send(.appear)
                self?.signOut?()
            }
            report(outcome)
        }
    }

    /// Opens the lock, such as after a sign-out: there is nothing to protect any more.
    public func open() { lock.unlock() }

    /// Takes the activity of the app.
    public func receive(_ activity: AppLock.Activity) { lock.receive(activity, at: clock.uptime) }
}
