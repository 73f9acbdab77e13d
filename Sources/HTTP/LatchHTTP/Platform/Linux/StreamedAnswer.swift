// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The reader's hold on an answer that still arrives: letting it go aborts the transfer.
final class StreamedAnswer: Sendable {
    private let transfer: CurlTransfer
    private let loop: CurlLoop
    private let feed: AnswerFeed<[UInt8]>

    /// A hold on a transfer that is about to be submitted.
    init(_ transfer: CurlTransfer, _ feed: AnswerFeed<[UInt8]>, on loop: CurlLoop) {
        self.transfer = transfer
        self.feed = feed
        self.loop = loop
    }

    deinit {
        if feed.hasEnded { loop.transfers.giveBack(transfer) } else { loop.cancel(transfer) }
    }

    /// The head; cancelling the task aborts the transfer.
    func head() async throws -> HTTPResponse {
        try ResponseHead.parse(try await abortable { try await feed.head() })
    }

    /// The fields after the content, once it has ended.
    var trailers: HTTPFields { feed.trailers.map { ResponseHead.fields($0) } ?? [:] }

    /// The next piece of the content, nil at the end; cancelling the task aborts the transfer.
    func next() async throws -> [UInt8]? {
        try await abortable { try await feed.next { loop.wake(transfer) } }
    }

    private func abortable<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskCancellationHandler {
            try await body()
        } onCancel: {
            loop.cancel(transfer)
        }
    }
}
#endif
