// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The main thread, used by the main actor.
enum MainQueue {
    /// Runs the main actor's jobs, and never returns.
    ///
    /// It uses a run loop: `dispatchMain` waits with all signals unblocked, and they would end the process.
    static func serveForever() -> Never {
        // A run loop with nothing to wait for returns immediately.
        RunLoop.main.add(Timer(timeInterval: 86_400, repeats: true) { _ in }, forMode: .default)
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }
}
