// SPDX-License-Identifier: Apache-2.0
#if canImport(Darwin)

extension EventLoop {
    /// Starts a handler's task, which runs on the loop's thread, first later in this turn.
    ///
    /// A task that begins at once (SE-0472) needs a later system than this package does.
    func startTask(_ operation: sending @escaping @isolated(any) () async -> Void) -> Task<Void, Never> {
        Task(executorPreference: self, operation: operation)
    }
}

#endif
