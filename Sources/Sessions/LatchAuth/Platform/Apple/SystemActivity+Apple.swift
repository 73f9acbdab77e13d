// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(macOS)
import Dispatch
import Foundation

/// A period in which the system does not suspend the program, if that can be avoided.
struct SystemActivity: Sendable {
    private let isOver = DispatchSemaphore(value: 0)

    /// Begins an activity.
    ///
    /// - Parameter onExpiry: Lets go of what must not be held in a suspended program; called where the system suspends it
    ///   nevertheless, which it does not before this returns.
    init?(onExpiry: @escaping @Sendable () async -> Void) {
        // The system calls it on a thread of its own, and lets the program run until it returns; once more if time is over.
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
    /// The names are those that UIKit and WatchKit document, written here so that neither framework has to be imported.
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
