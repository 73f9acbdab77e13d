// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Foundation

/// The reader's handle of a running task: releasing it cancels the task.
final class URLSessionExchange: Sendable {
    private let task: URLSessionDataTask
    private let delegate: TransferDelegate
    /// Ends the transfer at its deadline; nil if there is none.
    private let end: Task<Void, any Error>?

    /// Starts a task that reports to `delegate` and ends after `limit`, even if data still arrives.
    init(_ task: URLSessionDataTask, _ delegate: TransferDelegate, limit: Duration?) {
        self.task = task
        self.delegate = delegate
        end = limit.map { Self.fail(task, delegate, after: $0) }
        task.delegate = delegate
        task.resume()
    }

    deinit {
        end?.cancel()
        if !delegate.feed.hasEnded { task.cancel() }
    }

    /// Cancels the transfer after a duration, unless the returned task is canceled before.
    func fail(after time: Duration) -> Task<Void, any Error> { Self.fail(task, delegate, after: time) }

    private static func fail(
        _ task: URLSessionDataTask, _ delegate: TransferDelegate, after time: Duration
    ) -> Task<Void, any Error> {
        Task {
            try await Task.sleep(for: time)
            delegate.fail(HTTPError.timeout)
            task.cancel()
        }
    }

    /// Returns the head; canceling the caller's task aborts the transfer if it is `isAbortable`.
    func head(isAbortable: Bool) async throws -> HTTPResponse {
        isAbortable ? try await abortable { try await delegate.feed.head() } : try await delegate.feed.head()
    }

    /// Returns the next chunk of the content, or nil at the end; canceling the caller's task aborts the transfer.
    func next() async throws -> [UInt8]? {
        try await abortable { try await delegate.feed.next { delegate.resume(task) } }
    }

    private func abortable<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            delegate.fail(HTTPError.cancelled)
            task.cancel()
        }
    }
}
#endif
