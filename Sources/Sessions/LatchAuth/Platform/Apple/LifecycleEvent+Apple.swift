// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import Foundation

extension LifecycleEvent {
    /// The events by the names of the notifications that announce them.
    ///
    /// The names are those that UIKit, WatchKit and AppKit document, written here so that none of the frameworks has to be
    /// imported, into command-line programs neither.
    private static let events: [(name: String, event: LifecycleEvent)] = [
        ("UIApplicationDidEnterBackgroundNotification", .willSuspend),
        ("UIApplicationWillEnterForegroundNotification", .didResume),
        ("UIApplicationProtectedDataDidBecomeAvailable", .protectedDataAvailable),
        ("WKApplicationDidEnterBackgroundNotification", .willSuspend),
        ("WKApplicationWillEnterForegroundNotification", .didResume),
        ("NSWorkspaceWillSleepNotification", .willSuspend),
        ("NSWorkspaceDidWakeNotification", .didResume),
    ]

    /// Returns a stream of the events that a notification center announces from now on.
    ///
    /// - Parameter center: The center. AppKit posts sleep and wake to that of `NSWorkspace.shared` alone, which an app for
    ///   the Mac passes here; extensions get no such notifications.
    package static func stream(from center: NotificationCenter = .default) -> AsyncStream<LifecycleEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: LifecycleEvent.self)
        // Without a queue, an observer runs in the post itself, before the app can be suspended. Its token is only passed
        // back to the center, which is thread-safe.
        nonisolated(unsafe) let observers = events.map { name, event in
            center.addObserver(forName: Notification.Name(name), object: nil, queue: nil) { _ in
                continuation.yield(event)
            }
        }
        continuation.onTermination = { _ in
            for observer in observers { center.removeObserver(observer) }
        }
        return stream
    }
}
#endif
