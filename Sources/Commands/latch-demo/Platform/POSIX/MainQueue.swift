// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The main thread as the main actor's.
enum MainQueue {
    /// Runs the main actor's jobs, and never returns.
    ///
    /// A run loop and not `dispatchMain`, which waits with all signals unblocked and would be ended by them.
    static func serveForever() -> Never {
        // Without anything to wait for, a run loop returns at once.
        RunLoop.main.add(Timer(timeInterval: 86_400, repeats: true) { _ in }, forMode: .default)
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }
}
