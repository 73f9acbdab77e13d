// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
import LatchCore
package import LatchHTTP
package import PortableFoundation

/// A credential of an explored session: the sign-in that it comes from, and the number of refreshes since.
package struct ExploredTicket: SessionCredential, Hashable, CustomStringConvertible {
    package var family: Int
    package var number: Int
    /// The step of the clock at which it was issued.
    package var born: Int

    /// The steps of the clock for which a ticket is accepted; a refresh is due one step before.
    static let life = 3

    package var expiry: Date? { ExploredWorld.date(born + Self.life) }
    package var issued: Date? { ExploredWorld.date(born) }
    package func authorize(_ request: inout HTTPRequest) {}
    package func hasSameAccessToken(as other: ExploredTicket) -> Bool { self == other }
    package func hasSameRefreshToken(as other: ExploredTicket) -> Bool {
        family == other.family && number == other.number
    }

    package var description: String { "\(family):\(number)" }
}

/// A process with a session, as far as the exploration knows it.
package struct ExploredProcess: Hashable, Sendable {
    typealias Machine = SessionMachine<ExploredTicket>

    /// An effect that has begun and not ended.
    package enum Pending: Hashable, Sendable {
        case enter(SessionSection, waits: Bool, isCalledBack: Bool)
        case load
        /// The record that was read without a lock.
        case loaded(TokenRecord<ExploredTicket>?)
        case save(TokenRecord<ExploredTicket>?)
        /// The record was written, which the process does not know yet.
        case saved
        case request(id: Int, ExploredTicket, key: String)
        case response(id: Int, ExploredResponse)

        var name: String {
            switch self {
            case .enter(let section, let waits, _): "entering \(section)\(waits ? " after a wait" : "")"
            case .load: "a read"
            case .loaded(let record): "the delivery of \(record?.credential?.description ?? "no credential")"
            case .save(let record):
                "a write of \(record?.credential?.description ?? "no credential")"
                    + (record?.refreshKey == nil ? "" : " with a key")
            case .saved: "the delivery of a write"
            case .request(_, let ticket, _): "a request to refresh \(ticket)"
            case .response(_, let response): "the delivery of \(response)"
            }
        }
    }

    /// A caller that waits.
    enum Waiter: Hashable, Sendable {
        /// For a credential, perhaps instead of one that was refused; and whether the record held none meanwhile.
        case use(refused: ExploredTicket?, sawNone: Bool)
        /// For the moment at which the program may be suspended.
        case suspension
        /// For something else.
        case other
    }

    /// The number of the start, which tells the lives of a process apart.
    var start: Int
    var machine: Machine
    var pending: [Pending] = []
    /// Whether a change by another process was announced and not heard.
    var isNotified = false
    /// The callers that wait.
    var waiters: [Int: Waiter] = [:]
    var nextWaiter = 0
    /// The families that the user has left in this process.
    var left: Set<Int> = []

    init(start: Int) {
        self.start = start
        var policy = RefreshPolicy(
            lead: .seconds(10), jitter: .zero, pauseAfterFailure: .seconds(10), greatestShare: 0.5)
        policy.timeLimit = .seconds(30)
        policy.requestWindow = .seconds(20)
        machine = Machine(.init(policy: policy, keepsRecords: true, isShared: true))
    }
}

/// The issuer's response to a refresh.
package enum ExploredResponse: Hashable, Sendable {
    case success(ExploredTicket)
    case ended
    case unavailable
    case lost
}

/// An issuer with rotation, reuse detection and, perhaps, a replay window (RFC 9700 §4.14.2).
struct ExploredIssuer: Hashable, Sendable {
    struct Family: Hashable, Sendable {
        var number = 0
        var born: Int
        var lastKey = ""
        var isRevoked = false
    }

    var families: [Family] = []
    /// Whether a repetition under the same key gets the same response.
    var repeats: Bool
    /// The violation of the protocol by a client.
    var violation: String?

    mutating func signIn(at time: Int) -> ExploredTicket {
        families.append(Family(born: time))
        return ExploredTicket(family: families.count - 1, number: 0, born: time)
    }

    mutating func respond(to ticket: ExploredTicket, key: String, at time: Int, mayReuse: Bool) -> ExploredResponse {
        var family = families[ticket.family]
        defer { families[ticket.family] = family }
        guard !family.isRevoked else { return .ended }
        if ticket.number == family.number {
            family = Family(number: ticket.number + 1, born: time, lastKey: key)
        } else if ticket.number != family.number - 1 || family.lastKey != key || !repeats {
            if !mayReuse { violation = "\(ticket) was refreshed a second time, and the session is lost" }
            family.isRevoked = true
            return .ended
        }
        return .success(ExploredTicket(family: ticket.family, number: family.number, born: family.born))
    }
}
