// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

/// Runs `body` to its end while the calling thread, which is libFuzzer's, waits; an error is a finding.
public func waiting<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) -> Result {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result?>(nil)
    Task {
        do {
            let value = try await body()
            result.withLock { $0 = value }
        } catch {
            fatalError("does not hold: there is no error: \(error)")
        }
        done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { fatalError("does not hold: there is a result") }
    return value
}
