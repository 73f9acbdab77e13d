// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import LatchServer
import Synchronization

/// The barrier before the next round; the workers wait over HTTP, so that they end with the server.
final class Gate: Sendable {
    /// What the workers do in a round.
    struct Round: Sendable {
        /// The action of each task of a worker.
        enum Action: String, Sendable {
            case requestProfile, signOut
        }

        var number = 0
        /// The seconds by which the clocks are ahead.
        var offset = 0
        var action = Action.requestProfile
        /// The process ids of the workers that take part; nil for all.
        var members: [Int32]?
    }

    private struct Line {
        var round = Round()
        var waiting: [(after: Int, CheckedContinuation<Round, Never>)] = []
    }

    private let line = Mutex(Line())

    /// Lets everybody into the next round.
    ///
    /// - Returns: The number of the round.
    @discardableResult
    func open(offset: Int, _ action: Round.Action = .requestProfile, for members: [Int32]? = nil) -> Int {
        let (round, entering) = line.withLock { line in
            line.round = Round(number: line.round.number + 1, offset: offset, action: action, members: members)
            defer { line.waiting = [] }
            return (line.round, line.waiting)
        }
        for waiter in entering { waiter.1.resume(returning: round) }
        return round.number
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
            .json(await round(after: request.pathParameter("round").flatMap { Int($0) } ?? 0).json)
        }
    }
}

extension Gate.Round {
    var json: JSONValue {
        var object: JSONObject = [
            "number": .integer(Int64(number)), "offset": .integer(Int64(offset)), "action": .string(action.rawValue),
        ]
        if let members { object["members"] = .array(members.map { .integer(Int64($0)) }) }
        return .object(object)
    }

    init(_ json: JSONValue) {
        self.init(
            number: json["number"]?.intValue ?? 0, offset: json["offset"]?.intValue ?? 0,
            action: json["action"]?.stringValue.flatMap(Action.init) ?? .requestProfile,
            members: json["members"]?.arrayValue?.compactMap { $0.intValue.map(Int32.init) })
    }
}
