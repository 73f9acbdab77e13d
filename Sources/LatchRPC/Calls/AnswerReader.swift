// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The messages of an answer that has begun, or whose head is still to come.
///
/// It has one reader at a time. Letting it go ends the call.
final class AnswerReader: Sendable {
    /// Where the answer is.
    private enum Place {
        case coming(Task<EnvelopedAnswer, any Error>)
        case here(EnvelopedAnswer)
        /// With the reader, or over.
        case away
    }

    private let place: Lock<Place>

    /// The messages of an answer whose head is there.
    init(_ answer: EnvelopedAnswer) { place = Lock(.here(answer)) }

    /// The messages of an answer for which a request goes out now.
    init(_ begin: @escaping @Sendable () async throws -> EnvelopedAnswer) {
        place = Lock(.coming(Task { try await begin() }))
    }

    deinit {
        guard case .coming(let task) = place.withLock({ $0 }) else { return }
        task.cancel()
    }

    /// The next message; nil at the end and ever after.
    func next() async throws -> [UInt8]? {
        var answer: EnvelopedAnswer
        switch place.withLock({ $0 }) {
        case .coming(let task):
            answer = try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        case .here(let held): answer = held
        case .away: return nil
        }
        place.withLock { $0 = .away }
        guard let message = try await answer.next() else { return nil }
        place.withLock { [answer] in $0 = .here(answer) }
        return message
    }
}
