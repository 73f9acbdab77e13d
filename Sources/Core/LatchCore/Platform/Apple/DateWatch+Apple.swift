// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// An observer of changes to this machine's date, without polling.
package enum DateWatch {
    /// Returns a stream with one element for each jump from now on.
    package static func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            for await _ in NotificationCenter.default.notifications(named: .NSSystemClockDidChange) {
                continuation.yield()
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
#endif
