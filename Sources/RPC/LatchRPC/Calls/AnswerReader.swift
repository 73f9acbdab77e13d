// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// The messages of an answer that has begun, or whose head is still to come.
///
/// It has one reader at a time. Letting it go ends the call.
final class AnswerReader: Sendable {
    /// Where the answer is.
    private enum Place {
        case coming(Task<EnvelopedAnswer, any Error>)
        case here(EnvelopedAnswer)
        /// With a reader, who waits for the next message.
        case away
        case over
    }

    private let place: Mutex<Place>

    /// The messages of an answer whose head is there.
    init(_ answer: EnvelopedAnswer) { place = Mutex(.here(answer)) }

    /// The messages of an answer for which a request goes out now.
    init(_ begin: @escaping @Sendable () async throws -> EnvelopedAnswer) {
        place = Mutex(.coming(Task { try await begin() }))
    }

    deinit {
        guard case .coming(let task) = place.withLock({ $0 }) else { return }
        task.cancel()
    }

    /// The next message; nil at the end and ever after.
    ///
    /// - Throws: `HTTPError.streamSpent` for a second reader at a time, to whom nil would look like the end.
    func next() async throws -> [UInt8]? {
        let found = place.withLock { place in
            defer { if case .over = place {} else { place = .away } }
            return place
        }
        do {
            guard var answer = try await answer(found) else { return nil }
            let message = try await answer.next()
            place.withLock { [answer] in $0 = message == nil ? .over : .here(answer) }
            return message
        } catch {
            if case .away = found { throw error }
            place.withLock { $0 = .over }
            throw error
        }
    }

    private func answer(_ place: Place) async throws -> EnvelopedAnswer? {
        switch place {
        case .here(let answer): return answer
        case .away: throw HTTPError.streamSpent
        case .over: return nil
        case .coming(let task):
            return try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}
