// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchTimer
import Dispatch
import Glibc

/// An observer of changes to this machine's date, without polling.
///
/// It sets a timer that never fires. The kernel cancels it when the date jumps (timerfd_create(2),
/// `TFD_TIMER_CANCEL_ON_SET`).
package final class DateWatch: @unchecked Sendable {
    /// The source, immutable and thread-safe; Dispatch does not declare it as Sendable.
    private let source: any DispatchSourceRead

    /// Starts to observe; nil if the process has no free descriptor.
    ///
    /// - Parameter onChange: Runs after each jump, on a thread of Dispatch; jumps in quick succession count as one.
    package init?(onChange: @escaping @Sendable () -> Void) {
        let timer = timerfd_create(CLOCK_REALTIME, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
        guard timer >= 0 else { return nil }
        Self.arm(timer)
        source = DispatchSource.makeReadSource(fileDescriptor: timer, queue: .global())
        source.setEventHandler {
            // Reading resets the cancellation; then the timer is set again.
            var count: UInt64 = 0
            _ = read(timer, &count, MemoryLayout<UInt64>.size)
            Self.arm(timer)
            onChange()
        }
        source.setCancelHandler { close(timer) }
        source.resume()
    }

    deinit { source.cancel() }

    /// Returns a stream with one element for each jump from now on.
    package static func changes() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        if let watch = DateWatch(onChange: { continuation.yield() }) {
            continuation.onTermination = { _ in withExtendedLifetime(watch) {} }
        } else {
            continuation.finish()
        }
        return stream
    }

    /// Sets the timer to the year 2255, which the kernel can represent.
    private static func arm(_ timer: Int32) {
        var never = itimerspec()
        never.it_value.tv_sec = 9_000_000_000
        let flags = Int32(TFD_TIMER_ABSTIME) | Int32(TFD_TIMER_CANCEL_ON_SET)
        timerfd_settime(timer, flags, &never, nil)
    }
}
#endif
