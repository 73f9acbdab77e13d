// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import Synchronization

/// The barrier before the next round; the workers wait over HTTP, so that they end with the server.
final class Gate: Sendable {
    /// One expiry: its number, and how far the clocks are ahead by then.
    struct Round: Sendable {
        var number = 0
        var offset = 0
    }

    private struct Line {
        var round = Round()
        var waiting: [(after: Int, CheckedContinuation<Round, Never>)] = []
    }

    private let line = Mutex(Line())

    /// Lets everybody into the next round.
    func open(offset: Int) {
        let (round, entering) = line.withLock { line in
            line.round = Round(number: line.round.number + 1, offset: offset)
            defer { line.waiting = [] }
            return (line.round, line.waiting)
        }
        for waiter in entering { waiter.1.resume(returning: round) }
    }

    /// The round that is open, as soon as it is a later one than `number`.
    private func round(after number: Int) async -> Round {
        await withCheckedContinuation { continuation in
            let open: Round? = line.withLock { line in
                if line.round.number > number { return line.round }
                line.waiting.append((number, continuation))
                return nil
            }
            if let open { continuation.resume(returning: open) }
        }
    }

    /// Adds the route on which the workers wait.
    func add(to router: inout Router) {
        router.get("/gate/{round}") { [self] request in
            let round = await round(after: request.pathParameter("round").flatMap { Int($0) } ?? 0)
            return .json(["number": .integer(Int64(round.number)), "offset": .integer(Int64(round.offset))])
        }
    }
}
