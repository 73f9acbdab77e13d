// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

extension EventLoop {
    /// Starts a handler's task, which runs on the calling thread at once until it suspends, and later on the loop's.
    @inline(__always)
    func startTask(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task<Void, Never> {
        Task.immediate(executorPreference: self, operation: operation)
    }
}

#endif
