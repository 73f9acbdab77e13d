// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Answers in memory, so many at most; the one that was not asked for the longest goes first.
final class AnswerCache: Sendable {
    private struct Content {
        var answers: [AnswerKey: (answer: KeptAnswer, use: Int)] = [:]
        var uses = 0
    }

    private let content = Mutex(Content())
    private let limit: Int

    init(limit: Int) { self.limit = max(0, limit) }

    var count: Int { content.withLock { $0.answers.count } }

    func answer(to request: AnswerKey) -> KeptAnswer? {
        content.withLock { content in
            content.uses += 1
            guard let found = content.answers[request]?.answer else { return nil }
            content.answers[request]?.use = content.uses
            return found
        }
    }

    func keep(_ answer: KeptAnswer, to request: AnswerKey) {
        guard limit > 0 else { return }
        content.withLock { content in
            content.uses += 1
            content.answers[request] = (answer, content.uses)
            guard content.answers.count > limit else { return }
            if let oldest = content.answers.min(by: { $0.value.use < $1.value.use }) {
                content.answers[oldest.key] = nil
            }
        }
    }

    func removeAll() { content.withLock { $0.answers = [:] } }
}
