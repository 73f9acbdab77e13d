// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(macOS)
import Dispatch
import Foundation

/// A period in which the system does not suspend the program unless it must.
struct SystemActivity: Sendable {
    private let isOver = DispatchSemaphore(value: 0)

    /// Begins an activity.
    ///
    /// - Parameter onExpiry: A closure that releases what a suspended program must not hold. It is called if the system
    ///   suspends the program anyway, and delays the suspension until it returns.
    init?(onExpiry: @escaping @Sendable () async -> Void) {
        // The system calls it on a separate thread, and lets the program run until it returns. It calls it again if
        // time is up.
        ProcessInfo.processInfo.performExpiringActivity(withReason: "storing a credential") { [isOver] isExpired in
            guard isExpired else { return isOver.wait() }
            let hasLetGo = DispatchSemaphore(value: 0)
            Task.detached(priority: .high) {
                await onExpiry()
                hasLetGo.signal()
            }
            hasLetGo.wait()
        }
    }

    /// Ends the activity.
    func end() { isOver.signal() }
}

extension LifecycleEvent {
    /// The events by the names of the notifications that announce them.
    ///
    /// The names are those in the documentation of UIKit and WatchKit. They are literals so that neither framework has
    /// to be imported.
    private static let events: [(name: String, event: LifecycleEvent)] = [
        ("UIApplicationWillEnterForegroundNotification", .didResume),
        ("UIApplicationProtectedDataDidBecomeAvailable", .protectedDataAvailable),
        ("WKApplicationWillEnterForegroundNotification", .didResume),
    ]

    /// The events of the app from now on; an extension gets none.
    static var systemEvents: AsyncStream<LifecycleEvent>? {
        let (stream, continuation) = AsyncStream.makeStream(of: LifecycleEvent.self)
        // The token of an observer is only passed back to the center, which is thread-safe.
        nonisolated(unsafe) let observers = events.map { name, event in
            NotificationCenter.default.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                continuation.yield(event)
            }
        }
        continuation.onTermination = { _ in
            for observer in observers { NotificationCenter.default.removeObserver(observer) }
        }
        return stream
    }
}
#endif
