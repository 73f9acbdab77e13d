// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

extension EventLoop {
    /// Starts a handler's task, which runs on the calling thread until it suspends, and then on the loop's thread.
    @inline(__always)
    func startTask(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task<Void, Never> {
        Task.immediate(executorPreference: self, operation: operation)
    }
}

#endif
