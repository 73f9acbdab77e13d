// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
public import Observation

/// The privacy of an app's content: a cover of each inactive scene, and a lock after all scenes were in the background
/// for a time.
///
/// An app with one window has one scene, which needs no identifier.
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

    /// The activity of a scene, as SwiftUI's `ScenePhase`.
    public enum Activity: Hashable, Sendable {
        /// The scene is in front.
        case active
        /// The scene is visible and takes no input, as in the app switcher.
        case inactive
        /// The scene is not visible, or closed.
        case background
    }

    /// The time in the background after which the app is locked; nil for only a cover.
    public let gracePeriod: Duration?
    /// Whether the owner of the device has to open the app.
    public private(set) var isLocked: Bool
    /// The activities of the visible scenes.
    private var activities: [UUID?: Activity] = [:]
    /// The uptime at which the last visible scene went to the background; nil if one is visible.
    private var departure: Duration?

    /// Creates the privacy of an app at its start; the app is locked unless it never locks.
    public init(gracePeriod: Duration? = .seconds(60)) {
        self.gracePeriod = gracePeriod
        isLocked = gracePeriod != nil
    }

    /// The part of an app with one scene that is shown.
    public var phase: Phase { phase(of: nil) }

    /// The part of the app that a scene shows.
    public func phase(of scene: UUID?) -> Phase {
        activities[scene] != .active ? .covered : isLocked ? .locked : .open
    }

    /// Records the activity of a scene at an uptime; the scene is nil in an app with one.
    public mutating func receive(_ activity: Activity, of scene: UUID? = nil, at uptime: Duration) {
        activities[scene] = activity == .background ? nil : activity
        switch activity {
        case .background: if activities.isEmpty { departure = departure ?? uptime }
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
    /// A function that signs out a user who cannot open the lock; nil if `unlock` does this itself.
    @ObservationIgnored var signOut: (@MainActor () -> Void)?

    /// Creates the privacy of an app.
    ///
    /// - Parameters:
    ///   - unlock: The screen that opens the lock; its `onFinish` is still called, and signs out if the user wants to.
    ///   - gracePeriod: The time in the background after which the app is locked; nil for only a cover.
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
                // A failed sign-out must not open the lock, and does not change its screen.
                unlock?.send(.appear)
                self?.signOut?()
            }
            report(outcome)
        }
    }

    /// Opens the lock, such as after a sign-out, which leaves nothing to protect.
    public func open() { lock.unlock() }

    /// Records the activity of a scene; the scene is nil in an app with one.
    public func receive(_ activity: AppLock.Activity, of scene: UUID? = nil) {
        lock.receive(activity, of: scene, at: clock.uptime)
    }
}
