// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

extension EventLoop {
    /// Starts a handler's task, which runs on the loop's thread, beginning later in this turn.
    ///
    /// A task that begins immediately (SE-0472) requires a newer system than this package.
    func startTask(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self, operation: operation)
    }
}

#endif
